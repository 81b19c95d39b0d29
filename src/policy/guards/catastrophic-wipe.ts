/** Wiping roots, homes, shared storage. */
import { hasOption, operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import type { Rule } from './rule.ts'
import { couldHit, hitsProtected } from './targets.ts'

const guard = 'catastrophic'
const removers = new Set(['rm', 'unlink', 'shred', 'srm', 'trash', 'trash-put', 'wipe', 'gio', 'del', 'rmdir'])
const isRecursive = (command: SimpleCommand) =>
  hasOption(command, 'rR', '--recursive') || ['srm', 'trash', 'trash-put', 'wipe', 'gio'].includes(command.name)

function wipes(command: SimpleCommand, scene: Scene): boolean {
  if (removers.has(command.name))
    return command.args.includes('--no-preserve-root') || hitsProtected(command, scene, isRecursive(command))
  if (command.name === 'find') return findWipes(command, scene, 'certain')
  if (command.name === 'rsync' && command.args.some((arg) => arg.startsWith('--del')))
    return hitsProtected(command, scene, true, operands(command).slice(-1))
  if (command.name === 'mv')
    return hitsProtected(
      command,
      scene,
      true,
      operands(command).slice(0, hasOption(command, 't', '--target-directory') ? undefined : -1),
    )
  return false
}

const isDeleting = (command: SimpleCommand) =>
  command.args.some(
    (arg, index) =>
      arg === '-delete' ||
      (/^-(?:exec|ok)(?:dir)?$/.test(arg) &&
        /(?:^|\/)(?:rm|unlink|shred|srm|mv)$/.test(
          command.args.slice(index + 1, index + 8).find((next) => /(?:^|\/)(?:rm|unlink|shred|srm|mv)$/.test(next)) ??
            '',
        )),
  )

// with a filter that names something it is housekeeping; without one it is a wipe
function findWipes(command: SimpleCommand, scene: Scene, how: 'certain' | 'doubtful'): boolean {
  if (!isDeleting(command)) return false
  const first = command.words.findIndex(
    (word, index) => index > 0 && /^[-(!]/.test(word.literal ?? '') && !/^-[HLPDO]/.test(word.literal ?? ''),
  )
  const starts = command.words
    .slice(1, first < 0 ? undefined : first)
    .filter((word) => !/^-[HLPDO]/.test(word.literal ?? ''))
  const roots = starts.length > 0 ? starts : command.words.slice(0, 0)
  const hit =
    starts.length === 0 ? hitsProtected(command, scene, true, [dot]) : hitsProtected(command, scene, true, roots)
  const names = command.args.some(
    (arg, index) =>
      /^-i?(?:name|path|regex|wholename)$/.test(arg) &&
      /[A-Za-z0-9]{2}/.test(command.args[index + 1] ?? '') &&
      command.args[index - 1] !== '!' &&
      command.args[index - 1] !== '-not',
  )
  return (
    hit &&
    names === (how === 'doubtful') &&
    !(
      how === 'doubtful' &&
      !hitsProtected(
        command,
        scene,
        true,
        roots.filter((word) => word.literal === '/'),
      )
    )
  )
}

const dot = { source: '.', literal: '.', fields: [['.']], prefix: '.', glob: false, splits: false } as const

function wipesFed(command: SimpleCommand, scene: Scene): boolean {
  if (!command.wrappers.includes('xargs') || !removers.has(command.name) || command.pipedFrom === null) return false
  const from = command.pipedFrom
  if (from.name !== 'find' && from.name !== 'ls') return false
  const fedFrom = { ...from, args: [...from.args, '-delete'] }
  return from.name === 'find'
    ? findWipes(fedFrom, scene, 'certain')
    : hitsProtected(from, scene, true) || (operands(from).length === 0 && hitsProtected(from, scene, true, [dot]))
}

function mayWipe(command: SimpleCommand, scene: Scene): boolean {
  if (command.name === 'find')
    return findWipes(command, scene, 'doubtful') || (isDeleting(command) && couldHit(command, scene))
  if (!removers.has(command.name)) return false
  // an unquoted unknown word can be options and directories at once
  if (command.words.some((word) => word.splits && word.fields === null && /^"?\$[@*\w{]/.test(word.source))) return true
  if (!isRecursive(command)) return false
  const from = command.pipedFrom?.name ?? ''
  const fed =
    command.wrappers.includes('xargs') &&
    command.unknownArgs &&
    ![
      'find',
      'ls',
      'fd',
      'git',
      'grep',
      'rg',
      'sort',
      'head',
      'tail',
      'uniq',
      'awk',
      'sed',
      'fgrep',
      'egrep',
      'tr',
      'cut',
    ].includes(from)
  return fed || couldHit(command, scene)
}

export const wipeRules: readonly Rule[] = [
  {
    guard,
    name: 'wipe',
    verdict: 'deny',
    risk: 'high',
    reason:
      'This would delete a system, home or shared-storage directory. Delete only what you created, by its own path.',
    match: [
      'rm -rf /',
      'rm -rf ~',
      'rm -r -f "$HOME"/*',
      'rm -rf /sdcard/DCIM',
      'cd / && rm -rf *',
      'find / -delete',
      'find ~ | xargs rm -rf',
      'rm -rf /*',
      'x=/; rm -rf "$x"',
      "sh -c 'rm -rf /sdcard'",
      'mv ~ /tmp/x',
      'rm -fr --no-preserve-root /tmp/x',
    ],
    notMatch: [
      'rm -rf node_modules',
      'rm -rf /tmp/build',
      'rm -rf ./dist/*',
      "echo 'rm -rf /'",
      'find . -name "*.pyc" -delete',
      'rm -rf ~/project/build',
      'rm -f /sdcard/Download/x.apk',
      'grep -rn "rm -rf /" .',
    ],
    command: (command, scene) => wipes(command, scene) || wipesFed(command, scene),
  },
  {
    guard,
    name: 'wipe-unknown',
    verdict: 'opaque',
    risk: 'high',
    reason: 'It cannot be known what this would delete. Name the directory plainly.',
    match: [
      'rm -rf "$(cat list)"',
      'rm -rf $UNKNOWN/*',
      'rm -rf /$X',
      'cat list | xargs rm -rf',
      'find / -name "*.log" -delete',
      'rm "$@"',
    ],
    notMatch: [
      'd=$(mktemp -d); rm -rf "$d"',
      'for d in a b; do rm -rf "$d"; done',
      'rm -rf "build/$X"',
      'rm "$(cat list)"',
      'find . -name node_modules | xargs rm -rf',
    ],
    command: mayWipe,
  },
  {
    guard,
    name: 'own-everything',
    verdict: 'deny',
    risk: 'high',
    reason: 'This would change owner or permissions of a system or home directory and everything below it.',
    match: ['chmod -R 777 /', 'chown -R nobody ~', 'chmod --recursive 000 /sdcard', 'chmod 000 ~'],
    notMatch: ['chmod -R u+w build', 'chmod 755 ~/bin/x', 'chmod 700 ~', 'chown -R me:me ./src'],
    command: (command, scene) => {
      if (!/^ch(?:mod|own|grp|attr|con)$/.test(command.name)) return false
      const recursive = hasOption(command, 'R', '--recursive')
      const closing =
        command.name === 'chmod' &&
        /^(?:0*[0-3]\d\d|[augo]*-[rwx]*[wx][rwx]*)$/.test(operands(command)[0]?.literal ?? command.args[0] ?? '')
      return (recursive || closing) && hitsProtected(command, scene, true, operands(command).slice(1))
    },
  },
]
