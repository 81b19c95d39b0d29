import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buildLauncher, sourcesKey } from './launcher-build.mjs'
import { packageFolder } from '../../shared/package/index.ts'

/** A launcher binary and a description of it. */
export interface FoundLauncher {
  path: string
  what: string
}

/** The launchers that may work on this machine, best first. `notBuilt`: why no launcher could be built on it; null: one was built. */
export interface Found {
  launchers: readonly FoundLauncher[]
  notBuilt: string | null
}

function inDist(name: string): string | undefined {
  const path = join(packageFolder, 'dist', name)
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined
}

/**
 * Finds the launcher built on this machine for its libc, then the package's static launcher for this processor. In a clone, npm builds the
 * launcher. Otherwise the service builds it into `folder` when it first starts, because the package's own directory may belong to root.
 */
export function findLaunchers(folder: string, arch: string = process.arch): Found {
  const built = inDist('launcher') ?? build(folder)
  const shipped = inDist(`launcher-${arch}`)
  const prebuilt = shipped === undefined ? [] : [{ path: shipped, what: `the prebuilt launcher for ${arch}` }]
  if (typeof built !== 'string') return { launchers: prebuilt, notBuilt: `none could be built here (${built.reason})` }
  return { launchers: [{ path: built, what: 'the launcher built here' }, ...prebuilt], notBuilt: null }
}

/** Builds the launcher unless `folder` has it. Its name contains a hash of its sources, because another version may speak another protocol. */
function build(folder: string): string | { reason: string } {
  try {
    const name = `launcher-${sourcesKey()}`
    const path = join(folder, name)
    if (existsSync(path)) return path
    const reason = buildLauncher(path)
    if (reason !== null) return { reason }
    for (const old of readdirSync(folder)) if (/^launcher-/.test(old) && old !== name) rmSync(join(folder, old))
    return path
  } catch (error) {
    return { reason: (error as Error).message }
  }
}
