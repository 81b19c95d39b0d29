/** Builds the launcher, for npm (build-launcher.mjs) and for a service that finds none (src/server/spawn/find-launcher.ts). */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const beside = (name) => fileURLToPath(new URL(name, import.meta.url))
/** The directory of its sources; next to the bundle in dist/ this is the launcher binary instead. */
const folder = beside('launcher')
const flags = ['-O2', '-Wall', '-Wextra'] // only the tests add -Werror: a new warning in a later compiler must not break an owner's build

/** The whole launcher as one C source: the package contains it as a file; in a clone, this function assembles it from the sources. */
export function launcherSource() {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return readFileSync(beside('launcher.c'), 'utf8')
  const parts = new Set()
  const take = (name) => {
    if (parts.has(name)) return ''
    parts.add(name)
    const text = readFileSync(join(folder, name), 'utf8').replace('#pragma once', '') // each file is included once here
    return `#line 1 "${name}"\n${text.replaceAll(/^#include "(.+)"$/gm, (_line, header) => `${take(header)}#line 1 "${name}"`)}`
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith('.c'))
    .sort()
    .map(take)
    .join('')
}

/** A hash of the source: a launcher built from another source may speak another protocol. */
export const sourcesKey = () => createHash('sha256').update(launcherSource()).digest('hex').slice(0, 16)

/** Flushes a file, so that a power loss cannot leave its name with incomplete contents. */
function flush(path) {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Compiles the launcher to `output`. Returns null, or why that failed. Replaces a binary that is in use instead of overwriting it. */
export function buildLauncher(
  output,
  more = [],
  compilers = process.env.CC ? [process.env.CC] : ['cc', 'clang', 'gcc'],
) {
  if (process.platform !== 'linux' && process.platform !== 'android') {
    return `${process.platform} has neither subreapers nor Landlock`
  }
  const fresh = resolve(`${output}.${process.pid}`)
  const input = launcherSource()
  let reason = 'no C compiler'
  for (const compiler of compilers) {
    const { error, status, stderr } = spawnSync(compiler, [...flags, ...more, '-o', fresh, '-x', 'c', '-'], {
      input,
      encoding: 'utf8',
      timeout: 60_000,
    })
    if (error?.code === 'ENOENT') continue
    if (!error && status === 0) {
      flush(fresh)
      renameSync(fresh, output)
      return null
    }
    reason = `${compiler}: ${error?.message ?? stderr.trim().split('\n')[0]}`
    rmSync(fresh, { force: true })
  }
  return reason
}
