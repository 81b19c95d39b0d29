import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

const shared = {
  bundle: true,
  platform: 'browser',
  target: ['es2022', 'chrome123', 'firefox128', 'safari17.5'],
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
}

/** The scripts that the page loads only when somebody opens a terminal or asks for a QR code. */
const onDemand = /^(terminal-screen|qr-code)\./

/**
 * Writes the page into `folder`: index.html, sw.js, the files of src/web/public, and scripts and a style with a content hash in their names.
 * Resolves with esbuild's results.
 */
export async function buildPage(root, folder) {
  const from = join(root, 'src/web')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const page = await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: { page: 'src/web/index.ts', style: 'src/web/style.css' },
    entryNames: '[name].[hash]',
    chunkNames: '[name].[hash]',
    format: 'esm',
    splitting: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: folder,
  })
  const hashed = readdirSync(folder)
  writeFileSync(
    join(folder, 'index.html'),
    indexOf(readFileSync(join(from, 'index.html'), 'utf8'), page.metafile.outputs),
  )
  for (const name of readdirSync(join(from, 'public'))) copyFileSync(join(from, 'public', name), join(folder, name))
  const shell = hashed.filter((name) => !onDemand.test(name)).map((name) => `/page/${name}`)
  const worker = await build({
    ...shared,
    absWorkingDir: root,
    entryPoints: { sw: 'src/web/worker/sw.ts' },
    format: 'iife',
    define: { SHELL: JSON.stringify(['/', '/icon.svg', ...shell]) },
    outdir: folder,
  })
  return [page, worker]
}

/** index.html with the hashed names of its script and style; it preloads what the script imports. */
function indexOf(text, outputs) {
  const nameOf = (entry) => Object.keys(outputs).find((file) => outputs[file].entryPoint === entry)
  const script = nameOf('src/web/index.ts')
  const imports = outputs[script].imports.filter(({ kind }) => kind === 'import-statement')
  const preloads = imports.map(({ path }) => `<link rel="modulepreload" href="/page/${basename(path)}">`)
  return text
    .replace('/page.js', `/page/${basename(script)}`)
    .replace('/style.css', `/page/${basename(nameOf('src/web/style.css'))}`)
    .replace('<!-- preloads -->', preloads.join(''))
    .replace(/\n\s*/g, '\n')
}
