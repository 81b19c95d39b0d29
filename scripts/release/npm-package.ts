import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzip, type ReleaseFile, tar } from './archives.ts'
import { type Bundled, noticesText } from './bundled.ts'

/** npm's own modification time for every file of a package, which avoids dates that archive formats cannot store. */
const NPM_SECONDS = 499_162_500

const FILE_MODE = 0o644
const PROGRAM_MODE = 0o755

/** The launchers that prebuild-launcher.mjs has written to dist/. */
export const launchersIn = (root: string): ReleaseFile[] =>
  readdirSync(join(root, 'dist'))
    .filter((name) => name.startsWith('launcher-'))
    .map((name) => ({ path: `dist/${name}`, bytes: readFileSync(join(root, 'dist', name)), mode: PROGRAM_MODE }))

/**
 * The files of the npm package, as listed in package.json, with `launchers` in dist/ and the licences of the bundled packages. dist/ bundles every
 * dependency, so the packed package.json lists none, and npm on a phone resolves nothing.
 */
export function packageFiles(
  root: string,
  launchers: readonly ReleaseFile[],
  bundled: readonly Bundled[],
): ReleaseFile[] {
  const listed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--dry-run'], {
    cwd: root,
    encoding: 'utf8',
  })
  const [{ files }] = JSON.parse(listed) as [{ files: { path: string }[] }]
  const own = files
    .filter(({ path }) => path !== 'package.json' && !path.startsWith('dist/launcher-'))
    .map(({ path }) => {
      const file = join(root, path)
      const isProgram = (statSync(file).mode & 0o100) !== 0
      return { path, bytes: readFileSync(file), mode: isProgram ? PROGRAM_MODE : FILE_MODE }
    })
  return [
    ...own,
    ...launchers,
    { path: 'THIRD-PARTY-NOTICES', bytes: Buffer.from(noticesText(bundled)), mode: FILE_MODE },
    { path: 'package.json', bytes: packedJson(root), mode: FILE_MODE },
  ]
}

function packedJson(root: string): Buffer {
  const { dependencies, devDependencies, overrides, scripts, ...rest } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  return Buffer.from(`${JSON.stringify(rest, null, 2)}\n`)
}

export const npmTarball = (files: readonly ReleaseFile[]): Buffer =>
  gzip(tar(files, NPM_SECONDS, 'package/', { directories: false }))
