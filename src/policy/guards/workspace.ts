/** PicoClaw's and agent-world's workspace: every path of every command stays inside of its root and the allowed paths. */
import { isWithin, type Finding } from '../../schema/index.ts'
import { located, type Scene } from '../context.ts'
import { type Effect, effectsOf, type PathWord } from '../programs/index.ts'
import { matchesPattern } from '../shell/patterns.ts'
import type { SimpleCommand } from '../shell/script.ts'
import { leafOf, locate, parentOf, programFolders } from './paths.ts'
import { find, type Rule } from './rule.ts'
import { comesFromNames } from './targets.ts'

type IsInside = (path: string) => boolean
const base = { guard: 'workspace', verdict: 'deny', risk: 'medium' } as const

const traversal: Rule = {
  ...base,
  name: 'path-traversal',
  reason: 'A path with .. leaves the workspace.',
  match: ['cat ../secret', 'cd .. && ls', 'cat */../../x'],
  notMatch: ['cat src/../README.md', 'git log HEAD~1..HEAD', 'echo ..'],
}
const outside: Rule = {
  ...base,
  name: 'path-outside',
  reason: 'A path is outside of the workspace.',
  match: ['cat /etc/passwd', 'gcc -I/usr/local/include x.c', 'curl -d @/etc/passwd x', 'tar -czf/etc/x .'],
  notMatch: ['ls > /dev/null 2>&1', "grep '/api/v1' src", '/usr/bin/ls'],
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
  match: ['cat "$UNKNOWN"', "python3 -c 'open(input())'", 'xargs cat < list', 'tar cf x -T list'],
  notMatch: ['for f in *.txt; do wc -l "$f"; done', 'git ls-files | sort | xargs wc -l', 'kill $PID'],
}

/** In the order of their rows. */
export const workspaceRules: readonly Rule[] = [traversal, outside, cwdOutside, unknownPath]

// the directories that count as inside, each as written and with its links resolved
function insideRoots({ settings, cwd, realpath }: Scene): string[] {
  const trim = (path: string) => (path.length > 1 ? path.replace(/\/+$/, '') : path)
  const roots = [settings.workspace_dir ?? cwd, ...settings.allowed_paths.map((path) => path.trim())]
  return [
    ...new Set(roots.flatMap((root) => (root === '*' ? ['/'] : [trim(root), realpath(trim(root)) ?? trim(root)]))),
  ]
}

/** What the workspace guard says of a script; nothing where it is off. */
export function workspace(scene: Scene): Finding[] {
  if (!scene.settings.restrict_to_workspace) return []
  const roots = insideRoots(scene)
  const isInside = (path: string) => roots.some((root) => isWithin({ path, root }))
  const found: Finding[] = []
  const say = (rule: Rule, command: SimpleCommand | null) => {
    // a script file raises no doubts, only what is certain
    if (rule === unknownPath && command?.file) return
    const source = command?.source ?? null
    if (found.length < 50 && !found.some((one) => one.rule === rule.name && one.command === source)) {
      found.push(find(rule, scene, source))
    }
  }
  if (!locate(scene.cwd, '/', scene.realpath).every(isInside)) say(cwdOutside, null)
  if (scene.script.opaque.length > 0) say(unknownPath, null)
  for (const command of scene.script.commands) {
    if (command.places === null) say(unknownPath, command)
    if (command.places?.some((place) => place.startsWith('..'))) say(traversal, command)
    for (const effect of effectsOf(command)) {
      const rule = judge(effect, command, scene, isInside)
      if (rule) say(rule, command)
    }
  }
  return found
}

function judge(effect: Effect, command: SimpleCommand, scene: Scene, isInside: IsInside): Rule | null {
  if (effect.does === 'unknown') {
    return effect.what === 'names' && comesFromNames(command.pipedFrom, 'same') ? null : unknownPath
  }
  if (!('path' in effect) || effect.path === null || isGuess(effect)) return null
  const { path } = effect
  if (path.values === null) return judgeUnknown(path, command, scene, isInside)
  for (const value of path.values) {
    if (effect.does === 'reads' && effect.program && isProgram(value, command, scene)) continue
    const rule = judgeValue(value, path, command, scene, isInside)
    if (rule) return rule
  }
  return null
}

// what code may write or delete is a guess by its strings: whether its files are known, another effect tells
const isGuess = (effect: Effect) =>
  (effect.does === 'deletes' && (effect.how === 'code' || effect.fed)) ||
  (effect.does === 'writes' && effect.code) ||
  effect.does === 'lists'

/** Devices that are no files. */
const harmless = /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|tty|full|fd(?:\/\d+)?)$/

function judgeValue(
  value: string,
  path: PathWord,
  command: SimpleCommand,
  scene: Scene,
  isInside: IsInside,
): Rule | null {
  // many programs expand a tilde that the shell has left alone
  const tidy = value.replace(/\/+/g, '/').replace(/^~(?=\/|$)/, scene.home)
  if (harmless.test(tidy)) return null
  if (!path.certain && !looksLikePath(tidy) && !leadsAway(tidy, command, scene, isInside)) return null
  if (path.glob && climbs(tidy)) return traversal
  const places = located(fixedPart(tidy, path.glob), command, scene)
  if (command.places === null && !tidy.startsWith('/')) return unknownPath
  if (places.every(isInside)) return null
  return /(?:^|\/)\.\.(?:\/|$)/.test(tidy) && !tidy.startsWith('/') ? traversal : outside
}

function judgeUnknown(path: PathWord, command: SimpleCommand, scene: Scene, isInside: IsInside): Rule | null {
  const known = path.prefix.replace(/[^/]*$/, '')
  if (known.startsWith('/') && !located(known, command, scene).every(isInside)) return outside
  return path.certain || path.prefix.includes('/') || path.prefix === '' ? unknownPath : null
}

const looksLikePath = (text: string) =>
  text.startsWith('/') || text.startsWith('~') || /(?:^|\/)\.\.(?:\/|$)/.test(text)
const leadsAway = (text: string, command: SimpleCommand, scene: Scene, isInside: IsInside) =>
  text.length < 256 && !text.startsWith('-') && !located(text, command, scene).every(isInside)

// a program of the system may be named by its path
const isProgram = (value: string, command: SimpleCommand, scene: Scene) =>
  value === command.path && (programFolders(scene.prefix).includes(parentOf(value)) || leafOf(value) === value)

// what stands before the first pattern is where the names come from
function fixedPart(value: string, glob: boolean): string {
  const at = glob ? value.search(/[*?[]/) : -1
  return at < 0 ? value : value.slice(0, value.lastIndexOf('/', at) + 1) || '.'
}

// `.*` matches `..` in older shells, and `*/..` climbs out of a linked directory
function climbs(value: string): boolean {
  const parts = value.split('/')
  const firstGlob = parts.findIndex((part) => /[*?[]/.test(part))
  const dots = parts.some((part) => part.startsWith('.') && /[*?[]/.test(part) && matchesPattern(part, '..'))
  return dots || (firstGlob >= 0 && parts.slice(firstGlob).includes('..'))
}
