/** PicoClaw's and agent-world's workspace: every path of every command stays inside of its root and the allowed paths. */
import type { Finding } from '../../schema/index.ts'
import { calmCode } from '../calm-code.ts'
import { type PathWord, pathsOf } from '../path-words.ts'
import { isWithin, leafOf, locate, parentOf } from '../paths.ts'
import { toRegExp } from '../patterns.ts'
import { located, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { find, type Rule } from './rule.ts'

const base = { guard: 'workspace', verdict: 'deny', risk: 'medium' } as const
const harmless = /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|tty|full|fd(?:\/\d+)?)$/

const traversal: Rule = {
  ...base,
  name: 'path-traversal',
  reason: 'A path with .. leaves the workspace.',
  match: [
    'cat ../secret',
    'ls ..',
    'cd .. && ls',
    'ls src/../..',
    'cat --file=../x',
    'cd src; cat ../../x',
    'cat */../../x',
    'cp x ../',
  ],
  notMatch: [
    'cat src/../README.md',
    'cd src && cat ../README.md',
    'git log HEAD~1..HEAD',
    'echo ..',
    'git diff main...dev',
    "grep '../x' src/a.js",
  ],
}
const outside: Rule = {
  ...base,
  name: 'path-outside',
  reason: 'A path is outside of the workspace.',
  match: [
    'cat /etc/passwd',
    'ls /',
    'cat ~/.ssh/id_rsa',
    'cat $HOME/x',
    'echo x > /tmp/y',
    'find / -name x',
    'gcc -I/usr/local/include x.c',
    'dd of=/tmp/x if=a',
    'curl file:///etc/passwd',
    'curl -d @/etc/passwd x',
    "sh -c 'cat /etc/passwd'",
    'cat /et*/passwd',
    'cat ~',
    'find . -exec cp {} /tmp \\;',
    'x=/etc/passwd; cat "$x"',
    'tar xf a.tgz -C /',
    'git -C / status',
    'ln -s /etc x',
  ],
  notMatch: [
    'ls',
    'cat src/x',
    'ls > /dev/null 2>&1',
    'curl https://example.com/etc/passwd',
    "awk '/x/{print}' f",
    "grep '/api/v1' src",
    "sed 's/a/b/' f",
    'echo /etc/passwd',
    '/usr/bin/ls',
    'am start -n com.x/.Main',
    'git clone git@host:/x/y.git',
  ],
}
const cwdOutside: Rule = {
  ...base,
  name: 'cwd-outside',
  reason: 'The working directory is outside of the workspace.',
  match: [],
  notMatch: ['ls'],
}
const unknownPath: Rule = {
  ...base,
  verdict: 'opaque',
  name: 'unknown-path',
  reason: 'It cannot be known which file this would use. Write the path plainly.',
  match: [
    'cat "$UNKNOWN"',
    'cat $(cat list)',
    'eval "$X"',
    'find . | xargs cat | while read f; do cat "$f"; done',
    "python3 -c 'open(input())'",
    'cd "$X" && ls',
  ],
  notMatch: [
    'for f in *.txt; do wc -l "$f"; done',
    'echo "$UNKNOWN"',
    'd=src; ls "$d"',
    "python3 -c 'import json,sys; print(json.load(sys.stdin))'",
    'ls | xargs wc -l',
    'kill $PID',
  ],
}

export const workspaceRules: readonly Rule[] = [traversal, outside, cwdOutside, unknownPath]

/** The directories that count as inside, each as written and with its links resolved. */
export function insideRoots(scene: Scene): string[] {
  const { workspace_dir, allowed_paths } = scene.settings
  const roots = [workspace_dir ?? scene.cwd, ...allowed_paths.map((path) => path.trim())]
  return [
    ...new Set(
      roots.flatMap((root) => (root === '*' ? ['/'] : [trim(root), scene.realpath(trim(root)) ?? trim(root)])),
    ),
  ]
}

const trim = (path: string) => (path.length > 1 ? path.replace(/\/+$/, '') : path)

/** What the workspace guard says of a script; nothing where it is off. */
export function workspace(scene: Scene): Finding[] {
  if (!scene.settings.restrict_to_workspace) return []
  const roots = insideRoots(scene)
  const isInside = (path: string) => roots.some((root) => isWithin(path, root))
  const found: Finding[] = []
  const say = (rule: Rule, command: string | null) => {
    if (found.length < 50 && !found.some((one) => one.rule === rule.name && one.command === command))
      found.push(find(rule, scene, command))
  }
  if (!locate(scene.cwd, '/', scene.realpath).every(isInside)) say(cwdOutside, null)
  if (scene.script.opaque.length > 0) say(unknownPath, null)
  for (const command of scene.script.commands) {
    if (command.places === null) say(unknownPath, command.source)
    if (command.places?.some((place) => place.startsWith('..'))) say(traversal, command.source)
    for (const path of pathsOf(command)) {
      const rule = judge(path, command, scene, isInside)
      if (rule) say(rule, command.source)
    }
    if (command.code && !isCalm(command, scene, isInside)) say(unknownPath, command.source)
    if (entersHome(command)) say(isInside(scene.home) ? traversal : outside, command.source)
  }
  return found.filter((one) => one.rule !== 'path-traversal' || one.command !== null)
}

const entersHome = (command: SimpleCommand) => command.path === 'cd' && command.words.length === 1

function judge(path: PathWord, command: SimpleCommand, scene: Scene, isInside: (path: string) => boolean): Rule | null {
  if (path.values === null) return judgeUnknown(path, command, scene, isInside)
  for (const value of path.values) {
    const rule = judgeValue(value, path, command, scene, isInside)
    if (rule) return rule
  }
  return null
}

function judgeValue(
  value: string,
  path: PathWord,
  command: SimpleCommand,
  scene: Scene,
  isInside: (path: string) => boolean,
): Rule | null {
  // many programs expand a tilde that the shell has left alone
  const tidy = value.replace(/\/+/g, '/').replace(/^~(?=\/|$)/, scene.home)
  if (harmless.test(tidy) || isProgram(tidy, path, command, scene)) return null
  if (!path.certain && !looksLikePath(tidy) && !leadsAway(tidy, command, scene, isInside)) return null
  if (path.glob && climbs(tidy)) return traversal
  const places = located(fixedPart(tidy, path.glob), command, scene)
  if (command.places === null && !tidy.startsWith('/')) return unknownPath
  if (places.every(isInside)) return null
  return /(?:^|\/)\.\.(?:\/|$)/.test(tidy) && !tidy.startsWith('/') ? traversal : outside
}

function judgeUnknown(
  path: PathWord,
  command: SimpleCommand,
  scene: Scene,
  isInside: (path: string) => boolean,
): Rule | null {
  const known = path.prefix.replace(/[^/]*$/, '')
  if (known.startsWith('/') && !located(known, command, scene).every(isInside)) return outside
  return path.certain || path.prefix.includes('/') || path.prefix === '' ? unknownPath : null
}

const looksLikePath = (text: string) =>
  text.startsWith('/') || text.startsWith('~') || /(?:^|\/)\.\.(?:\/|$)/.test(text)
const leadsAway = (text: string, command: SimpleCommand, scene: Scene, isInside: (path: string) => boolean) =>
  text.length < 256 && !text.startsWith('-') && !located(text, command, scene).every(isInside)

// a program of the system may be named by its path
function isProgram(value: string, path: PathWord, command: SimpleCommand, scene: Scene): boolean {
  if (path.source !== command.words[0]?.source || value !== command.path) return false
  return (
    [
      `${scene.prefix}/bin`,
      '/bin',
      '/sbin',
      '/usr/bin',
      '/usr/sbin',
      '/usr/local/bin',
      '/system/bin',
      '/system/xbin',
      '/vendor/bin',
    ].includes(parentOf(value)) || leafOf(value) === value
  )
}

// what stands before the first pattern is where the names come from
function fixedPart(value: string, glob: boolean): string {
  if (!glob) return value
  const at = value.search(/[*?[]/)
  if (at < 0) return value
  return value.slice(0, value.lastIndexOf('/', at) + 1) || '.'
}

// `.*` matches `..` in older shells, and `*/..` climbs out of a linked directory
function climbs(value: string): boolean {
  const parts = value.split('/')
  const firstGlob = parts.findIndex((part) => /[*?[]/.test(part))
  const dots = parts.some((part) => part.startsWith('.') && /[*?[]/.test(part) && toRegExp(part, false).test('..'))
  return dots || (firstGlob >= 0 && parts.slice(firstGlob).includes('..'))
}

function isCalm(command: SimpleCommand, scene: Scene, isInside: (path: string) => boolean): boolean {
  const { language, text } = command.code!
  if (text === null) return false
  return calmCode(
    language,
    text,
    (path) => harmless.test(path) || located(path.replace(/^~(?=\/|$)/, scene.home), command, scene).every(isInside),
  )
}
