import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
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
    plugins: [oneChunk(join(from, 'index.ts'))],
    outdir: folder,
  })
  const { outputs } = page.metafile
  const script = onlyScript(outputs, folder)
  const views = importedBy('src/web/views/rare-views.ts', outputs)
  const [style] = importedBy('src/web/style.css', outputs)
  writeFileSync(join(folder, 'index.html'), indexOf(readFileSync(join(from, 'index.html'), 'utf8'), script, style))
  for (const name of readdirSync(join(from, 'public'))) copyFileSync(join(from, 'public', name), join(folder, name))
  const shell = [...new Set([script, ...views, style])].map((name) => `/page/${name}`)
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

/** index.html with the hashed names of its script and style. */
const indexOf = (text, script, style) =>
  text.replace('/page.js', `/page/${script}`).replace('/style.css', `/page/${style}`).replace(/\n\s*/g, '\n')

/**
 * Lets every part that loads on demand import the entry, too. esbuild makes a shared chunk for each set of entry points that share modules:
 * all modules of the first view are thus in one chunk, which the parts import, and the entry only imports it.
 */
function oneChunk(entry) {
  const onDemand = new Set()
  return {
    name: 'one chunk',
    setup({ onLoad, onResolve, resolve }) {
      onResolve({ filter: /./ }, async ({ path, pluginData, ...from }) => {
        if (from.kind !== 'dynamic-import' || pluginData === onDemand) return null
        const found = await resolve(path, { ...from, pluginData: onDemand })
        onDemand.add(found.path)
        return found
      })
      onLoad({ filter: /./ }, ({ path }) =>
        onDemand.has(path)
          ? {
              contents: `${readFileSync(path, 'utf8')}\nimport ${JSON.stringify(entry)}`,
              loader: extname(path).slice(1),
            }
          : null,
      )
    },
  }
}

/** The name of the chunk with everything that the first view needs. Removes the entry's own file, which only imports it. */
function onlyScript(outputs, folder) {
  const [entry, script, ...others] = importedBy('src/web/index.ts', outputs)
  const own = Object.keys(outputs).find((file) => basename(file) === entry)
  if (!script || others.length > 0 || Object.keys(outputs[own].inputs).length > 0) {
    throw new Error(`the first view needs one script, but esbuild made ${[entry, script, ...others].join(', ')}`)
  }
  delete outputs[own]
  rmSync(join(folder, entry))
  return script
}
