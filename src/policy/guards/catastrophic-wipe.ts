/** Wiping roots, homes, shared storage. */
import { hasOption, operands, type Scene } from '../scene.ts'
import type { SimpleCommand, Word } from '../script.ts'
import { literalWord } from '../words.ts'
import type { Rule } from './rule.ts'
import { couldHit, hitsProtected } from './targets.ts'

const guard = 'catastrophic'
const removers = new Set([
  'rm',
  'unlink',
  'shred',
  'srm',
  'trash',
  'trash-put',
  'wipe',
  'gio',
  'del',
  'rmdir',
  'truncate',
])
const here = [literalWord('.')]

function isRecursive(command: SimpleCommand): boolean {
  return hasOption(command, 'rR', '--recursive') || /^(?:srm|trash|trash-put|wipe|gio)$/.test(command.name)
}

function wipes(command: SimpleCommand, scene: Scene): boolean {
  const { name, args } = command
  const hits = (words?: readonly Word[]) => hitsProtected(command, scene, true, words)
  if (removers.has(name)) {
    return args.includes('--no-preserve-root') || hitsProtected(command, scene, isRecursive(command))
  }
  if (name === 'find') return deletes(command) && !isNarrow(command) && hits(startsOf(command))
  if (name === 'rsync' && args.some((arg) => arg.startsWith('--del'))) return hits(operands(command).slice(-1))
  if (name === 'mv') {
    return hits(operands(command).slice(0, hasOption(command, 't', '--target-directory') ? undefined : -1))
  }
  const moves =
    /^(?:tar|bsdtar|zip|7z|7za|rsync)$/.test(name) &&
    args.some(
      (arg) => /^--remove-(?:source-)?files|^-sdel|^--move$/.test(arg) || (name === 'zip' && /^-\w*m/.test(arg)),
    )
  return moves && hits()
}

/** Where a `find` starts: its operands before the first test, else the directory itself. */
function startsOf(command: SimpleCommand): readonly Word[] {
  const words = command.words.slice(1).filter((word) => !/^-[HLPDO]/.test(word.literal ?? ''))
  const end = words.findIndex((word) => /^[-(!]/.test(word.literal ?? ''))
  const starts = words.slice(0, end < 0 ? undefined : end)
  return starts.length > 0 ? starts : here
}

const removing = /(?:^|\/)(?:rm|unlink|shred|srm|mv)$/

function deletes(command: SimpleCommand): boolean {
  return command.args.some(
    (arg, at) =>
      arg === '-delete' ||
      (/^-(?:exec|ok)(?:dir)?$/.test(arg) && command.args.slice(at + 1, at + 8).some((next) => removing.test(next))),
  )
}

// with a filter that names something it is housekeeping; without one it is a wipe
function isNarrow(command: SimpleCommand): boolean {
  const { args } = command
  return args.some(
    (arg, at) =>
      /^-i?(?:name|path|regex|wholename)$/.test(arg) &&
      /[A-Za-z0-9]{2}/.test(args[at + 1] ?? '') &&
      args[at - 1] !== '!' &&
      args[at - 1] !== '-not',
  )
}

// what xargs hands on comes from a list of a protected directory
function wipesFed(command: SimpleCommand, scene: Scene): boolean {
  const from = command.pipedFrom
  if (!from || !command.wrappers.includes('xargs') || !removers.has(command.name)) return false
  if (from.name === 'find') return !isNarrow(from) && hitsProtected(from, scene, true, startsOf(from))
  const listed = operands(from)
  return from.name === 'ls' && hitsProtected(from, scene, true, listed.length > 0 ? listed : here)
}

const listers = /^(?:find|ls|fd|git|[ef]?grep|rg|sort|head|tail|uniq|awk|sed|tr|cut)$/

function mayWipe(command: SimpleCommand, scene: Scene): boolean {
  if (command.name === 'find') {
    const atRoot = startsOf(command).filter((word) => word.literal === '/')
    return deletes(command) && (couldHit(command, scene) || (atRoot.length > 0 && isNarrow(command)))
  }
  if (!removers.has(command.name)) return false
  // an unquoted unknown word can be options and directories at once
  if (command.words.some((word) => word.splits && word.fields === null && /^"?\$[@*\w{]/.test(word.source))) return true
  if (!isRecursive(command)) return false
  const fed = command.wrappers.includes('xargs') && command.unknownArgs && !listers.test(command.pipedFrom?.name ?? '')
  return fed || couldHit(command, scene)
}

function locksOut(command: SimpleCommand, scene: Scene): boolean {
  if (!/^ch(?:mod|own|grp|attr|con)$/.test(command.name)) return false
  const mode = operands(command)[0]?.literal ?? command.args[0] ?? ''
  const closing = command.name === 'chmod' && /^(?:0*[0-3]\d\d|[augo]*-[rwx]*[wx][rwx]*)$/.test(mode)
  return (
    (hasOption(command, 'R', '--recursive') || closing) &&
    hitsProtected(command, scene, true, operands(command).slice(1))
  )
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
      'tar --remove-files -cf x.tar /sdcard/DCIM',
      "echo 'rm -rf /' > x.sh; sh x.sh",
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
      'mv a ~',
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
    command: locksOut,
  },
]
