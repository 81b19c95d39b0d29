import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A launcher's binary, and what it is in words. */
export interface FoundLauncher {
  path: string
  what: string
}

/** dist, seen from dist/main.js and its chunks, or from src/spawn/. */
const inDist = (name: string) =>
  ['.', '../../dist'].map((folder) => fileURLToPath(new URL(`${folder}/${name}`, import.meta.url)))

/** The launchers that may work here, best first: what was built here, for this libc; then the static one that the package brings for this processor. */
export function findLaunchers(arch: string = process.arch): FoundLauncher[] {
  const places = [
    { what: 'the launcher that was built here', paths: inDist('launcher') },
    { what: `the prebuilt launcher for ${arch}`, paths: inDist(`launcher-${arch}`) },
  ]
  return places.flatMap(({ what, paths }) => {
    const path = paths.find((one) => existsSync(one))
    return path === undefined ? [] : [{ path, what }]
  })
}

/** Why none was built here, as scripts/build-launcher.mjs left it beside where it would lie; null: one was. */
export function whyNotBuilt(): string | null {
  if (inDist('launcher').some((path) => existsSync(path))) return null
  const note = inDist('launcher.reason').find((path) => existsSync(path))
  return `none was built here (${note === undefined ? 'npm ran no install script' : readFileSync(note, 'utf8').trim()})`
}
