/** The workspace of PicoClaw and agent-world: every path of every command stays inside its root and the allowed paths. */
import { isWithin, type Finding } from '../../../shared/schema/index.ts'
import { type Effect, effectsOf, type PathWord } from '../programs/index.ts'
import { matchesPattern } from '../shell/patterns.ts'
import type { SimpleCommand } from '../script/script.ts'
import { isSystemProgram, locate, located } from './located-paths.ts'
import { findingFor, MAX_FINDINGS, type Rule, rulesOf, type GuardInput } from './rule.ts'
import { comesFromNames } from './targets.ts'

/** The input of the guard, with a test for paths inside the workspace. */
interface WorkspaceInput extends GuardInput {
  isInside: (path: string) => boolean
}

const common = { guard: 'workspace', verdict: 'deny', risk: 'medium' } as const

/** The destructuring below depends on this order. `judge` and its helpers choose the rule that applies. */
export const workspaceRules: readonly Rule[] = rulesOf(common, {
  'path-traversal': { reason: 'A path with .. leaves the workspace.' },
  'path-outside': { reason: 'A path is outside the workspace.' },
  'cwd-outside': { reason: 'The working directory is outside the workspace.' },
  'unknown-path': {
    verdict: 'opaque',
    reason: 'It is unclear which file this would use. Write the path in full.',
  },
})
const [traversal, outside, cwdOutside, unknownPath] = workspaceRules as [Rule, Rule, Rule, Rule]

// the directories that count as inside, each as written and with links resolved
function insideRoots({ settings, workspace, realpath }: GuardInput): string[] {
  const trim = (path: string) => (path.length > 1 ? path.replace(/\/+$/, '') : path)
  const roots = [settings.workspace_dir ?? workspace, ...settings.allowed_paths.map((path) => path.trim())]
  return [
    ...new Set(roots.flatMap((root) => (root === '*' ? ['/'] : [trim(root), realpath(trim(root)) ?? trim(root)]))),
  ]
}

/** Returns the findings of the workspace guard about a script. */
export function workspace(given: GuardInput): Finding[] {
  const roots = insideRoots(given)
  const isInside = (path: string) => roots.some((root) => isWithin({ path, root }))
  const scene = { ...given, isInside }
  const found: Finding[] = []
  const say = (rule: Rule, command: SimpleCommand | null) => {
    // doubts about a script file are ignored; only what is certain counts
    if (rule === unknownPath && command?.file?.certain) return
    const one = findingFor(rule, scene, command)
    if (
      found.length < MAX_FINDINGS &&
      !found.some((known) => known.rule === one.rule && known.command === one.command)
    ) {
      found.push(one)
    }
  }
  if (!locate(scene.cwd, '/', scene).every(isInside)) say(cwdOutside, null)
  if (scene.script.opaque.length > 0) say(unknownPath, null)
  for (const command of scene.script.commands) {
    if (command.directories === null) say(unknownPath, command)
    if (command.directories?.some((directory) => directory.startsWith('..'))) say(traversal, command)
    for (const effect of effectsOf(command)) {
      const rule = judge(effect, command, scene)
      if (rule) say(rule, command)
    }
  }
  return found
}

function judge(effect: Effect, command: SimpleCommand, scene: WorkspaceInput): Rule | null {
  if (effect.does === 'unknown') {
    return effect.what === 'names' && comesFromNames(command.pipedFrom, 'same') ? null : unknownPath
  }
  if (!('path' in effect) || effect.path === null || isGuess(effect)) return null
  const { path } = effect
  if (path.values === null) return judgeUnknown(path, command, scene)
  for (const value of path.values) {
    if (effect.does === 'reads' && effect.program && isProgram(value, command, scene)) continue
    const rule = judgeValue(value, path, command, scene)
    if (rule) return rule
  }
  return null
}

// writes and deletions found in strings of code are guesses; another effect reports whether the code's files are known
const isGuess = (effect: Effect) =>
  (effect.does === 'deletes' && (effect.how === 'code' || effect.fed)) ||
  (effect.does === 'writes' && effect.code) ||
  effect.does === 'lists'

/** Devices that every command may use. */
const harmless = /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|fd(?:\/\d+)?)$/

function judgeValue(value: string, path: PathWord, command: SimpleCommand, scene: WorkspaceInput): Rule | null {
  // many programs expand a tilde that the shell did not expand
  const tidy = value.replace(/\/+/g, '/').replace(/^~(?=\/|$)/, scene.home)
  if (harmless.test(tidy)) return null
  if (!path.certain && !looksLikePath(tidy) && !leadsAway(tidy, command, scene)) return null
  if (path.glob && climbs(tidy)) return traversal
  const absolute = located(fixedPart(tidy, path.glob), command, scene)
  if (command.directories === null && !tidy.startsWith('/')) return unknownPath
  if (absolute.every(scene.isInside)) return null
  return /(?:^|\/)\.\.(?:\/|$)/.test(tidy) && !tidy.startsWith('/') ? traversal : outside
}

function judgeUnknown(path: PathWord, command: SimpleCommand, scene: WorkspaceInput): Rule | null {
  const known = path.prefix.replace(/[^/]*$/, '')
  if (known.startsWith('/') && !located(known, command, scene).every(scene.isInside)) return outside
  return path.certain || path.prefix.includes('/') || path.prefix === '' ? unknownPath : null
}

const looksLikePath = (text: string) =>
  text.startsWith('/') || text.startsWith('~') || /(?:^|\/)\.\.(?:\/|$)/.test(text)
const leadsAway = (text: string, command: SimpleCommand, scene: WorkspaceInput) =>
  text.length < 256 && !text.startsWith('-') && !located(text, command, scene).every(scene.isInside)

// a system program may be named by its path, unless restrict_programs is set
const isProgram = (value: string, command: SimpleCommand, { settings, prefix }: GuardInput) =>
  value === command.path && (!value.includes('/') || (!settings.restrict_programs && isSystemProgram(value, prefix)))

// returns the part of a path up to the directory that contains the first pattern
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
