/**
 * Writes dist/: the command line in parts that are loaded on demand, the page, and the typed client for Node and for browsers, with its
 * declarations.
 *
 *     node scripts/build/build.mjs [--maps]       --maps: with source maps and not minified, for coverage
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildPage } from './build-page.mjs'
import { compileAtOnce } from './compile-at-once.mjs'
import { launcherSource } from '../../src/server/spawn/launcher-build.mjs'
import { writeClientTypes } from './client-types.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')
// coverage needs maps and unminified text
const withMaps = process.argv.includes('--maps')
const shared = {
  absWorkingDir: root,
  bundle: true,
  sourcemap: withMaps && 'linked',
  format: 'esm',
  minifyWhitespace: !withMaps,
  minifySyntax: !withMaps,
  minifyIdentifiers: !withMaps,
  logLevel: 'warning',
  metafile: true,
}
const require =
  "import { createRequire as __shellphoneRequire } from 'node:module'; const require = __shellphoneRequire(import.meta.url);"
const node = { ...shared, platform: 'node', target: 'node20', outdir: dist, banner: { js: require } }

/** The parts that the command line loads on demand: name in dist/ → modules. Some modules share a file, because otherwise the package would contain many small files. */
const late = {
  commands: ['src/cli/commands/index.ts'],
  serve: ['src/cli/serve/index.ts'],
  settings: ['src/server/settings.ts'],
  own: [
    'src/cli/local/index.ts',
    'src/cli/setup/index.ts',
    'src/server/access/index.ts',
    'src/server/doctor/index.ts',
    'src/server/doctor-world.ts',
  ],
  fleet: ['src/fleet/phone/index.ts'],
  plane: ['src/fleet/plane/index.ts', 'src/cli/fleet/index.ts'],
}

/** Replaces `import('../serve/index.ts')` by an import of the file in dist/, instead of bundling it. */
const lateImports = {
  name: 'late imports',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import') return null
      const wanted = join(resolveDir, path)
      const [name] = Object.entries(late).find(([, files]) => files.some((file) => join(root, file) === wanted)) ?? []
      return name === undefined ? null : { path: `./${name}.js`, external: true }
    })
  },
}

/** Each entry exports everything that its modules export. */
const entries = {
  name: 'entries',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'entry' }))
    onLoad({ filter: /./, namespace: 'entry' }, ({ path }) => ({
      contents: late[path].map((file) => `export * from './${file}'`).join('\n'),
      resolveDir: root,
    }))
  },
}
/** Lets `re2` (src/shared/package) load a file of dist/ instead of the package, which is not installed with dist/. */
const lateRe2 = {
  name: 'late re2',
  setup({ onLoad }) {
    onLoad({ filter: /\/shared\/package\/re2\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("load('re2js')", "load('./re2js.cjs')"),
      loader: 'ts',
    }))
  },
}
/** Lets Fastify, which loads light-my-request when `inject` is first called, load a file of dist/ instead of the package. */
const lateInject = {
  name: 'late inject',
  setup({ onResolve }) {
    onResolve({ filter: /^light-my-request$/ }, () => ({ path: './light-my-request.cjs', external: true }))
  },
}
const entryPoints = (...names) => Object.fromEntries(names.map((name) => [name, `entry:${name}`]))

/** What stands for the checks among the packages that are left out: they always pass. */
const checks = { semver: 'exports.satisfies = () => true', 'safe-regex2': 'module.exports = () => true' }

/**
 * Packages that Fastify, its plugin and pino load but our apps never use: schema compilers (the apps have their own), proxy headers, streams for
 * injectWS, a check that plugin and Fastify versions match, which the tests cover, a check of regular expressions in the paths of routes,
 * which have none, logging in another thread, and HTTP/2.
 */
const unused = {
  name: 'unused',
  setup({ onResolve, onLoad }) {
    const filter =
      /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler|proxy-addr)|duplexify|safe-regex2|semver|thread-stream|node:http2)$/
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /./, namespace: 'unused' }, ({ path }) => ({
      contents:
        checks[path] ??
        `const missing = function () { throw new Error('${path} is not in dist/') }
         module.exports = ${/compiler$/.test(path) ? '() => missing' : 'missing'}`,
    }))
  },
}

/** Of files that share esbuild's `__require`, only the one that defines it needs the banner, which takes 0.25 ms of the start. */
function dropUnusedRequire(file) {
  const text = readFileSync(file, 'utf8')
  if (!text.includes('typeof require')) writeFileSync(file, text.replace(`${require}\n`, ''))
}

mkdirSync(dist, { recursive: true })
for (const name of readdirSync(dist)) if (/\.(c?js|js\.map|d\.ts)$/.test(name)) rmSync(join(dist, name))
const results = await Promise.all([
  build({ ...node, entryPoints: ['src/main.ts'], plugins: [lateImports] }),
  build({ ...node, entryPoints: entryPoints('commands'), plugins: [entries] }),
  build({
    ...node,
    entryPoints: { 'client-node': 'src/sdk/client-node.ts', archives: 'src/cli/commands/tar-archives.ts' },
  }),
  build({
    ...node,
    entryPoints: entryPoints('serve', 'settings', 'own', 'fleet', 'plane'),
    plugins: [lateImports, entries, unused, lateRe2, lateInject],
    splitting: true,
  }),
  build({
    ...shared,
    platform: 'neutral',
    target: 'es2022',
    entryPoints: { client: 'src/sdk/index.ts' },
    outdir: dist,
  }),
  build({
    ...shared,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    entryPoints: { re2js: 're2js', 'light-my-request': 'light-my-request' },
    outdir: dist,
    outExtension: { '.js': '.cjs' },
  }),
  buildPage(root, join(dist, 'page')),
])
if (!withMaps) {
  for (const name of readdirSync(dist).filter((name) => name.endsWith('.js'))) {
    dropUnusedRequire(join(dist, name))
    compileAtOnce(join(dist, name))
  }
}
writeClientTypes(root, join(dist, 'client.d.ts'))
writeFileSync(
  join(dist, 'archives.d.ts'),
  "import type { Archives } from './client.js'\nexport declare const archives: Archives\n",
)
writeFileSync(join(dist, 'launcher.c'), launcherSource())
// what each file contains, for the licences and the inventory of a release; not in the package
const outputs = Object.assign({}, ...results.flat().map(({ metafile }) => metafile.outputs))
writeFileSync(join(dist, 'metafile.json'), JSON.stringify({ outputs }))
