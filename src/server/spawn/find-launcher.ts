import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { buildLauncher, sourcesKey } from './launcher-build.mjs'
import { packageFolder } from '../../shared/package/index.ts'

/** A launcher binary and a description of it. */
export interface FoundLauncher {
  path: string
  what: string
  /** Builds it again, because a file that an earlier start has built may be damaged. Returns null, or why that failed. */
  rebuild?(): string | null
}

/** The launchers that may work on this machine, best first. `notBuilt`: why no launcher could be built on it; null: one was built. */
export interface Found {
  launchers: readonly FoundLauncher[]
  notBuilt: string | null
}

const distFolder = join(packageFolder, 'dist')

function inFolder(folder: string, name: string): string | undefined {
  const path = join(folder, name)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined
}

/**
 * Finds the launcher built on this machine for its libc, then the package's static launcher for this processor. In a clone, npm builds the
 * launcher. Otherwise the service builds it into `folder` when it first starts, because the package's own directory may belong to root.
 * `dist`: the directory of the package's launchers.
 */
export function findLaunchers(folder: string, arch: string = process.arch, dist = distFolder): Found {
  const ours = inFolder(dist, 'launcher')
  const built = ours === undefined ? builtIn(folder) : { path: ours }
  const shipped = inFolder(dist, `launcher-${arch}`)
  const prebuilt = shipped === undefined ? [] : [{ path: shipped, what: `the prebuilt launcher for ${arch}` }]
  if ('reason' in built) return { launchers: prebuilt, notBuilt: `none could be built here (${built.reason})` }
  return { launchers: [{ ...built, what: 'the launcher built here' }, ...prebuilt], notBuilt: null }
}

/** The launcher in `folder`. Its name contains a hash of its sources, because another version may speak another protocol. */
function builtIn(folder: string): Pick<FoundLauncher, 'path' | 'rebuild'> | { reason: string } {
  try {
    const path = join(folder, `launcher-${sourcesKey()}`)
    if (existsSync(path)) return { path, rebuild: () => build(path) }
    const reason = build(path)
    return reason === null ? { path } : { reason }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

/** Builds the launcher and removes those of other versions. Returns null, or why it cannot be built. */
function build(path: string): string | null {
  const reason = buildLauncher(path)
  if (reason !== null) return reason
  const [folder, name] = [dirname(path), basename(path)]
  for (const old of readdirSync(folder)) if (/^launcher-/.test(old) && old !== name) rmSync(join(folder, old))
  return null
}
