/** Programs that archive files, or copy them elsewhere. */
import { changedWord, cutWord, literalWord, type Word } from '../script/script.ts'
import { changes, type Effect, network, unknownFiles, when } from './effect.ts'
import { joinedWord, moved, readWhole, written } from './paths.ts'
import { type Call, has, piped, anyOperandLike, valuesOfOption } from './program.ts'
import { table } from './table.ts'

const packed = (call: Call, words: readonly Word[] = call.operands): Effect[] =>
  readWhole(words, { except: valuesOfOption(call, 'exclude x').map((pattern) => pattern.replace(/^-?[rR]?!/, '')) })

// tar -f
const archivesOf = ({ arguments: given }: Call) =>
  given.filter(({ option }) => option === 'f' || option === 'file').map(({ word }) => word)

// tar -C: returns the possible locations of the operands after it
function placed(call: Call): readonly Word[] {
  const folders = valuesOfOption(call, 'C directory')
  const below = (word: Word) => folders.map((folder) => changedWord(word, (text) => `${folder}/${text}`))
  return call.operands.flatMap((word) => [word, ...(word.prefix.startsWith('/') ? [] : below(word))])
}

const mirroring = 'del delete delete-after delete-before delete-during delete-excluded'

// -C applies to the operands that follow it, so an operand may be in any of these directories
function foldersOf({ arguments: given }: Call): readonly Word[] {
  const folders = given.filter(({ kind, option }) => kind === 'dir' && option !== null).map(({ word }) => word)
  return folders.length > 0 ? folders : [literalWord('.')]
}
const startsOf = (call: Call) =>
  foldersOf(call).flatMap((folder) => call.operands.map((word) => joinedWord(folder, word)))

// tar -cf -
const printsArchive = (call: Call) =>
  has(call, 'c create') && !has(call, 'remove-files') && valuesOfOption(call, 'f file').join() === '-'

// zip -TT CODE, with the code attached or the option among other letters
const testsBy = ({ words }: Call) =>
  words.flatMap((word, at) => {
    const given = /^-[a-zA-Z]*?TT/.exec(word.prefix)?.[0]
    if (given === undefined) return []
    return word.prefix.length > given.length ? [cutWord(word, given.length)] : words.slice(at + 1, at + 2)
  })

export const archives = table([
  {
    names: 'zip',
    does: [changes],
    startsOthers: /^-[a-zA-Z]*TT|^--unzip-command/,
    options: { dir: 'b', code: 'TT unzip-command', text: 'x i exclude' },
    codes: testsBy,
    effects: (call) => [
      ...when(has(call, 'r recurse-paths'), ...packed(call)),
      ...written(call.operands.slice(0, 1)),
      ...when(has(call, 'm move'), ...moved(call.operands)),
      ...when(has(call, '@'), unknownFiles),
    ],
  },
  {
    names: '7z 7za 7zr 7zz rar ar',
    does: [changes],
    options: { dir: 'o w' },
    effects: (call) => [...packed(call), ...when(has(call, 'sdel'), ...moved(call.operands))],
  },
  {
    names: 'unzip unrar',
    operands: 'read maybe',
    options: { dir: 'd', text: 'x P' },
    effects: (call) => when(!has(call, 'l v t p Z'), changes),
  },
  {
    names: 'tar bsdtar gtar',
    bare: true,
    startsOthers: /^--checkpoint-act|^--use-comp|^--to-com/,
    options: {
      read: 'f file X exclude-from',
      list: 'T files-from',
      dir: 'C directory',
      text: `
        exclude transform owner group mode b L N V strip-components strip format sort mtime newer xform
        blocking-factor checkpoint-action
      `,
      code: 'I F use-compress-program to-command rsh-command rmt-command info-script new-volume-script',
    },
    codes: (call) => piped(valuesOfOption(call, 'checkpoint-action'), /^exec=(.*)$/s),
    effects: (call) => [
      ...when(has(call, 'c r u create append update'), ...packed(call, placed(call)), ...written(archivesOf(call))),
      ...when(has(call, 'x extract get'), ...written(foldersOf(call))),
      ...when(has(call, 'remove-files'), ...moved(startsOf(call))),
      ...when(has(call, 'recursive-unlink') && has(call, 'x extract get'), ...moved(foldersOf(call))),
      ...when(!has(call, 't list') && !printsArchive(call), changes),
      ...when(has(call, 'P absolute-names'), unknownFiles),
    ],
  },
  {
    names: 'cpio pax',
    startsOthers: /^--rsh-command/,
    does: [changes, unknownFiles],
    options: { read: 'I E', write: 'F O file', dir: 'D directory', text: 'H R format' },
  },
  {
    names: 'rsync',
    operands: 'read',
    last: 'write',
    remote: true,
    addsWords: 'e rsh',
    options: {
      code: 'e rsh rsync-path',
      text: 'f filter exclude include chmod bwlimit port timeout out-format info',
      read: 'exclude-from include-from password-file link-dest compare-dest',
      list: 'files-from',
      write: 'T temp-dir log-file partial-dir backup-dir',
    },
    effects: (call) => [
      ...when(has(call, mirroring), ...moved(call.operands.slice(-1))),
      ...when(has(call, 'remove-source-files'), ...moved(call.operands)),
      ...packed(call, call.operands.slice(0, -1)),
      ...when(anyOperandLike(call, /^[^/]*:|^rsync:/), network),
    ],
  },
])
