import { readFile } from 'node:fs/promises'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

/** `import.meta` of a compiled file still names its source: suites find their fixtures beside it. */
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

/** Bundles the suites (paths from `root`) into `folder`, what they share in common chunks; packages stay outside. */
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
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    // Node reads a map whole when it loads its file; the sources are on the disk
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [sourceUrls],
  })
}
