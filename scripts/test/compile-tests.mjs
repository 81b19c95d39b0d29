import { readFile } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** Makes `import.meta` of a compiled file point to its source, so that suites find their fixtures. */
const sourceUrls = {
  name: 'source urls',
  setup({ onLoad }) {
    onLoad({ filter: /\/(src|test|scripts)\/.*\.(m?js|tsx?)$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8')
      const url = JSON.stringify(pathToFileURL(path).href)
      const dirname = JSON.stringify(join(path, '..'))
      return {
        contents: contents.replaceAll('import.meta.url', url).replaceAll('import.meta.dirname', dirname),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }
    })
  },
}

/** Packages of many small files, which Node takes 0.1 s longer to load in each suite than one file. */
const BUNDLED = /^(tap$|@sinclair\/typebox(\/|$))/

/** Leaves the other packages outside the bundle. */
const packages = {
  name: 'packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
      const isOutside = kind !== 'entry-point' && !importer.includes('/node_modules/') && !BUNDLED.test(path)
      return isOutside ? { path, external: true } : undefined
    })
  },
}

const require =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

/** Bundles the suites (paths relative to `root`) into `folder`, with shared code in common chunks and without most packages. */
export async function compileTests(root, suites, folder) {
  rmSync(join(root, folder), { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: suites,
    outdir: folder,
    outbase: '.',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[hash]',
    bundle: true,
    splitting: true,
    banner: { js: require },
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    // omits the sources, which are on the disk, because Node reads the whole map with its file
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [sourceUrls, packages],
  })
}
