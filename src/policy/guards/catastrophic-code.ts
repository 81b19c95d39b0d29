/** The same damage, done by code in another language that stands in the command. */
import { parse } from '../parse.ts'
import type { Scene } from '../scene.ts'
import { located } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { isDisk } from './catastrophic-files.ts'
import type { Rule } from './rule.ts'
import { runsOthers } from './runs-others.ts'
import { hits, protectedPaths } from './targets.ts'

const destroys =
  /rmtree|rm_rf|rm_r\b|rmSync|rmdirSync|\brm\s*\(|rimraf|removeTree|remove_tree|remove_dir_all|deleteRecursively|FileUtils|File::Path|\bunlink|\brmdir\b|\brename\b|\bmove\b/
const strings = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|q[qx]?[({]([^)}]*)[)}]/g
const MAX_STRINGS = 64

function destroysInCode(command: SimpleCommand, scene: Scene): boolean {
  const text = command.code?.text
  if (!text) return false
  const named = stringsOf(text)
  if (named.some(isDisk) && /open|write|'w|"w/i.test(text)) return true
  if (!destroys.test(text)) return false
  const protectedOnes = protectedPaths(scene)
  const home = /homedir|expanduser|environ|ENV\b|process\.env|Path\.home|Dir\.home/.test(text)
  return (
    home ||
    named.some(
      (path) =>
        path !== '' &&
        located(path.replace(/^~(?=\/|$)/, scene.home), command, scene).some((at) => hits(at, protectedOnes)),
    )
  )
}

const stringsOf = (text: string) =>
  [...text.matchAll(strings)]
    .slice(0, MAX_STRINGS)
    .flatMap((match) => match.slice(1).filter((part) => part !== undefined))

const found = new WeakMap<SimpleCommand, SimpleCommand[]>()

/** The commands in the strings of inline code, or in arguments that a program runs, as scripts of their own; found once, though every rule asks. */
function scriptsInCode(command: SimpleCommand, scene: Scene): SimpleCommand[] {
  const known = found.get(command) ?? findScripts(command, scene)
  found.set(command, known)
  return known
}

function findScripts(command: SimpleCommand, scene: Scene): SimpleCommand[] {
  const text = command.code?.text ?? ''
  const starts = /system|exec|popen|spawn|subprocess|sh\b|qx|`|run|!|\|/i.test(text)
  const strings = starts ? stringsOf(text) : []
  const scripts = [...strings.filter((part) => part.includes(' ')), ...(strings.length > 0 ? [strings.join(' ')] : [])]
  // git -c alias.x='!CODE', tar --checkpoint-action=exec=CODE
  if (command.code === null && runsOthers(command)) {
    scripts.push(
      ...command.args
        .filter((arg) => arg.includes(' '))
        .map((arg) => arg.replace(/^[\w.-]*=(?:exec=)?|^!|^[\w.-]*=!/g, '').replace(/^!/, '')),
    )
  }
  return scripts
    .slice(0, MAX_STRINGS)
    .flatMap((part) => [...parse(part, { HOME: scene.home, PWD: scene.cwd }).commands])
}

/** Every rule of the list, speaking about the commands inside inline code as well. */
export function alsoInCode(rules: readonly Rule[]): Rule[] {
  return rules.map((rule) => ({
    ...rule,
    command:
      rule.command &&
      ((command, scene) =>
        rule.command!(command, scene) || scriptsInCode(command, scene).some((inner) => rule.command!(inner, scene))),
  }))
}

export const codeRules: readonly Rule[] = [
  {
    guard: 'catastrophic',
    name: 'wipe-by-code',
    verdict: 'deny',
    risk: 'high',
    reason: 'This code would delete a system, home or shared-storage directory.',
    match: [
      'python3 -c "import shutil; shutil.rmtree(\'/sdcard\')"',
      "node -e \"require('fs').rmSync('/', {recursive: true})\"",
      'perl -MFile::Path -e \'remove_tree("/sdcard")\'',
    ],
    notMatch: [
      'python3 -c "import shutil; shutil.rmtree(\'build\')"',
      'node -e "console.log(1)"',
      'python3 -c "print(\'/\')"',
    ],
    command: destroysInCode,
  },
]
