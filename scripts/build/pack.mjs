/**
 * Makes the npm package. dist/ bundles every dependency, so the packed package.json lists none and npm on a phone resolves nothing.
 *
 *     npm run pack [-- FOLDER]      FOLDER: the directory for the tarball (default: this clone); prints the tarball's path
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const destination = resolve(process.argv[2] ?? root)
const npm = (folder, ...args) =>
  JSON.parse(execFileSync('npm', ['pack', '--ignore-scripts', '--json', ...args], { cwd: folder, encoding: 'utf8' }))[0]

const folder = mkdtempSync(join(tmpdir(), 'shellphone-pack-'))
try {
  for (const { path } of npm(root, '--dry-run').files) cpSync(join(root, path), join(folder, path))
  const { dependencies, devDependencies, overrides, scripts, ...rest } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(rest, null, 2)}\n`)
  console.log(join(destination, npm(folder, '--pack-destination', destination).filename))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
