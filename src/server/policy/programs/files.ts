/** Programs that create, copy, move and remove files. */
import { literalWord, unknownWord, valuesOf, type Word } from '../script/script.ts'
import { changes, type Effect, when } from './effect.ts'
import { deleted, type Deletion, moved, pathOf, readWhole } from './paths.ts'
import { type Call, firstOf, has } from './program.ts'
import { table } from './table.ts'

// stands for a file name from a list
const anyWord = unknownWord('')

function removes(call: Call): Effect[] {
  const more: Deletion = { recursive: has(call, 'r R recursive'), forced: has(call, 'f force') }
  return [
    ...deleted(call.operands, more),
    ...when(call.command.fed, ...deleted([anyWord], { ...more, fed: true })),
    ...when(has(call, 'no-preserve-root'), ...deleted([literalWord('/')], { recursive: true })),
  ]
}
// del /f, rmdir /s
const erases = (call: Call): readonly Effect[] => [
  ...deleted(call.operands, { how: 'moves' }),
  changes,
  ...when(/^\/[fqs]$/i.test(firstOf(call)), { does: 'erases' }),
]

const minus = /^-[rwxXst]+$/

function permits(call: Call): Effect[] {
  const given = call.arguments.filter(({ kind, option }) => kind === 'write' && option === null)
  const taken = call.words.find(({ literal }) => minus.test(literal ?? ''))?.literal
  const shown = taken ? `a${taken}` : firstOf(call)
  const takesAway =
    /^0*[0-3]\d\d$|^(?:[ao]*u[augo]*|a|)(?:-[rwx]*[wxr][rwx]*|=[r]?)$/.test(shown) && !/^[go]+[-=]/.test(shown)
  const closing = call.command.name === 'chmod' && takesAway
  const recursive = has(call, 'R recursive')
  return given.map(({ word }) => ({ does: 'permits', path: pathOf(word), recursive, closing }))
}

function nameOfTemporary(given: readonly Word[], { TMPDIR }: { TMPDIR?: string | undefined }) {
  const template = given.map(valuesOf).find((known) => known?.[0]?.includes('XXX'))
  if (given.some((word) => !/^-[dqtu]+$/.test(word.literal ?? '')) && !template) return null
  return template ?? [`${TMPDIR ?? '/tmp'}/tmp.XXXXXX`]
}

export const fileTools = table([
  { names: 'rm! grm unlink', operands: 'delete', plain: true, tier: 'deletion', effects: removes },
  {
    names: 'truncate',
    operands: 'delete',
    plain: true,
    options: { text: 's size', read: 'r reference' },
    effects: removes,
  },
  {
    names: 'shred srm wipe rimraf del-cli',
    operands: 'delete',
    options: { text: 'n s iterations size', read: 'random-source' },
    effects: ({ command: { fed }, operands }) => deleted(fed ? [...operands, anyWord] : operands, { recursive: true }),
  },
  { names: 'trash trash-put trash-cli gio', operands: 'delete', effects: (call) => moved(call.operands) },
  { names: 'rmdir rd del erase', operands: 'delete', plain: true, tier: 'deletion', effects: erases },
  {
    names: 'mv! gmv',
    operands: 'delete',
    last: 'write',
    plain: true,
    copies: true,
    options: { write: 't target-directory', text: 'S suffix' },
    effects: (call) => moved(call.operands.slice(0, has(call, 't target-directory') ? undefined : -1)),
  },
  {
    names: 'cp! gcp install ln link simg2img',
    operands: 'read',
    last: 'write',
    copies: true,
    options: { write: 't target-directory', text: 'S m o g suffix mode owner group', code: 'strip-program' },
    addsWords: 'strip-program',
    effects: (call) => (has(call, 'r R a recursive archive') ? readWhole(call.operands.slice(0, -1)) : []),
  },
  { names: 'tee sponge', operands: 'write', plain: true, stream: 'same', passesInput: 'always' },
  { names: 'touch!', operands: 'write', plain: true, options: { text: 'd t date time', read: 'r reference' } },
  { names: 'mkdir! mkfifo mknod setfattr', operands: 'write', plain: true, options: { text: 'm mode' } },
  {
    names: 'mktemp',
    operands: 'write',
    plain: true,
    does: [changes],
    options: { dir: 'p tmpdir', text: 'suffix' },
    prints: nameOfTemporary,
  },
  {
    names: 'patch',
    operands: 'write read',
    startsOthers: /^-[eg]$|^--(?:ed|get)/,
    does: [changes],
    options: { text: 'p F D B V z', write: 'o r', read: 'i input', dir: 'd directory' },
  },
  {
    names: 'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress lzma pigz brotli',
    operands: 'write',
    plain: true,
    does: [changes],
    options: { text: 'S T suffix threads', write: 'o output-dir-flat' },
  },
  {
    names: 'split csplit',
    operands: 'read write',
    does: [changes],
    options: { text: 'n b l a C t lines bytes number suffix-length', code: 'filter' },
  },
  {
    names: 'chmod! chown! chgrp',
    operands: 'text write',
    unless: 'reference r w x X s t',
    plain: true,
    tier: 'permission',
    options: { read: 'reference from' },
    effects: permits,
  },
  {
    names: 'setfacl chattr chcon restorecon',
    operands: 'write',
    plain: true,
    options: { text: 'm x modify remove set', read: 'M X reference restore set-file' },
    effects: permits,
  },
  { names: 'scrub fallocate', operands: 'write', options: { text: 'l o p length offset' } },
])
