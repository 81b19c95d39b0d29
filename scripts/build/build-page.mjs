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
  const { outputs } = page.metafile
  const first = importedBy('src/web/index.ts', outputs)
  const views = importedBy('src/web/views/rare-views.ts', outputs)
  const [style] = importedBy('src/web/style.css', outputs)
  writeFileSync(join(folder, 'index.html'), indexOf(readFileSync(join(from, 'index.html'), 'utf8'), first, style))
  for (const name of readdirSync(join(from, 'public'))) copyFileSync(join(from, 'public', name), join(folder, name))
  const shell = [...new Set([...first, ...views, style])].map((name) => `/page/${name}`)
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

/** The names of an entry's script and of everything that it imports, except what it imports on demand. */
function importedBy(entry, outputs) {
  const found = [Object.keys(outputs).find((file) => outputs[file].entryPoint === entry)]
  for (const file of found) {
    for (const { path, kind } of outputs[file].imports) {
      if (kind === 'import-statement' && !found.includes(path)) found.push(path)
    }
  }
  return found.map((file) => basename(file))
}

/** index.html with the hashed names of its script and style; it preloads what the script imports. */
function indexOf(text, [script, ...imports], style) {
  const preloads = imports.map((name) => `<link rel="modulepreload" href="/page/${name}">`)
  return text
    .replace('/page.js', `/page/${script}`)
    .replace('/style.css', `/page/${style}`)
    .replace('<!-- preloads -->', preloads.join(''))
    .replace(/\n\s*/g, '\n')
}
