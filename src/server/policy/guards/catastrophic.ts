/** Rules against actions that no agent should take on any device. They are few, and avoid false positives. */
import { effectsOf } from '../programs/index.ts'
import type { SimpleCommand } from '../script/script.ts'
import { entersHome, kills, mentionsHome, onPaths, readsServiceMemory, stops } from './catastrophic-service.ts'
import { deletesAbove, readsAbove, takesNames } from './above-home.ts'
import { deletesDisk, formatsDisk, mayUseDisk, namesDisk, outputsToDisk, takesDisks } from './disk-targets.ts'
import { type EffectOf, type Rule, rulesOf, type GuardInput } from './rule.ts'
import { comesFromNames, couldHit, hitsProtected, targetsOf } from './targets.ts'

type Deletion = EffectOf<'deletes'>

/** Returns whether a deletion affects a protected directory that is named in the command's arguments or in a list. */
export function wipes({ how, narrow, path, recursive }: Deletion, command: SimpleCommand, scene: GuardInput): boolean {
  if (how === 'code' || narrow) return false
  // xargs rm; while read f; do rm "$f"
  const isListed = command.fed || path.values === null
  return hitsProtected(path, command, scene, recursive === true) || (isListed && wipesListed(command, scene))
}

// whether the listed names come from a protected directory
function wipesListed({ pipedFrom }: SimpleCommand, scene: GuardInput): boolean {
  const listed = pipedFrom === null ? [] : effectsOf(pipedFrom)
  return listed.some(
    (effect) => effect.does === 'lists' && !effect.narrow && hitsProtected(effect.path, pipedFrom!, scene, true),
  )
}

function mayWipe({ how, narrow, path, recursive, fed }: Deletion, command: SimpleCommand, scene: GuardInput): boolean {
  if (how === 'code' || how === 'moves') return false
  if (narrow) return couldHit(path, command, scene) || targetsOf(path, command, scene).includes('/')
  // an unquoted unknown word can expand to both options and directories
  if (path.splits && path.values === null && /^"?\$[@*\w{]/.test(path.source)) return true
  if (!recursive) return false
  return fed ? !comesFromNames(command.pipedFrom, 'changed') : couldHit(path, command, scene)
}

const common = { guard: 'catastrophic', verdict: 'deny', risk: 'high', suspects: true } as const

export const catastrophicRules: readonly Rule[] = rulesOf(common, {
  wipe: {
    reason:
      'This would delete a system, home or shared-storage directory. Delete only what you created, by its own path.',
    on: { deletes: wipes },
  },
  'own-everything': {
    reason: 'This would change the owner or permissions of a system or home directory, or lock its owner out.',
    on: {
      permits: ({ recursive, closing, path }, command, scene) =>
        (recursive || closing) && hitsProtected(path, command, scene, true),
    },
  },
  disk: {
    reason: 'This would overwrite or format a disk.',
    on: { formats: formatsDisk, writes: namesDisk, deletes: deletesDisk, unknown: takesDisks },
    command: outputsToDisk,
  },
  'disk-unknown': {
    verdict: 'opaque',
    reason: 'This may overwrite a disk. Use a program that is known, and write the path of its output in full.',
    command: mayUseDisk,
  },
  power: { reason: 'This would shut down or restart the device that this service runs on.', on: { power: true } },
  uninstall: {
    reason: 'This would remove or reset an app, or a package that the service depends on.',
    on: { harms: ({ what }) => what === 'apps', installs: ({ vital }) => vital === true },
  },
  'device-settings': {
    reason: "This would change, wipe or lock the device's own settings or data.",
    on: { harms: ({ what }) => what === 'settings' },
  },
  'wipe-unknown': {
    verdict: 'opaque',
    reason: 'It is unclear what this would delete. Name the directory in full.',
    on: { deletes: mayWipe },
  },
  'wipe-by-code': {
    reason: 'This code would delete a system, home or shared-storage directory.',
    on: {
      deletes: ({ how, path }, command, scene) => how === 'code' && hitsProtected(path, command, scene, true),
    },
  },
  'fork-bomb': { reason: 'This starts endless copies of itself.', forkBomb: true },
  'fork-loop': { reason: 'This code starts processes in an endless loop.', on: { forks: true } },
  'service-kill': {
    reason:
      'This would end the service that runs your commands (it is a node process). End your own processes by their pid.',
    on: { kills, writes: stops, deletes: stops },
  },
  'answers-itself': {
    reason: 'Only a person may answer approval requests; a command may not.',
    on: { answers: true },
  },
  'service-tokens': {
    reason: 'Only a person may manage the tokens of this service or change its settings; a command may not.',
    on: { grants: true },
  },
  'service-home': {
    reason:
      "The service's own directory holds its tokens, settings and history: commands may not read, write or copy it.",
    on: onPaths(entersHome),
    command: mentionsHome,
    inHome: true,
  },
  'service-home-below': {
    reason:
      "This reads or deletes files below a directory that contains the service's own directory. Name another directory, or exclude that one by name.",
    on: { reads: readsAbove, deletes: deletesAbove },
    command: takesNames,
  },
  'service-memory': {
    reason: "This would read the service's own environment or memory.",
    on: onPaths(readsServiceMemory),
  },
  opaque: {
    verdict: 'opaque',
    risk: 'medium',
    reason: 'It is unclear what this would run. Write the commands out in full.',
    doubts: 'dynamic',
  },
})
