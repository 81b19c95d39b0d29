/** Programs that search directories. */
import { cutWord, isAnything, literalWord, unknownWord, valuesOf, type Word } from '../script/script.ts'
import { type FileFilter, type Effect, hidden, when } from './effect.ts'
import { deleted, joinedWord, pathOf, readWhole } from './paths.ts'
import { type Call, deletes, has, type RowOf, type WordRange } from './program.ts'
import { table } from './table.ts'

// -exec, -execdir, -ok and -okdir, up to ; or to {} +, and in busybox also to x{} +
function spansOf(words: readonly Word[]): readonly WordRange[] {
  const isPlus = ({ literal }: Word, at: number) => literal === '+' && words[at - 1]!.source.includes('{}')
  const isEnd = (word: Word, at: number) =>
    word.literal === ';' || (isPlus(word, at) && words[at - 1]!.literal === '{}')
  return words.flatMap(({ literal }, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(literal ?? '')) return []
    const from = at + 1
    const found = words.findIndex((word, index) => index > at && isEnd(word, index))
    const to = found < 0 ? words.length : found
    const earlier = words.findIndex((word, index) => index > at && index < to && isPlus(word, index))
    return earlier < 0
      ? [{ from, to }]
      : [
          { from, to: earlier },
          { from, to },
        ]
  })
}

// the words before the first test: the start directories
function startsOf(words: readonly Word[]): readonly Word[] {
  const end = words.findIndex((word) => /^[-(!]/.test(word.literal ?? ''))
  return end === 0 || words.length === 0 ? [literalWord('.')] : words.slice(0, end < 0 ? undefined : end)
}

// returns patterns for the names that find prints; null if it prints another format
function printed(words: readonly Word[]): string[] | null {
  const known = words.map((word) => word.literal)
  if (known.some((text) => text === null || /^-(?:exec|ok|f?print[f0]|delete|fls|ls)/.test(text))) return null
  const starts = startsOf(words).map((word) => word.literal!)
  return starts.some((start) => /^\/|^~|\.\./.test(start)) ? null : starts.map((start) => `${start}/*`)
}

// whether a filter selects certain names: with one, a deletion is ordinary housekeeping; without one, it deletes everything
function isNarrow(call: Call): boolean {
  const texts = call.words.map((word) => word.literal ?? '')
  const names = (text: string, at: number) =>
    /^-i?(?:name|path|regex|wholename)$/.test(text) &&
    /[A-Za-z0-9]{2}/.test(texts[at + 1] ?? '') &&
    !/^(?:!|-not)$/.test(texts[at - 1] ?? '')
  return texts.some(names)
}

// whether a program that receives the names deletes them
const removes = ({ commands }: Call, rowOf: RowOf) =>
  commands.some((words) => words.slice(0, 7).some(({ literal }) => literal !== null && deletes(literal, rowOf)))

// returns patterns for everything below the start directories; null if the names are filtered or unknown. Below /dev, filtered names are disks, too.
const whole = (starts: readonly Word[], narrow: boolean): readonly string[] | null =>
  (narrow && !starts.some(({ prefix }) => /^\/+dev(?:\/|$)/.test(prefix))) ||
  starts.some(({ literal }) => literal === null)
    ? null
    : starts.map(({ literal }) => `${literal!.replace(/\/+$/, '')}/*`)

// whether a program that receives the names opens the files, according to its row
const opens = ({ commands }: Call, rowOf: RowOf) =>
  commands.some(([name]) => {
    const row = rowOf(name?.literal?.replace(/^.*\//s, '') ?? '')
    if (!row) return true
    const { operands = '', printsExactly, spans, stream } = row
    if (printsExactly || spans || /^(?:name|text|delete)$/.test(operands)) return false
    return stream !== 'names' || operands.includes('read')
  })

function walks(call: Call, starts: readonly Word[], narrow: boolean, below: FileFilter, rowOf: RowOf): Effect[] {
  if (removes(call, rowOf)) return deleted(starts, { recursive: true, narrow, below, how: 'hands' })
  if (opens(call, rowOf)) return readWhole(starts, below)
  return starts.map((word) => ({ does: 'lists', path: pathOf(word), narrow, below }))
}

const isName = /^-i?name$/
const isPath = /^-i?(?:path|wholename)$/

// converts a pattern of find to a shell pattern that matches at least the same names
function patternsOf(word: Word | undefined, ignoresCase: boolean): readonly string[] {
  const either = (letter: string) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`
  return ((word && valuesOf(word)) ?? ['*']).map((value) => {
    const plain = value.replace(/\\(.)/g, '$1')
    if (!ignoresCase) return plain
    return plain.includes('[') ? '*' : plain.replace(/[a-z]/gi, either)
  })
}

// returns the filter that find's tests amount to: the names that each alternative requires, and the names that it skips
function tested({ words }: Call): FileFilter {
  const texts = words.map(({ literal }) => literal ?? '')
  const most = texts.indexOf('-maxdepth')
  const depth = most < 0 ? Infinity : Number.parseInt(texts[most + 1] ?? '', 10) || Infinity
  const only: string[] = []
  const except: string[] = []
  let isFiltered = true
  let asked = false
  for (const [at, text] of texts.entries()) {
    if (/^-(?:o|or)$|^,$/.test(text)) {
      isFiltered &&= asked
      asked = false
    } else if (isName.test(text) || isPath.test(text)) {
      const skips =
        /^(?:!|-not)$/.test(texts[at - 1] ?? '') || (texts[at + 2] === '-prune' && /^-o/.test(texts[at + 3] ?? ''))
      ;(skips ? except : only).push(...patternsOf(words[at + 1], !skips && text.startsWith('-i')))
      asked = true
    }
  }
  return isFiltered && asked && only.length > 0 ? { only, except, depth } : { except, depth }
}

const pathsIn = ({ words }: Call) => startsOf(words.filter(({ literal }) => !/^-[HLPDO]/.test(literal ?? '')))

function effects(call: Call, rowOf: RowOf): Effect[] {
  const starts = pathsIn(call)
  const narrow = isNarrow(call)
  const below = tested(call)
  const found = has(call, 'delete')
    ? deleted(starts, { recursive: true, narrow, below, forced: true })
    : walks(call, starts, narrow, below, rowOf)
  return [...found, ...when(call.words.some(isAnything), hidden)]
}

function fdStarts({ operands: [, ...starts], arguments: given }: Call): readonly Word[] {
  const folder = given.find(({ kind, option }) => kind === 'dir' && option !== null)?.word ?? literalWord('.')
  return starts.length > 0 ? starts.map((start) => joinedWord(folder, start)) : [folder]
}
const fdNarrow = (call: Call) =>
  has(call, 'e extension') || /[A-Za-z0-9]{2}/.test((call.operands[0] && valuesOf(call.operands[0])?.join('')) ?? '')
// fd skips hidden files unless an option includes them
const fdBelow = (call: Call): FileFilter => ({
  ...fdOnly(call),
  ...(has(call, 'H hidden u unrestricted') ? {} : { except: ['.*'] }),
})
// a regular expression without special characters but the dot; in lower case it matches both cases
function fdOnly(call: Call): FileFilter {
  const text = call.operands[0]?.literal ?? ''
  if (!/^[\w.-]+$/.test(text) || has(call, 'p full-path g glob')) return {}
  const either = text
    .replaceAll('.', '?')
    .replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
  return { only: [`*${either}*`] }
}
const fdEffects = (call: Call, rowOf: RowOf) => walks(call, fdStarts(call), fdNarrow(call), fdBelow(call), rowOf)

function fdSpans(words: readonly Word[]): readonly WordRange[] {
  const at = words.findIndex((word) => /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(word.literal ?? ''))
  return at < 0 ? [] : [{ from: at + 1, to: words.length }]
}

// -xCODE and --exec=CODE: the code consists of the attached value and all words after it
function fdCodes({ words }: Call): readonly Word[] {
  const glued = (word: Word) => /^(?:-[HIusigFapLl0q1]*[xX]=?(?=.)|--exec(?:-batch)?=)/.exec(word.prefix)?.[0]
  const at = words.findIndex((word) => glued(word) !== undefined)
  if (at < 0) return []
  const [first, ...others] = [cutWord(words[at]!, glued(words[at]!)!.length), ...words.slice(at + 1)]
  const texts = [first!, ...others].map(({ literal }) => literal)
  return [texts.includes(null) ? unknownWord(first!.source) : literalWord(texts.join(' '))]
}

export const find = table([
  {
    names: 'find gfind',
    operands: 'read',
    dashed: true,
    stream: 'names',
    plain: true,
    options: {
      text: `
        name iname path ipath regex iregex wholename iwholename lname ilname type xtype size amin cmin mmin
        atime ctime mtime perm maxdepth mindepth user group printf regextype links inum uid gid newermt fstype
        used D
      `,
      read: 'newer anewer cnewer samefile files0-from',
      write: 'fprint fprint0 fprintf fls',
    },
    spans: spansOf,
    placeholders: (call) => whole(pathsIn(call), isNarrow(call)),
    prints: printed,
    effects,
  },
  {
    names: 'fd fdfind',
    operands: 'text read',
    appendsPlaceholder: true,
    startsOthers: /^-[xX].|^--exec/,
    stream: 'names',
    options: {
      text: 'e t d E S j extension type max-depth min-depth exclude size changed-within changed-before threads',
      read: 'ignore-file',
      dir: 'C base-directory search-path',
    },
    spans: fdSpans,
    codes: fdCodes,
    placeholders: (call) => whole(fdStarts(call), fdNarrow(call)),
    effects: fdEffects,
  },
])
