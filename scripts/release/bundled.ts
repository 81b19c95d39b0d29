import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { launcherLibraries } from '../build/prebuild-launcher.mjs'
import { authorOf, type PackageJson } from './package-json.ts'

/** A package whose code a release contains. */
export interface Bundled {
  name: string
  version: string
  /** an SPDX expression */
  license: string
  licenseText: string
  /** package URL (purl) */
  purl: string
  /** Whether our own code uses it, not only another package. */
  isDirect: boolean
  /** the purls of the bundled packages on which it depends */
  dependencies: string[]
  /** sha512 of the npm package, in hexadecimal */
  sha512?: string
}

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
}

/** Licences of packages that state their licence only in package.json. `@AUTHOR@`: the package's author. */
const standardLicenses: Record<string, string> = {
  MIT: `MIT License

Copyright (c) @AUTHOR@

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the
following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`,
}

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

/** The directories of the npm packages of which dist/ contains code, according to esbuild's metafile, which the build writes. Sorted. */
function bundledFolders(root: string): string[] {
  const { outputs } = readJson(join(root, 'dist/metafile.json')) as Metafile
  const folders = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => {
      const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
      return folder === undefined || bytesInOutput === 0 ? [] : [folder]
    }),
  )
  return [...new Set(folders)].sort()
}

/** All code of others in a release: the npm packages in dist/ and, if it contains launchers, their libraries. */
export function bundledCode(root: string, hasLaunchers: boolean): Bundled[] {
  const libraries = hasLaunchers ? launcherLibraries() : []
  return [...bundledPackages(root), ...libraries.map((library) => ({ ...library, isDirect: true, dependencies: [] }))]
}

/** The npm packages in dist/. Throws if the licence of one is unknown. */
function bundledPackages(root: string): Bundled[] {
  const lock = readJson(join(root, 'package-lock.json')) as { packages: Record<string, { integrity?: string }> }
  const direct = (readJson(join(root, 'package.json')) as PackageJson).dependencies ?? {}
  const folders = bundledFolders(root)
  const read = (folder: string) => readJson(join(root, folder, 'package.json')) as PackageJson
  return folders.map((folder) => {
    const own = read(folder)
    const [algorithm, digest] = lock.packages[folder]?.integrity?.split(/-(.*)/s) ?? []
    const needed = Object.keys(own.dependencies ?? {}).flatMap((name) => {
      const found = [`${folder}/node_modules/${name}`, `node_modules/${name}`].find((path) => folders.includes(path))
      return found === undefined ? [] : [purlOf(read(found))]
    })
    return {
      name: own.name,
      version: own.version,
      license: String(own.license),
      licenseText: licenseOf(join(root, folder), own),
      purl: purlOf(own),
      isDirect: folder === `node_modules/${own.name}` && own.name in direct,
      dependencies: needed.sort(),
      ...(algorithm === 'sha512' && { sha512: Buffer.from(digest!, 'base64').toString('hex') }),
    }
  })
}

const purlOf = ({ name, version }: PackageJson) => `pkg:npm/${name.replace('@', '%40')}@${version}`

function licenseOf(folder: string, own: PackageJson): string {
  const { name, license } = own
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  if (files.length > 0)
    return files
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
  const text = standardLicenses[String(license)]
  if (text === undefined) {
    throw new Error(
      `${name}: expected a licence file or one of ${Object.keys(standardLicenses).join(', ')}, got ${license}`,
    )
  }
  return text.replace('@AUTHOR@', authorOf(own) ?? `the authors of ${name}`)
}

/** THIRD-PARTY-NOTICES: every package with its licence. */
export function noticesText(packages: readonly Bundled[]): string {
  const rule = '-'.repeat(80)
  const parts = packages.map(({ name, version, license, licenseText }) => {
    return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${licenseText.replaceAll('\r\n', '\n').trim()}\n`
  })
  return `Shellphone contains code of the packages below, under these licences.\n\n${parts.join('\n')}`
}

/** The inventory (SBOM) in CycloneDX 1.6. Its serial number is derived from its content. */
export function sbomText(own: PackageJson, packages: readonly Bundled[], epochSeconds: number): string {
  const root = purlOf(own)
  const components = packages.map(({ name, version, license, purl, sha512 }) => {
    const [, group, short] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [null, null, name]
    const isExpression = / (WITH|OR|AND) /.test(license)
    return {
      type: 'library',
      'bom-ref': purl,
      ...(group && { group }),
      name: short,
      version,
      licenses: [isExpression ? { expression: license } : { license: { id: license } }],
      purl,
      ...(sha512 && { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    }
  })
  const direct = packages.filter(({ isDirect }) => isDirect)
  const edges = packages.map(({ purl, dependencies }) => ({ ref: purl, dependsOn: dependencies }))
  const body = {
    metadata: {
      timestamp: new Date(epochSeconds * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: own.name,
        version: own.version,
        purl: root,
        licenses: [{ license: { id: own.license } }],
      },
    },
    components,
    dependencies: [{ ref: root, dependsOn: direct.map(({ purl }) => purl) }, ...edges],
  }
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const variant = ((Number.parseInt(hash[16]!, 16) & 3) | 8).toString(16)
  const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${uuid}`, version: 1 }
  return `${JSON.stringify({ ...head, ...body }, null, 2)}\n`
}
