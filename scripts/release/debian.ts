import { createHash } from 'node:crypto'
import { unitText } from '../../src/cli/setup/systemd-unit.ts'
import { ar, gzip, type ReleaseFile, tar } from './archives.ts'
import { authorOf, type PackageJson, repositoryOf } from './package-json.ts'

/** What the packages of both systems contain. */
interface DebianInput {
  own: PackageJson
  /** the files of the npm package */
  files: readonly ReleaseFile[]
  /** the manual pages by the names of their files */
  manPages: Record<string, string>
  completions: { bash: string; zsh: string; fish: string }
  license: string
  epochSeconds: number
}

/** A processor: process.arch, which names the launcher, and its names in Debian and in Termux. */
interface Processor {
  arch: string
  debian: string
  termux: string
}

const TERMUX_PREFIX = 'data/data/com.termux/files/usr'
const NODE = '(>= 20.15)'
const LINE_WIDTH = 78
const BYTES_PER_KIB = 1024

const text = (path: string, content: string, mode = 0o644): ReleaseFile => ({ path, bytes: Buffer.from(content), mode })
const zipped = (path: string, content: string): ReleaseFile => ({
  path,
  bytes: gzip(Buffer.from(content)),
  mode: 0o644,
})

const manualIn = (folder: string, manPages: DebianInput['manPages']): ReleaseFile[] =>
  Object.entries(manPages).map(([name, page]) => zipped(`${folder}/${name}.gz`, page))

/** The files of the npm package for one processor, in `folder`. */
const treeIn = (folder: string, files: readonly ReleaseFile[], { arch }: Processor, without: RegExp): ReleaseFile[] =>
  files
    .filter(
      ({ path }) => !without.test(path) && (!path.startsWith('dist/launcher-') || path === `dist/launcher-${arch}`),
    )
    .map((file) => ({ ...file, path: `${folder}/${file.path}` }))

/** The package for Debian and its relatives: the program, a systemd user unit, which the user enables, manual pages and completions. */
export function debianPackage(input: DebianInput, processor: Processor): Buffer {
  const { own, files, manPages, completions, epochSeconds } = input
  const unit = unitText({ node: '/usr/bin/node', tree: '/usr/lib/shellphone' }, {}, false)
  const doc = 'usr/share/doc/shellphone'
  const changelog = files.find(({ path }) => path === 'CHANGELOG.md')!.bytes.toString()
  const data = [
    ...treeIn('usr/lib/shellphone', files, processor, /^(termux\/|LICENSE$|README\.md$|CHANGELOG\.md$)/),
    { path: 'usr/bin/shellphone', bytes: Buffer.alloc(0), mode: 0o777, target: '../lib/shellphone/dist/main.js' },
    text('usr/lib/systemd/user/shellphone.service', unit.replace(/^#.*\n/, '')),
    ...manualIn('usr/share/man/man1', manPages),
    text('usr/share/bash-completion/completions/shellphone', completions.bash),
    text('usr/share/zsh/vendor-completions/_shellphone', completions.zsh),
    text('usr/share/fish/vendor_completions.d/shellphone.fish', completions.fish),
    text(`${doc}/copyright`, copyrightText(input)),
    zipped(`${doc}/changelog.gz`, debianChangelog(own, epochSeconds)),
    zipped(`${doc}/CHANGELOG.md.gz`, changelog),
    text('usr/share/lintian/overrides/shellphone', lintianOverrides),
  ]
  return deb(data, controlText(own, processor.debian, `nodejs ${NODE}`, data), debianScripts, epochSeconds)
}

const lintianOverrides = `# static, so that it starts wherever Node does, and before any library is loaded
shellphone: statically-linked-binary
# deb-systemd-invoke of Debian 12 can neither reload the units of users nor leave a service alone that does not run
shellphone: maintainer-script-calls-systemctl
`

/** Calls systemctl for each user whose systemd is running and has loaded the unit of this package, not one of install.sh. */
const forEachUser = `#!/bin/sh
set -e
for_each_user() {
  [ -d /run/systemd/system ] || return 0
  for id in $(systemctl --no-legend list-units 'user@*.service' | sed -n 's/.*user@\\([0-9]*\\)\\.service.*/\\1/p'); do
    if systemctl --user --machine="$id@" show -P ExecStart shellphone.service 2>/dev/null | grep -q /usr/lib/shellphone/; then
      systemctl --user --machine="$id@" --quiet "$@" || true
    fi
  done
}
`

/** dpkg's maintainer scripts. A service that still ran the old version could not load the parts that it needs later. */
const debianScripts = {
  postinst: `${forEachUser}[ "$1" = configure ] && [ -n "$2" ] || exit 0
for_each_user daemon-reload
for_each_user try-restart shellphone.service
`,
  prerm: `${forEachUser}[ "$1" = remove ] || exit 0
for_each_user stop shellphone.service
`,
  postrm: `${forEachUser}[ "$1" = remove ] || exit 0
for_each_user daemon-reload
`,
}

/** The package for Termux. It runs setup when dpkg configures it, and undoes setup when dpkg removes it. */
export function termuxPackage(input: DebianInput, processor: Processor): Buffer {
  const { own, files, manPages, completions, epochSeconds } = input
  const share = `${TERMUX_PREFIX}/share`
  const data = [
    ...treeIn(`${TERMUX_PREFIX}/lib/shellphone`, files, processor, /^LICENSE$/),
    text(
      `${TERMUX_PREFIX}/bin/shellphone`,
      `#!/${TERMUX_PREFIX}/bin/sh\nexec /${TERMUX_PREFIX}/bin/node /${TERMUX_PREFIX}/lib/shellphone/dist/main.js "$@"\n`,
      0o755,
    ),
    ...manualIn(`${share}/man/man1`, manPages),
    text(`${share}/bash-completion/completions/shellphone`, completions.bash),
    text(`${share}/zsh/site-functions/_shellphone`, completions.zsh),
    text(`${share}/fish/vendor_completions.d/shellphone.fish`, completions.fish),
    text(`${share}/doc/shellphone/copyright`, copyrightText(input)),
  ]
  const node = ['nodejs-lts', 'nodejs'].map((name) => `${name} ${NODE}`).join(' | ')
  const depends = `${node}, termux-services, curl, coreutils, util-linux, procps`
  return deb(data, controlText(own, processor.termux, depends, data), termuxScripts, epochSeconds)
}

const shebang = `#!/${TERMUX_PREFIX}/bin/sh\nset -e\n`
const service = `/${TERMUX_PREFIX}/var/service/shellphone`
/** dpkg's maintainer scripts. A service that does not start must not leave dpkg with a package that is half installed. */
const termuxScripts = {
  preinst: `${shebang}if [ -e /${TERMUX_PREFIX}/opt/shellphone/current ]; then
  echo 'shellphone: install.sh has installed another copy; first run sh /${TERMUX_PREFIX}/opt/shellphone/current/termux/uninstall.sh' >&2
  exit 1
fi
`,
  postinst: `${shebang}[ "$1" = configure ] || exit 0
if [ -d ${service} ] && [ ! -e ${service}/down ]; then options=--upgrade; else options=--no-start; fi
shellphone setup --yes "$options" || echo 'shellphone: setup failed (see above); fix the problem and run shellphone setup' >&2
`,
  prerm: `${shebang}[ "$1" = remove ] || exit 0
shellphone setup --undo --yes || echo 'shellphone: the service could not be removed (see above)' >&2
`,
  postrm: `${shebang}[ "$1" = purge ] || exit 0
home=\${SHELLPHONE_HOME:-$HOME/.shellphone}
if [ -f "$home/owner.sha256" ] || [ -f "$home/token" ]; then rm -rf "$home"; fi
`,
}

function controlText(own: PackageJson, architecture: string, depends: string, data: readonly ReleaseFile[]): string {
  const bytes = data.reduce((sum, file) => sum + file.bytes.length, 0)
  const description = [
    'run shell commands on this machine for agents elsewhere',
    'Shellphone gives each command a deadline and an output limit, kills its whole process tree, and stores its output. It refuses dangerous ' +
      'commands, or holds them until a person approves them. Agents connect over HTTP, WebSocket or MCP.',
  ] as const
  return [
    `Package: ${own.name}`,
    `Version: ${own.version.replace('-', '~')}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${authorOf(own)}`,
    `Installed-Size: ${Math.ceil(bytes / BYTES_PER_KIB)}`,
    `Depends: ${depends}`,
    'Section: net',
    'Priority: optional',
    `Homepage: ${repositoryOf(own)}`,
    `Description: ${description[0]}`,
    ...wrapped(description[1]).map((line) => ` ${line}`),
    '',
  ].join('\n')
}

function wrapped(sentence: string): string[] {
  const lines = ['']
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1)!
    if (last.length + word.length >= LINE_WIDTH) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

const debianChangelog = (own: PackageJson, epochSeconds: number): string =>
  `${own.name} (${own.version.replace('-', '~')}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${authorOf(own)}  ${rfc2822(epochSeconds)}\n`

const rfc2822 = (seconds: number) => new Date(seconds * 1000).toUTCString().replace('GMT', '+0000')

function copyrightText({ own, license }: DebianInput): string {
  const [, holder] = /^Copyright \(c\) (.*)$/m.exec(license)!
  const body = license.slice(license.indexOf('Permission')).trim()
  return [
    'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/',
    'Upstream-Name: Shellphone',
    `Source: ${repositoryOf(own)}`,
    'Comment: The program contains code of other packages. THIRD-PARTY-NOTICES in',
    ' the directory of the program names each of them, with its licence.',
    '',
    'Files: *',
    `Copyright: ${holder}`,
    'License: Expat',
    ...body.split('\n').map((line) => (line === '' ? ' .' : ` ${line}`)),
    '',
  ].join('\n')
}

/** A package in Debian's binary format, version 2.0. */
function deb(
  data: readonly ReleaseFile[],
  control: string,
  scripts: Record<string, string>,
  epochSeconds: number,
): Buffer {
  const sums = data
    .filter(({ target }) => target === undefined)
    .map(({ path, bytes }) => `${createHash('md5').update(bytes).digest('hex')}  ${path}\n`)
  const controls = [
    text('control', control),
    text('md5sums', sums.sort((a, b) => (a.slice(34) < b.slice(34) ? -1 : 1)).join('')),
    ...Object.entries(scripts).map(([name, content]) => text(name, content, 0o755)),
  ]
  const archive = (files: readonly ReleaseFile[]) => gzip(tar(files, epochSeconds, './', { directories: true }))
  return ar(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', archive(controls)],
      ['data.tar.gz', archive(data)],
    ],
    epochSeconds,
  )
}
