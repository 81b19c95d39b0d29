import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the build reads. A removed file changes the time of its folder. */
const sources = ['src', 'scripts/build', 'package.json', 'package-lock.json', 'tsconfig.json']

/** The first source in `checkout` that is newer than dist/, whose last file is metafile.json; undefined: dist/ is up to date. */
export function newerSource(checkout) {
  const builtMs = statOf(checkout, 'dist/metafile.json')?.mtimeMs ?? 0
  return sources
    .flatMap((path) => [path, ...filesIn(checkout, path)])
    .filter((path) => !path.endsWith('.md'))
    .find((path) => (statOf(checkout, path)?.mtimeMs ?? 0) > builtMs)
}

const statOf = (checkout, path) => statSync(join(checkout, path), { throwIfNoEntry: false })

const filesIn = (checkout, folder) =>
  statOf(checkout, folder)?.isDirectory()
    ? readdirSync(join(checkout, folder), { recursive: true }).map((file) => `${folder}/${file}`)
    : []
