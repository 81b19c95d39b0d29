/** Programs that make, copy, move and remove files. */
import { literalWord, valuesOf, type Word } from '../shell/script.ts'
import type { Effect } from './effect.ts'
import { certain, changes, type Deletion, deleted } from './deletions.ts'
import { type Call, has, operandTexts, type Program } from './program.ts'

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

export const files: readonly Program[] = [
  { names: 'rm grm', operands: 'delete', others: null, effects: removes },
  { names: 'unlink', operands: 'delete', others: null, effects: removes },
  {
    names: 'truncate',
    operands: 'delete',
    options: { text: 's size', read: 'r reference' },
    others: null,
    effects: removes,
  },
  {
    names: 'shred srm wipe rimraf del-cli',
    operands: 'delete',
    options: { text: 'n s iterations size', read: 'random-source' },
    effects: wipes,
  },
  {
    names: 'trash trash-put trash-cli gio',
    operands: 'delete',
    effects: (call) => deleted(call.operands, { recursive: true, how: 'moves' }),
  },
  {
    names: 'rmdir rd del erase',
    operands: 'delete',
    others: null,
    effects: (call) => [...deleted(call.operands, { how: 'moves' }), ...changes(), ...erases(call)],
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
  },
  {
    names: 'cp gcp install ln link',
    copies: true,
    operands: 'read',
    last: 'write',
    options: { write: 't target-directory', text: 'S m o g suffix mode owner group', code: 'strip-program' },
    effects: copied,
  },
  { names: 'tee sponge', operands: 'write', others: null, stream: 'same', passes: 'always' },
  {
    names: 'touch mkdir mkfifo mknod setfattr',
    operands: 'write',
    options: { text: 'd t m date mode time', read: 'r reference' },
    others: null,
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
  },
  {
    names: 'patch',
    others: /^-[eg]$|^--(?:ed|get)/,
    operands: 'write read',
    options: { text: 'p F D B V z', write: 'o r', read: 'i input', dir: 'd directory' },
    effects: changes,
  },
  {
    names: 'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress lzma pigz brotli',
    operands: 'write',
    options: { text: 'S T suffix threads', write: 'o output-dir-flat' },
    others: null,
    effects: changes,
  },
  {
    names: 'split csplit',
    operands: 'read write',
    options: { text: 'n b l a C t lines bytes number suffix-length', code: 'filter' },
    effects: changes,
  },
  {
    names: 'chmod chown chgrp setfacl chattr chcon restorecon',
    operands: 'text write',
    unless: 'reference m x M modify remove',
    options: { read: 'reference from', text: 'm x M' },
    others: null,
    effects: permits,
  },
]
