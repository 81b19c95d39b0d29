/**
 * Writes dist/: the command line in parts that load what they need, the page, the typed client for Node and for browsers, and its
 * declarations.
 *
 *     node scripts/build.mjs
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildPage } from './build-page.mjs'
import { writeClientTypes } from './client-types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const shared = { absWorkingDir: root, bundle: true, format: 'esm', minifyWhitespace: true, logLevel: 'warning' }
const require =
  "import { createRequire as __shellphoneRequire } from 'node:module'; const require = __shellphoneRequire(import.meta.url);"
const node = { ...shared, platform: 'node', target: 'node20', outdir: dist, banner: { js: require } }

/** What the command line loads when it is asked for: each is an entry of its own, by its name in dist/. */
const late = {
  commands: 'src/client/index.ts',
  serve: 'src/serve.ts',
  settings: 'src/settings.ts',
  'show-config': 'src/show-config.ts',
  'run-doctor': 'src/run-doctor.ts',
  'run-setup': 'src/run-setup.ts',
  setup: 'src/setup/index.ts',
  access: 'src/access/index.ts',
  fleet: 'src/fleet/index.ts',
  plane: 'src/plane/index.ts',
  'serve-plane': 'src/serve-plane.ts',
  'init-fleet': 'src/init-fleet.ts',
  'revoke-phone': 'src/revoke-phone.ts',
  'doctor-fleet': 'src/doctor-fleet.ts',
}

/** `import('./serve.ts')` of the entry stays one, of the file in dist/: nothing of it is in the entry. */
const lateImports = {
  name: 'late imports',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return null
      const [name] = Object.entries(late).find(([, file]) => join(root, file) === join(resolveDir, path)) ?? []
      return name === undefined ? null : { path: `./${name}.js`, external: true }
    })
  },
}

mkdirSync(dist, { recursive: true })
for (const name of readdirSync(dist)) if (/\.(js|d\.ts)$/.test(name)) rmSync(join(dist, name))
const { commands, ...heavy } = late
await Promise.all([
  build({ ...node, entryPoints: ['src/main.ts'], plugins: [lateImports] }),
  build({ ...node, entryPoints: { commands } }),
  build({ ...node, entryPoints: { 'client-node': 'src/client-node.ts' } }),
  build({ ...node, entryPoints: heavy, splitting: true }),
  build({
    ...shared,
    platform: 'neutral',
    target: 'es2022',
    entryPoints: { client: 'src/sdk/index.ts' },
    outdir: dist,
  }),
  buildPage(root, join(dist, 'page')),
])
writeClientTypes(root, join(dist, 'client.d.ts'))
