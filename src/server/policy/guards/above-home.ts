/** Detects commands that read every file below a parent of the service's directory: recursively, or through a list of file names. */
import { isWithin } from '../../../shared/schema/index.ts'
import { callOf, effectsOf, type PathWord } from '../programs/index.ts'
import { leafOf } from '../script/directories.ts'
import { matchesPattern } from '../shell/patterns.ts'
import type { SimpleCommand } from '../script/script.ts'
import { located } from './located-paths.ts'
import type { EffectOf, GuardInput } from './rule.ts'

/** One example of each kind of file in the service's directory. A search that matches none of them does not read the directory. */
export const ownFiles =
  'token tokens.json owner.sha256 cli config.yaml approvals.json uploads.json fleet.json plane tls-key.pem lock launcher-0123456789abcdef history/00000001.jsonl runs/id.stdout'.split(
    ' ',
  )

/** Returns whether a recursive read includes the service's files: it starts above them and does not exclude them. */
export const readsAbove = (
  { path, recursive, below = {} }: EffectOf<'reads'>,
  command: SimpleCommand,
  scene: GuardInput,
): boolean => recursive === true && isAbove(path, command, scene) && meansOurs(below, scene)

/** Returns whether a command reads unknown files while another lists the service's: `cat $(find ~)`, `find ~ | xargs cat`. */
export function takesNames(command: SimpleCommand, scene: GuardInput): boolean {
  if (callOf(command).program?.operands === 'name' || !effectsOf(command).some(readsUnknown)) return false
  return scene.script.commands.some((other) =>
    effectsOf(other).some(
      (effect) =>
        effect.does === 'lists' &&
        effect.below !== undefined &&
        isAbove(effect.path, other, scene) &&
        meansOurs(effect.below, scene),
    ),
  )
}

const readsUnknown = (effect: ReturnType<typeof effectsOf>[number]) =>
  (effect.does === 'reads' && !effect.names && !effect.program && effect.path.values === null) ||
  effect.does === 'unknown'

function isAbove({ values, prefix }: PathWord, command: SimpleCommand, scene: GuardInput): boolean {
  const homes = [scene.serviceHome, scene.realpath(scene.serviceHome) ?? scene.serviceHome]
  return (values ?? [prefix]).some(
    (value) => value !== '' && located(value, command, scene).some((at) => homes.some((home) => holds(at, home))),
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

function meansOurs(
  { only, except = [] }: NonNullable<EffectOf<'reads'>['below']>,
  { serviceHome }: GuardInput,
): boolean {
  const name = leafOf(serviceHome)
  const skipped = (pattern: string) => {
    const tidy = pattern.replace(/^\.\/|\/\**$/g, '')
    return matchesPattern(tidy, tidy.includes('/') ? serviceHome : name)
  }
  if (except.some(skipped)) return false
  const matches = (pattern: string) =>
    ownFiles.some((file) =>
      pattern.includes('/')
        ? matchesPattern(pattern.replace(/^\./, '*'), `${serviceHome}/${file}`)
        : matchesPattern(pattern, leafOf(file)),
    )
  return only === undefined || only.some(matches)
}
