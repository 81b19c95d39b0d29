/** PicoClaw's and agent-world's workspace: every path of every command stays inside of its root and the allowed paths. */
import type { Finding } from '../../schema/index.ts'
import { calmCode } from '../calm-code.ts'
import { pathsOf } from '../path-words.ts'
import { isWithin, locate } from '../paths.ts'
import { located, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { find, type Rule } from './rule.ts'

import { harmless, type IsInside, judge } from './workspace-paths.ts'
import { cwdOutside, outside, traversal, unknownPath } from './workspace-rules.ts'

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
    if (found.length < 50 && !found.some((one) => one.rule === rule.name && one.command === command)) {
      found.push(find(rule, scene, command))
    }
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
    if (takesUnknownNames(command) || unpacksAnywhere(command)) say(unknownPath, command.source)
    if (command.code && !isCalm(command, scene, isInside)) say(unknownPath, command.source)
    if (entersHome(command)) say(isInside(scene.home) ? traversal : outside, command.source)
  }
  return found.filter((one) => one.rule !== 'path-traversal' || one.command !== null)
}

const listers = /^(?:find|ls|fd|fdfind|git|rg|grep|egrep|fgrep|echo|seq)$/
const filters = /^(?:sort|head|tail|uniq|grep|egrep|fgrep|tee|cat|shuf|tac)$/

// xargs hands on names from a list that is not made here
function takesUnknownNames(command: SimpleCommand): boolean {
  if (!command.unknownArgs || !command.wrappers.includes('xargs') || isNever(command.name)) return false
  let from = command.pipedFrom
  for (let hops = 0; from && filters.test(from.name) && from.pipedFrom && hops < 16; hops += 1) from = from.pipedFrom
  return from === null || !listers.test(from.name)
}

const isNever = (name: string) =>
  /^(?:echo|printf|kill|xargs|env|sh|bash|npm|npx|pip|apt|pkg|pm|am|docker|basename|dirname)$/.test(name)

function unpacksAnywhere(command: SimpleCommand): boolean {
  return (
    /^(?:bsd)?tar$/.test(command.name) &&
    command.args.some(
      (arg, at) =>
        /^--absolute-names/.test(arg) || (/P/.test(arg) && (/^-\w+$/.test(arg) || (at === 0 && /^\w+$/.test(arg)))),
    )
  )
}

const entersHome = (command: SimpleCommand) => command.path === 'cd' && command.words.length === 1

function isCalm(command: SimpleCommand, scene: Scene, isInside: IsInside): boolean {
  const { language, text } = command.code!
  if (text === null) return false
  return calmCode(
    language,
    text,
    (path) => harmless.test(path) || located(path.replace(/^~(?=\/|$)/, scene.home), command, scene).every(isInside),
  )
}
