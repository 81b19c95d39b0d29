/** How the launcher is built, for npm (build-launcher.mjs) and for a service that finds none (src/spawn/find-launcher.ts). */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'src/spawn/launcher')
const flags = ['-O2', '-Wall', '-Wextra'] // the tests add -Werror; a later compiler's new warning shall not cost an owner the launcher

/** Names what the sources are now: a launcher of others speaks another protocol. */
export function sourcesKey() {
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 16)
}

/** Compiles; returns why it could not, or null. A binary in use is replaced, not written over. */
export function buildLauncher(
  output,
  more = [],
  compilers = process.env.CC ? [process.env.CC] : ['cc', 'clang', 'gcc'],
) {
  if (process.platform !== 'linux' && process.platform !== 'android') {
    return `${process.platform} has neither subreapers nor Landlock`
  }
  const fresh = resolve(`${output}.${process.pid}`)
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith('.c'))
    .sort()
  let reason = 'no C compiler'
  for (const compiler of compilers) {
    const { error, status, stderr } = spawnSync(compiler, [...flags, ...more, '-o', fresh, ...sources], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 60_000,
    })
    if (error?.code === 'ENOENT') continue
    if (!error && status === 0) {
      renameSync(fresh, output)
      return null
    }
    reason = `${compiler}: ${error?.message ?? stderr.trim().split('\n')[0]}`
    rmSync(fresh, { force: true })
  }
  return reason
}
