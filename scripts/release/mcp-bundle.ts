import { type ReleaseFile, zip } from './archives.ts'
import { authorOf, type PackageJson, repositoryOf } from './package-json.ts'

const text = (path: string, content: object): ReleaseFile => ({
  path,
  bytes: Buffer.from(`${JSON.stringify(content, null, 2)}\n`),
  mode: 0o644,
})

/** The MCP bundle (MCPB): the npm package with a manifest, which MCP clients install from one file. */
export function mcpBundle(own: PackageJson, files: readonly ReleaseFile[], epochSeconds: number): Buffer {
  const manifest = {
    manifest_version: '0.3',
    name: own.name,
    display_name: 'Shellphone',
    version: own.version,
    description: own.description,
    author: { name: authorOf(own)!.replace(/ <.*/, '') },
    repository: { type: 'git', url: repositoryOf(own) },
    homepage: own.homepage,
    license: own.license,
    keywords: own.keywords,
    server: {
      type: 'node',
      entry_point: 'dist/main.js',
      mcp_config: { command: 'node', args: ['${__dirname}/dist/main.js', 'mcp'] },
    },
    tools_generated: true,
    compatibility: { platforms: ['linux'], runtimes: { node: '>=20.15' } },
  }
  return zip([...files, text('manifest.json', manifest)], epochSeconds)
}

/** server.json for the MCP registry. `sha256`: of the bundle, whose file is called `bundleName`. */
export function serverJson(own: PackageJson, bundleName: string, sha256: string): Buffer {
  const repository = repositoryOf(own)
  const transport = { type: 'stdio' }
  return text('server.json', {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: own.mcpName,
    title: 'Shellphone',
    description: own.description,
    repository: { url: repository, source: 'github' },
    version: own.version,
    packages: [
      {
        registryType: 'npm',
        identifier: own.name,
        version: own.version,
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        transport,
      },
      {
        registryType: 'mcpb',
        identifier: `${repository}/releases/download/v${own.version}/${bundleName}`,
        fileSha256: sha256,
        transport,
      },
    ],
  }).bytes
}
