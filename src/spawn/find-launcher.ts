import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildLauncher, sourcesKey } from '../../scripts/build-launcher.mjs'

/** The launcher, or in words for /health why there is none, and the cure. */
export type FoundLauncher = { path: string } | { reason: string }

/**
 * Built in a clone, shipped for this machine, or built at the first start from the sources that lie in the package. `folder`: where that
 * may be, for the package's own may be root's; null: nowhere.
 */
export function findLauncher(folder: string | null): FoundLauncher {
  const names = ['launcher', `launcher-${process.platform}-${process.arch}`]
  // seen from dist/main.js and its chunks, or from src/spawn/
  const places = names.flatMap((name) => [`./${name}`, `../../dist/${name}`])
  const path = places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((place) => existsSync(place))
  if (path !== undefined) return { path }
  return folder === null ? { reason: 'the launcher was not built: scripts/build-launcher.mjs says why' } : build(folder)
}

function build(folder: string): FoundLauncher {
  try {
    const name = `launcher-${sourcesKey()}`
    const path = join(folder, name)
    if (existsSync(path)) return { path }
    const reason = buildLauncher(path)
    if (reason !== null) return { reason: `the launcher was not built: ${reason}${cureFor(reason)}` }
    for (const old of readdirSync(folder)) if (/^launcher-/.test(old) && old !== name) rmSync(join(folder, old))
    return { path }
  } catch (error) {
    return { reason: `the launcher was not built: ${(error as Error).message}` }
  }
}

function cureFor(reason: string): string {
  if (reason !== 'no C compiler') return ''
  const cure = process.platform === 'android' ? 'pkg install clang' : 'install one (gcc or clang)'
  return ` (${cure}, and restart)`
}
