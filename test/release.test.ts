import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type ReleaseFile, zip } from '../scripts/release/archives.ts'
import { manPagesOf } from '../scripts/release/build-release.ts'
import { bundledCode, noticesText, sbomText } from '../scripts/release/bundled.ts'
import { debianPackage, termuxPackage } from '../scripts/release/debian.ts'
import { mcpBundle, serverJson } from '../scripts/release/mcp-bundle.ts'
import { npmTarball, packageFiles } from '../scripts/release/npm-package.ts'
import { readPackageJson } from '../scripts/release/package-json.ts'
import { checkTag, releaseNotes } from '../scripts/release/release-notes.ts'
import { setRepository } from '../scripts/release/set-repository.ts'
import { root } from './support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-release-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const own = readPackageJson(root)
const EPOCH_SECONDS = 1_700_000_000
const bundled = bundledCode(root, false)
const launcher = (arch: string): ReleaseFile => ({
  path: `dist/launcher-${arch}`,
  bytes: Buffer.from(arch),
  mode: 0o755,
})
const files = packageFiles(root, [launcher('x64'), launcher('arm64')], bundled)
const processor = { arch: 'x64', debian: 'amd64', termux: 'x86_64' }
const input = {
  own,
  files,
  manPages: manPagesOf(root),
  completions: { bash: 'bash', zsh: 'zsh', fish: 'fish' },
  license: readFileSync(join(root, 'LICENSE'), 'utf8'),
  epochSeconds: EPOCH_SECONDS,
}
const save = (name: string, bytes: Buffer) => {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

interface Metafile {
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
}
const readMetafile = () => JSON.parse(readFileSync(join(root, 'dist/metafile.json'), 'utf8')) as Metafile

t.test('what every command loads first is without the schemas, which take time', async (t) => {
  const [, first] = Object.entries(readMetafile().outputs).find(([path]) => path.endsWith('dist/main.js'))!
  const schemas = Object.entries(first.inputs).filter(
    ([path, { bytesInOutput }]) => path.includes('@sinclair/typebox') && bytesInOutput > 500,
  )
  t.same(schemas, [])
})

t.test('every package in esbuild’s metafile is in the notices and in the inventory, and no other', async (t) => {
  const { outputs } = readMetafile()
  const inputs = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs))
  const used = inputs.filter(([path, { bytesInOutput }]) => path.includes('node_modules/') && bytesInOutput > 0)
  const wanted = new Set<string>()
  for (const [path] of used) {
    let at = join(root, path, '..')
    while (!existsSync(join(at, 'package.json')) || !/node_modules\/(@[^/]+\/)?[^/]+$/.test(at)) at = join(at, '..')
    const { name, version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
    wanted.add(`${name} ${version}`)
  }
  t.ok(wanted.size > 50, `${wanted.size} packages`)
  const notices = noticesText(bundled)
  const named = [...notices.matchAll(/^-{80}\n(\S+ \S+) \(.+\)\n-{80}\n\n/gm)].map(([, name]) => name)
  t.same(named.sort(), [...wanted].sort(), 'the notices')
  const sbom = JSON.parse(sbomText(own, bundled, EPOCH_SECONDS)) as {
    components: { group?: string; name: string; version: string; 'bom-ref': string }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const listed = sbom.components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`)
  t.same(listed.sort(), [...wanted].sort(), 'the inventory')
  const refs = new Set(sbom.components.map((one) => one['bom-ref']))
  t.same(
    sbom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref)),
    [],
    'no dangling dependency',
  )
  for (const { name, licenseText, sha512 } of bundled) {
    t.match(licenseText, /permission|redistribution|apache license|public domain/i, `${name}: a licence`)
    t.match(sha512, /^[0-9a-f]{128}$/, `${name}: a checksum`)
  }
})

/** The calls of systemctl that change something, by a maintainer script. Users 1000 and 1001 have a systemd, but only 1000 runs this package. */
function callsOf(unpacked: string, script: string, ...operands: string[]): string[] {
  const bin = join(folder, 'bin')
  const log = join(folder, 'calls.log')
  mkdirSync(bin, { recursive: true })
  writeFileSync(log, '')
  const lines = [
    '#!/bin/sh',
    'case "$*" in',
    "  *list-units*) echo 'user@1000.service loaded active running'; echo 'user@1001.service loaded active running' ;;",
    '  *1000@*show*) echo "{ path=/usr/bin/node ; argv[]=/usr/bin/node /usr/lib/shellphone/dist/main.js serve }" ;;',
    '  *1001@*show*) echo "{ path=/usr/bin/node ; argv[]=/usr/bin/node /home/u/.local/share/shellphone/current/dist/main.js serve }" ;;',
    `  *) echo "$*" >>'${log}' ;;`,
    'esac',
  ]
  writeFileSync(join(bin, 'systemctl'), `${lines.join('\n')}\n`, { mode: 0o755 })
  const text = readFileSync(join(unpacked, 'DEBIAN', script), 'utf8').replace('[ -d /run/systemd/system ]', 'true')
  const env = { PATH: `${bin}:${process.env.PATH}` }
  execFileSync('sh', ['-c', text, script, ...operands], { env })
  return readFileSync(log, 'utf8').split('\n').filter(Boolean)
}

t.test('every artifact contains the notices', async (t) => {
  const notices = files.find(({ path }) => path === 'THIRD-PARTY-NOTICES')!.bytes
  const tgz = save('a.tgz', npmTarball(files))
  t.ok(execFileSync('tar', ['-xzOf', tgz, 'package/THIRD-PARTY-NOTICES']).equals(notices), 'npm')
  if (spawnSync('dpkg-deb', ['--version']).status !== 0) return t.pass('deb', { skip: 'needs dpkg-deb' })
  for (const [name, bytes, prefix] of [
    ['linux.deb', debianPackage(input, processor), 'usr'],
    ['termux.deb', termuxPackage(input, processor), 'data/data/com.termux/files/usr'],
  ] as const) {
    const into = join(folder, `${name}.d`)
    execFileSync('dpkg-deb', ['-R', save(name, bytes), into])
    const tree = join(into, prefix, 'lib/shellphone')
    t.ok(readFileSync(join(tree, 'THIRD-PARTY-NOTICES')).equals(notices), name)
    t.ok(existsSync(join(tree, 'dist/launcher-x64')), `${name}: its launcher`)
    t.notOk(existsSync(join(tree, 'dist/launcher-arm64')), `${name}: no launcher for another processor`)
    const pages = readdirSync(join(into, prefix, 'share/man/man1')).map((file) => file.replace(/\.gz$/, ''))
    t.same(pages.sort(), Object.keys(input.manPages).sort(), `${name}: every manual page to which others refer`)
    execFileSync('sh', ['-c', 'md5sum --quiet -c DEBIAN/md5sums'], { cwd: into })
    for (const script of ['preinst', 'postinst', 'prerm', 'postrm'].filter((one) =>
      existsSync(join(into, 'DEBIAN', one)),
    )) {
      t.equal(spawnSync('sh', ['-n', join(into, 'DEBIAN', script)]).status, 0, `${name}: ${script}`)
    }
    if (name !== 'linux.deb') continue
    t.same(callsOf(into, 'postinst', 'configure', ''), [], 'a first installation starts nothing')
    const reload = `--user --machine=1000@ --quiet daemon-reload`
    t.same(callsOf(into, 'postinst', 'configure', '0.1.0'), [
      reload,
      '--user --machine=1000@ --quiet try-restart shellphone.service',
    ])
    t.same(callsOf(into, 'prerm', 'upgrade', '0.1.1'), [])
    t.same(callsOf(into, 'prerm', 'remove'), ['--user --machine=1000@ --quiet stop shellphone.service'])
    t.same(callsOf(into, 'postrm', 'purge'), [])
  }
})

t.test('the MCP bundle is a zip archive, and server.json names its checksum', async (t) => {
  const bundle = mcpBundle(own, files, EPOCH_SECONDS)
  t.ok(mcpBundle(own, [...files].reverse(), EPOCH_SECONDS).equals(bundle), 'the order of the files does not matter')
  const read =
    'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(*z.namelist(),sep="\\n");print(z.read("manifest.json").decode())'
  const ran = spawnSync('python3', ['-c', read, save('a.mcpb', bundle)], { encoding: 'utf8' })
  if (ran.error) return t.pass('unpacked', { skip: 'needs python3' })
  t.equal(ran.status, 0, ran.stderr)
  t.match(ran.stdout, /^THIRD-PARTY-NOTICES$/m)
  t.match(ran.stdout, /"entry_point": "dist\/main.js"/)
  const server = JSON.parse(serverJson(own, 'a.mcpb', 'f'.repeat(64)).toString())
  t.ok(server.description.length <= 100, 'the registry allows 100 characters')
  t.match(server, {
    name: own.mcpName,
    packages: [{ registryType: 'npm' }, { fileSha256: 'f'.repeat(64), identifier: /\/a\.mcpb$/ }],
  })
})

t.test('a file’s time before 1980 is 1980 in a zip archive', async (t) => {
  t.equal(zip([{ path: 'a', bytes: Buffer.from('a'), mode: 0o644 }], 0).readUInt16LE(12), (1 << 5) | 1)
})

t.test(
  'the manual page names every subcommand, which has its own page, and no page has a line that roff would misread',
  async (t) => {
    for (const name of ['serve', 'run', 'pair', 'fleet', 'setup', 'completion']) {
      t.match(input.manPages['shellphone.1'], new RegExp(`^\\.B ${name}\\b`, 'm'), name)
      t.match(input.manPages[`shellphone-${name}.1`], new RegExp(`^\\.SH NAME\nshellphone\\\\-${name} `, 'm'), name)
    }
    for (const [file, page] of Object.entries(input.manPages)) {
      const requests = page
        .split('\n')
        .filter((line) => line.startsWith('.') && !/^\.(TH|SH|SS|TP|B|RS|RE|P|nf|fi)( |$)/.test(line))
      t.same(requests, [], file)
    }
  },
)

t.test('set-repository writes the address wherever the old one is', async (t) => {
  const copy = join(folder, 'clone')
  mkdirSync(copy)
  const listed = execFileSync('git', ['ls-files', '*.md', '*.yml', '*.yaml', 'package.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of listed.trim().split('\n')) cpSync(join(root, file), join(copy, file))
  execFileSync('git', ['init', '-q'], { cwd: copy })
  execFileSync('git', ['add', '-A'], { cwd: copy })
  const placeholder = /repository\.invalid|THIS-REPOSITORY|YOUR-REPOSITORY/
  const named = () =>
    spawnSync('git', ['grep', '-lE', placeholder.source], { cwd: copy, encoding: 'utf8' }).stdout.trim()
  t.match(
    named().split('\n'),
    ['.github/SECURITY.md', 'README.md', 'package.json', 'termux/README.md'],
    'one address, in these files',
  )
  const bare = spawnSync('git', ['grep', '-nE', '[A-Z]+-REPOSITORY|example/shellphone|OWNER/shellphone', '*.md'], {
    cwd: copy,
    encoding: 'utf8',
  })
  t.equal(bare.stdout, '', 'no other placeholder')
  for (const [address, author, message] of [
    ['', undefined, /expected an address like https:\/\/github\.com\/OWNER\/NAME, got ""/],
    ['github.com/a/b', undefined, /got "github\.com\/a\/b"/],
    ['http://github.com/a/b', undefined, /expected an address like https/],
    ['https://github.com/a', undefined, /expected an address like/],
    ['https://git.example.org/a/b', undefined, /expected an author \('NAME <ADDRESS>'\), got nothing/],
    ['https://git.example.org/a/b', 'me', /expected an author like 'NAME <ADDRESS>', got "me"/],
  ] as const) {
    t.throws(() => setRepository(copy, address, author), message, address)
  }
  t.not(named(), '', 'wrong addresses change nothing')

  setRepository(copy, 'https://github.com/Someone/phone.git', undefined)
  t.equal(named(), '')
  t.match(readPackageJson(copy), {
    author: 'Shellphone maintainers <Someone@users.noreply.github.com>',
    homepage: 'https://github.com/Someone/phone#readme',
    repository: { url: 'git+https://github.com/Someone/phone.git' },
    bugs: { url: 'https://github.com/Someone/phone/issues' },
    mcpName: 'io.github.Someone/phone',
  })
  t.match(
    readFileSync(join(copy, 'README.md'), 'utf8'),
    'https://github.com/Someone/phone/releases/latest/download/install.sh',
  )
  t.same(setRepository(copy, 'https://github.com/Someone/phone', undefined), [], 'a second time, nothing changes')
  setRepository(copy, 'https://git.example.org/a/b', 'A <a@example.org>')
  t.match(readPackageJson(copy), {
    author: 'A <a@example.org>',
    mcpName: 'org.example.git.a/b',
    bugs: { url: 'https://git.example.org/a/b/issues' },
  })
})

t.test('a tag is checked against the version, the repository and the changelog', async (t) => {
  const copy = join(folder, 'tagged')
  mkdirSync(copy)
  const save = (url: string, changelog: string) => {
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ version: '1.2.3', repository: { url } }))
    writeFileSync(join(copy, 'CHANGELOG.md'), changelog)
  }
  const sections =
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n- It is new.\n\n## [1.2.2]\n\n- It is old.\n'
  save('git+https://github.com/a/b.git', sections)
  t.throws(() => checkTag(copy, 'v1.2.4'), /expected the tag v1\.2\.3, as in package\.json, got "v1\.2\.4"/)
  checkTag(copy, 'v1.2.3')
  t.equal(releaseNotes(copy), '- It is new.\n')
  save('git+https://github.com/a/b.git', sections.replace('[1.2.3]', '[1.2]'))
  t.throws(() => checkTag(copy, 'v1.2.3'), /CHANGELOG\.md: expected a section "## \[1\.2\.3\]", got none/)
  save('git+https://repository.invalid/a/b.git', sections)
  t.throws(() => checkTag(copy, 'v1.2.3'), /the repository is not set/)
})
