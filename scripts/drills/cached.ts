import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** What drills need and the project does not is installed by hand: its node_modules; null, and a line that says how, where it is not there. */
export function cached(place: string, ...packages: string[]): string | null {
  const folder = join(homedir(), '.cache/shellphone-drills', place)
  const modules = join(folder, 'node_modules')
  if (existsSync(modules) && readdirSync(modules).length > 0) return modules
  console.log(`skipped ${place}, not installed: npm install --no-save --prefix ${folder} ${packages.join(' ')}`)
  return null
}
