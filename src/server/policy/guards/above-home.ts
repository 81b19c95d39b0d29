/** Detects commands that reach the service's files from a directory above: recursively, or through a list of file names. */
import { isWithin } from '../../../shared/schema/index.ts'
import { callOf, type Effect, effectsOf, type PathWord } from '../programs/index.ts'
import { leafOf } from '../script/directories.ts'
import { matchesPattern } from '../shell/patterns.ts'
import type { SimpleCommand } from '../script/script.ts'
import { isListed } from './listed-words.ts'
import { located } from './located-paths.ts'
import type { EffectOf, GuardInput } from './rule.ts'

/** One example of each kind of file in the service's directory. A search that matches none of them does not read the directory. */
export const ownFiles =
  'token tokens.json owner.sha256 cli config.yaml approvals.json uploads.json fleet.json plane tls-key.pem lock launcher-0123456789abcdef history/00000001.jsonl runs/id.stdout'.split(
    ' ',
  )
const ownDirectories = ['history', 'runs']

type FileFilter = NonNullable<EffectOf<'reads'>['below']>

/** Returns whether a recursive read includes the service's files: it starts above them and does not exclude them. */
export const readsAbove = (
  { path, recursive, below = {} }: EffectOf<'reads'>,
  command: SimpleCommand,
  scene: GuardInput,
): boolean => recursive === true && meansOurs(path, below, command, scene)

/** Returns whether a search that starts above the service's files deletes them. */
export const deletesAbove = (
  { path, below }: EffectOf<'deletes'>,
  command: SimpleCommand,
  scene: GuardInput,
): boolean => below !== undefined && meansOurs(path, below, command, scene)

/** Returns whether a command uses unknown files while another lists the service's: `cat $(find ~)`, `find ~ | xargs cat`. */
export function takesNames(command: SimpleCommand, scene: GuardInput): boolean {
  const effects = effectsOf(command)
  if (effects.some((effect) => changes(effect) && isListed(effect.path, command, scene, listsOurs))) return true
  if (callOf(command).program?.operands === 'name' || !effects.some(readsUnknown)) return false
  return scene.script.commands.some((other) => listsOurs(other, scene))
}

const listsOurs = (command: SimpleCommand, scene: GuardInput) =>
  effectsOf(command).some(
    (effect) =>
      effect.does === 'lists' && effect.below !== undefined && meansOurs(effect.path, effect.below, command, scene),
  )

const changes = (effect: Effect) => effect.does === 'writes' || effect.does === 'deletes' || effect.does === 'permits'

const readsUnknown = (effect: Effect) =>
  (effect.does === 'reads' && !effect.names && !effect.program && effect.path.values === null) ||
  effect.does === 'unknown'

// whether a search from a directory finds one of the service's files, or a directory that contains them
function meansOurs(
  { values, prefix }: PathWord,
  below: FileFilter,
  command: SimpleCommand,
  scene: GuardInput,
): boolean {
  const homes = [scene.serviceHome, scene.realpath(scene.serviceHome) ?? scene.serviceHome]
  return (values ?? [prefix]).some(
    (value) =>
      value !== '' &&
      located(value, command, scene).some((at) => homes.some((home) => holds(at, home) && finds(below, at, home))),
  )
}

// a shell pattern matches a hidden name only if the pattern starts with a dot
function holds(folder: string, home: string): boolean {
  if (!/[*?[]/.test(folder)) return folder !== home && isWithin({ path: home, root: folder })
  const parts = folder.split('/')
  const ours = home.split('/').slice(0, parts.length)
  return parts.length === ours.length && ours.every((name, at) => standsFor(parts[at]!, name))
}

const standsFor = (part: string, name: string) =>
  part === name || (/[*?[]/.test(part) && part.startsWith('.') === name.startsWith('.') && matchesPattern(part, name))

function finds({ only, except = [], depth = Infinity }: FileFilter, start: string, home: string): boolean {
  const skipped = (pattern: string) => {
    const tidy = pattern.replace(/^\.\/|\/\**$/g, '')
    return matchesPattern(tidy, tidy.includes('/') ? home : leafOf(home))
  }
  if (except.some(skipped)) return false
  const above = start.replace(/\/+$/, '').split('/').length
  const parts = home.split('/')
  const paths = [
    ...parts.map((_, at) => parts.slice(0, at + 1).join('/')),
    ...[...ownDirectories, ...ownFiles].map((path) => `${home}/${path}`),
  ]
  return paths.some((path) => {
    const level = path.split('/').length - above
    return level > 0 && level <= depth && (only?.some((pattern) => isFound(pattern, path)) ?? true)
  })
}

const isFound = (pattern: string, path: string) =>
  pattern.includes('/') ? matchesPattern(pattern.replace(/^\./, '*'), path) : matchesPattern(pattern, leafOf(path))
