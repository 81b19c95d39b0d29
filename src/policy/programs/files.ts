/** Programs that make, copy, move, pack and remove files, and that format disks. */
import { cutWord, literalWord, valuesOf, type Word } from '../shell/script.ts'
import type { Effect } from './effect.ts'
import { pathOf } from './paths.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

const certain = (word: Word) => pathOf(word, true)
const changes = (): Effect[] => [{ does: 'changes' }]
type Deletion = Omit<Extract<Effect, { does: 'deletes' }>, 'does' | 'path'>
const deleted = (words: readonly Word[], more: Deletion): Effect[] =>
  words.map((word) => ({ does: 'deletes', path: certain(word), ...more }))

const removes = (call: Call): Effect[] => {
  const more: Deletion = { recursive: has(call, 'r R recursive'), forced: has(call, 'f force') }
  return [
    ...deleted(call.operands, more),
    ...(call.command.fed ? deleted([anyWord], { ...more, fed: true }) : []),
    ...deleted(has(call, 'no-preserve-root') ? [literalWord('/')] : [], { recursive: true }),
  ]
}
// a name from a list
const anyWord: Word = { ...literalWord(''), literal: null, fields: null }
const wipes = (call: Call) =>
  deleted(call.command.fed ? [...call.operands, anyWord] : call.operands, { recursive: true })
// del /f, rmdir /s
const erases = (call: Call): Effect[] => (/^\/[fqs]$/i.test(operandTexts(call)[0] ?? '') ? [{ does: 'erases' }] : [])

const copied = (call: Call): Effect[] =>
  has(call, 'r R a recursive archive')
    ? call.operands.slice(0, -1).map((word) => ({ does: 'reads', path: certain(word), recursive: true }))
    : []

const permits = (call: Call): Effect[] => {
  const mode = call.command.words[1]?.literal?.replace(/^-(?=[rwx])/, 'a-') ?? ''
  const shown = /^(?:0*[0-3]\d\d|[augo]*[-=][rwx]*)$/.test(operandTexts(call)[0] ?? '') ? operandTexts(call)[0]! : mode
  const closing =
    /^0*[0-3]\d\d$|^(?:[ao]*u[augo]*|a|)(?:-[rwx]*[wxr][rwx]*|=[r]?)$/.test(shown) && !/^[go]+[-=]/.test(shown)
  return call.operands.slice(has(call, 'reference') ? 0 : 1).map((word) => ({
    does: 'permits',
    path: certain(word),
    recursive: has(call, 'R recursive'),
    closing: call.command.name === 'chmod' && closing,
  }))
}

const packed = (call: Call, words = call.operands): Effect[] =>
  has(call, 'exclude x') ? [] : words.map((word) => ({ does: 'reads', path: certain(word), recursive: true }))
const moved = (call: Call, names: string): Effect[] =>
  has(call, names) ? deleted(call.operands, { recursive: true, how: 'moves' }) : []
const unknown: Effect = { does: 'unknown', what: 'files' }

const looks =
  /^(?:-l|--list|-s|-V|--version|-h|--help|print|info|list|smart-log|id-ctrl|status|luksDump|isLuks|-I|-i|-n|--no-act|-t|-T|--detail|-D)$/

// an image file is a fine thing to format
const formats = (call: Call): Effect[] => {
  const makes = call.command.name.startsWith('mk')
  const informs = makes ? /^(?:-V|--version|-h|--help|-n)$/ : looks
  if (call.operands.length === 0 || call.words.some(({ literal }) => informs.test(literal ?? ''))) return []
  return makes
    ? call.operands.map((word) => ({ does: 'formats', path: certain(word) }))
    : [{ does: 'formats', path: null }]
}

export const files: readonly Program[] = [
  { names: 'rm grm', operands: 'delete', others: null, effects: removes, examples: { 'rm -rf /x': 'deletes /x' } },
  { names: 'unlink', operands: 'delete', others: null, effects: removes, examples: { 'unlink /x': 'deletes /x' } },
  {
    names: 'truncate',
    operands: 'delete',
    options: { text: 's size', read: 'r reference' },
    others: null,
    effects: removes,
    examples: { 'truncate -s 0 /x': 'deletes /x' },
  },
  {
    names: 'shred srm wipe rimraf del-cli',
    operands: 'delete',
    options: { text: 'n s iterations size', read: 'random-source' },
    effects: wipes,
    examples: { 'shred /x': 'deletes /x' },
  },
  {
    names: 'trash trash-put trash-cli gio',
    operands: 'delete',
    effects: (call) => deleted(call.operands, { recursive: true, how: 'moves' }),
    examples: { 'trash /x': 'deletes /x' },
  },
  {
    names: 'rmdir rd del erase',
    operands: 'delete',
    others: null,
    effects: (call) => [...deleted(call.operands, { how: 'moves' }), ...changes(), ...erases(call)],
    examples: { 'rmdir /x': 'deletes /x', 'del /f x': 'erases' },
  },
  {
    names: 'mv gmv',
    copies: true,
    operands: 'delete',
    last: 'write',
    options: { write: 't target-directory', text: 'S suffix' },
    others: null,
    effects: (call) =>
      deleted(call.operands.slice(0, has(call, 't target-directory') ? undefined : -1), {
        recursive: true,
        how: 'moves',
      }),
    examples: { 'mv /x y': 'deletes /x' },
  },
  {
    names: 'cp gcp install ln link',
    copies: true,
    operands: 'read',
    last: 'write',
    options: { write: 't target-directory', text: 'S m o g suffix mode owner group', code: 'strip-program' },
    effects: copied,
    examples: { 'cp -r a /x': 'writes /x' },
  },
  {
    names: 'tee sponge',
    operands: 'write',
    others: null,
    stream: 'same',
    passes: 'always',
    examples: { 'tee /x': 'writes /x' },
  },
  {
    names: 'touch mkdir mkfifo mknod setfattr',
    operands: 'write',
    options: { text: 'd t m date mode time', read: 'r reference' },
    others: null,
    examples: { 'mkdir /x': 'writes /x' },
  },
  {
    names: 'mktemp',
    operands: 'write',
    options: { dir: 'p tmpdir', text: 'suffix' },
    others: null,
    prints: (words, { TMPDIR }) => {
      const template = words.map(valuesOf).find((known) => known?.[0]?.includes('XXX'))
      if (words.some((word) => !/^-[dqtu]+$/.test(word.literal ?? '')) && !template) return null
      return template ?? [`${TMPDIR ?? '/tmp'}/tmp.XXXXXX`]
    },
    effects: changes,
    examples: { 'mktemp -p /x': 'reads /x' },
  },
  {
    names: 'patch',
    operands: 'write read',
    options: { text: 'p F D B V z', write: 'o r', read: 'i input', dir: 'd directory' },
    effects: changes,
    examples: { 'patch -d /x': 'reads /x' },
  },
  {
    names: 'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress lzma pigz brotli',
    operands: 'write',
    options: { text: 'S T suffix threads', write: 'o output-dir-flat' },
    others: null,
    effects: changes,
    examples: { 'gzip /x': 'writes /x' },
  },
  {
    names: 'split csplit',
    operands: 'read write',
    options: { text: 'n b l a C t lines bytes number suffix-length', code: 'filter' },
    effects: changes,
    examples: { 'split --filter=id x': 'runs' },
  },
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
    examples: { 'zip -r a.zip /x': 'reads /x', 'zip a.zip -@': 'unknown' },
  },
  {
    names: '7z 7za 7zr 7zz rar ar',
    operands: 'maybe',
    options: { dir: 'o w' },
    effects: (call) => [...packed(call), ...moved(call, 'sdel'), ...changes()],
    examples: { '7z a x.7z /x': 'reads /x' },
  },
  {
    names: 'unzip unrar',
    operands: 'read maybe',
    options: { dir: 'd', text: 'x P' },
    effects: (call) => (has(call, 'l v t p Z') ? [] : changes()),
    examples: { 'unzip a.zip -d /x': 'reads /x' },
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
    examples: { 'tar czf/etc/x .': 'reads /etc/x', 'tar xf a.tgz -C /': 'reads /', 'tar -I id -cf a b': 'runs' },
  },
  {
    names: 'cpio pax',
    operands: 'maybe',
    options: { read: 'I E', write: 'F O file', dir: 'D directory', text: 'H R format' },
    others: /^--rsh-command/,
    effects: () => [...changes(), unknown],
    examples: { 'cpio -o -F /x': 'writes /x' },
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
    examples: { 'rsync -a a/ /x': 'writes /x', 'rsync a host:b': 'network' },
  },
  {
    names: 'chmod chown chgrp setfacl chattr chcon restorecon',
    operands: 'text write',
    unless: 'reference m x M modify remove',
    options: { read: 'reference from', text: 'm x M' },
    others: null,
    effects: permits,
    examples: { 'chmod -R 777 /x': 'permits /x' },
  },
  {
    names: 'dd',
    operands: 'maybe',
    others: null,
    effects: (call) => [
      ...call.words
        .filter(({ prefix }) => prefix.startsWith('of='))
        .map((word): Effect => ({ does: 'writes', path: certain(cutWord(word, 3)) })),
      ...(call.words.some(({ prefix }) => /^[io]f=/.test(prefix)) ? [{ does: 'images' } as const] : []),
      ...(has(call, 'help version') ? [] : [{ does: 'administers' } as const]),
    ],
    examples: { 'dd if=a of=/x': 'writes /x' },
  },
  {
    names: 'scrub fallocate',
    operands: 'write',
    options: { text: 'l o p length offset' },
    examples: { 'fallocate -l 1 /x': 'writes /x' },
  },
  {
    names: 'mkfs* mke2fs mkswap mkdosfs make_ext4fs newfs* format',
    operands: 'maybe',
    effects: formats,
    examples: { 'mkfs.ext4 /dev/sda': 'formats /dev/sda' },
  },
  {
    names:
      'wipefs blkdiscard badblocks fdisk sfdisk cfdisk gdisk sgdisk parted cryptsetup hdparm nvme flash_image flash_erase nandwrite lvremove vgremove pvremove mdadm diskutil zpool resize2fs tune2fs dmsetup',
    operands: 'maybe',
    effects: formats,
    examples: { 'wipefs -a /dev/sda': 'formats' },
  },
  {
    names: 'diskpart',
    effects: () => [{ does: 'formats', path: null }],
    examples: { diskpart: 'formats' },
  },
]
