import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** What the build reads. A removed file changes the time of its folder. */
const sources = ['src', 'scripts/build', 'package.json', 'package-lock.json', 'tsconfig.json']

/** The first source in `checkout` that is newer than dist/, whose last file is metafile.json; undefined: dist/ is up to date. */
export function newerSource(checkout) {
  const builtMs = statSync(join(checkout, 'dist/metafile.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources
    .flatMap((path) => [path, ...filesIn(checkout, path)])
    .filter((path) => !path.endsWith('.md') && existsSync(join(checkout, path)))
    .find((path) => statSync(join(checkout, path)).mtimeMs > builtMs)
}

const filesIn = (checkout, folder) =>
  statSync(join(checkout, folder), { throwIfNoEntry: false })?.isDirectory()
    ? readdirSync(join(checkout, folder), { recursive: true }).map((file) => `${folder}/${file}`)
    : []
