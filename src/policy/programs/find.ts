/** Programs that walk through folders. */
import { literalWord, valuesOf, type Word } from '../shell/script.ts'
import type { Effect } from './effect.ts'
import { pathOf } from './paths.ts'
import { type Call, has, type Program, type Span } from './program.ts'

// -exec and its kin, up to ; or to {} +
function spansOf(words: readonly Word[]): readonly Span[] {
  return words.flatMap((word, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word.literal ?? '')) return []
    const end = words.findIndex(
      (other, index) =>
        index > at && (other.literal === ';' || (other.literal === '+' && words[index - 1]!.literal === '{}')),
    )
    return [{ from: at + 1, to: end < 0 ? words.length : end }]
  })
}

// names below the directories that it starts from, unless it prints in its own way
function printed(words: readonly Word[]): string[] | null {
  const texts = words.map((word) => word.literal)
  if (texts.some((text) => text === null || /^-(?:exec|ok|f?print[f0]|delete|fls|ls)/.test(text))) return null
  const end = texts.findIndex((text) => /^[-(!]/.test(text!))
  const starts = texts.slice(0, end < 0 ? undefined : end)
  if (starts.some((start) => /^\/|^~|\.\./.test(start!))) return null
  return (starts.length > 0 ? starts : ['.']).map((start) => `${start}/*`)
}

// its operands before the first test, else the directory itself
function startsOf(call: Call): readonly Word[] {
  const words = call.words.filter((word) => !/^-[HLPDO]/.test(word.literal ?? ''))
  const end = words.findIndex((word) => /^[-(!]/.test(word.literal ?? ''))
  const starts = words.slice(0, end < 0 ? undefined : end)
  return starts.length > 0 ? starts : [literalWord('.')]
}

// with a filter that names something it is housekeeping; without one it is a wipe
function isNarrow(call: Call): boolean {
  const texts = call.words.map((word) => word.literal ?? '')
  return texts.some(
    (text, at) =>
      /^-i?(?:name|path|regex|wholename)$/.test(text) &&
      /[A-Za-z0-9]{2}/.test(texts[at + 1] ?? '') &&
      texts[at - 1] !== '!' &&
      texts[at - 1] !== '-not',
  )
}

const removing = /(?:^|\/)(?:rm|unlink|shred|srm|mv|rmdir|trash)$/

function effects(call: Call): Effect[] {
  const found: Effect[] = []
  const handed = call.commands.flatMap((words) => words.slice(0, 7)).some((word) => removing.test(word.literal ?? ''))
  const narrow = isNarrow(call)
  for (const word of startsOf(call)) {
    const path = pathOf(word, true)
    if (has(call, 'delete')) found.push({ does: 'deletes', path, recursive: true, narrow, forced: true })
    else if (handed) found.push({ does: 'deletes', path, recursive: true, narrow, how: 'hands' })
    else found.push({ does: 'lists', path, narrow })
  }
  if (call.words.some((word) => word.splits && word.fields === null)) found.push({ does: 'runs', what: 'hidden' })
  return found
}

export const find: readonly Program[] = [
  {
    names: 'find gfind',
    dashed: true,
    options: {
      text: 'name iname path ipath regex iregex wholename iwholename lname ilname type xtype size amin cmin mmin atime ctime mtime perm maxdepth mindepth user group printf regextype links inum uid gid newermt fstype used D',
      read: 'newer anewer cnewer samefile files0-from',
      write: 'fprint fprint0 fprintf fls',
    },
    operands: 'read',
    spans: spansOf,
    stream: 'names',
    prints: printed,
    others: null,
    effects,
  },
  {
    names: 'fd fdfind',
    others: /^-[xX].|^--exec/,
    stream: 'names',
    options: {
      text: 'e t d E S j extension type max-depth min-depth exclude size changed-within changed-before threads',
      read: 'ignore-file',
      dir: 'C base-directory search-path',
    },
    operands: 'text read',
    spans: (words) => {
      const at = words.findIndex((word) => /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(word.literal ?? ''))
      return at < 0 ? [] : [{ from: at + 1, to: words.length }]
    },
    effects: (call) => {
      const handed = call.commands.some((words) => removing.test(words[0]?.literal ?? ''))
      const starts = call.operands.length > 1 ? call.operands.slice(1) : [literalWord('.')]
      const pattern = valuesOf(call.operands[0] ?? literalWord(''))?.join('') ?? ''
      const narrow = has(call, 'e extension') || /[A-Za-z0-9]{2}/.test(pattern)
      const paths = starts.map((word) => pathOf(word, true))
      return paths.map((path) =>
        handed ? { does: 'deletes', path, recursive: true, narrow, how: 'hands' } : { does: 'lists', path, narrow },
      )
    },
  },
]
