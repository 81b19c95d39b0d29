/** Programs that pack files, or bring them elsewhere. */
import { certain, changes, deleted } from './deletions.ts'
import type { Effect } from './effect.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

const packed = (call: Call, words = call.operands): Effect[] =>
  has(call, 'exclude x') ? [] : words.map((word) => ({ does: 'reads', path: certain(word), recursive: true }))
const moved = (call: Call, names: string): Effect[] =>
  has(call, names) ? deleted(call.operands, { recursive: true, how: 'moves' }) : []
const unknown: Effect = { does: 'unknown', what: 'files' }

export const archives: readonly Program[] = [
  {
    names: 'zip',
    operands: 'maybe',
    options: { dir: 'b', code: 'TT unzip-command', text: 'x i exclude' },
    others: /^-[a-zA-Z]*TT|^--unzip-command/,
    effects: (call) => [
      ...(has(call, 'r recurse-paths') ? packed(call) : []),
      ...moved(call, 'm move'),
      ...(has(call, '@') ? [unknown] : []),
      ...changes(),
    ],
  },
  {
    names: '7z 7za 7zr 7zz rar ar',
    operands: 'maybe',
    options: { dir: 'o w' },
    effects: (call) => [...packed(call), ...moved(call, 'sdel'), ...changes()],
  },
  {
    names: 'unzip unrar',
    operands: 'read maybe',
    options: { dir: 'd', text: 'x P' },
    effects: (call) => (has(call, 'l v t p Z') ? [] : changes()),
  },
  {
    names: 'tar bsdtar gtar',
    bare: true,
    options: {
      read: 'f file X exclude-from',
      list: 'T files-from',
      dir: 'C directory',
      text: 'exclude transform owner group mode b L N V strip-components strip format sort mtime newer xform blocking-factor',
      code: 'I F use-compress-program to-command rsh-command rmt-command info-script new-volume-script',
    },
    others: /^--checkpoint-act|^--use-comp|^--to-com/,
    effects: (call) => [
      ...(has(call, 'c r u create append update') ? packed(call) : []),
      ...moved(call, 'remove-files'),
      ...(has(call, 't list') ? [] : changes()),
      ...(has(call, 'P absolute-names') ? [unknown] : []),
    ],
  },
  {
    names: 'cpio pax',
    operands: 'maybe',
    options: { read: 'I E', write: 'F O file', dir: 'D directory', text: 'H R format' },
    others: /^--rsh-command/,
    effects: () => [...changes(), unknown],
  },
  {
    names: 'rsync',
    remote: true,
    operands: 'read',
    last: 'write',
    options: {
      code: 'e rsh rsync-path',
      text: 'f filter exclude include chmod bwlimit port timeout out-format info',
      read: 'exclude-from include-from password-file link-dest compare-dest',
      list: 'files-from',
      write: 'T temp-dir log-file partial-dir backup-dir',
    },
    effects: (call) => [
      ...(has(call, 'del delete delete-after delete-before delete-during delete-excluded')
        ? deleted(call.operands.slice(-1), { recursive: true, how: 'moves' })
        : []),
      ...moved(call, 'remove-source-files'),
      ...packed(call, call.operands.slice(0, -1)),
      ...(operandTexts(call).some((one) => /^[^/]*:|^rsync:/.test(one)) ? [{ does: 'network' } as const] : []),
    ],
  },
]
