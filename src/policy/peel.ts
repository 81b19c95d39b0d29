/** Finds the command, or the code, inside the words of a wrapper. */
import type { Word } from './script.ts'
import { literalWord } from './words.ts'
import type { Wrapper } from './wrappers.ts'

export interface Peeled {
  /** the words of the command that it runs; empty: none */
  words: readonly Word[]
  /** shell code that it runs, as words to be joined with spaces */
  code: readonly Word[] | null
  /** $0, $1 … of that code */
  positional: readonly Word[]
  /** the directory in which it runs them; null: where it was started */
  chdir: Word | null
  wrapper: Wrapper
  /** why what it runs cannot be known */
  doubt: string | null
}

/** Finds what a wrapper runs. `words[0]` is the wrapper's own name. */
export function peel(words: readonly Word[], wrapper: Wrapper): Peeled {
  const peeled: Peeled = {
    words: [],
    code: null,
    positional: [],
    chdir: null,
    wrapper,
    doubt: wrapper.doubtful ? 'it starts other programs in its own way' : null,
  }
  let at = 1
  if (wrapper.after) {
    at = words.findIndex((word) => wrapper.after!.includes(word.literal ?? ''))
    if (
      at < 1 ||
      words.slice(1, at).some((word) => !word.literal?.startsWith('-') && !/^\d/.test(word.literal ?? ''))
    ) {
      return { ...peeled, doubt: null }
    }
    at += 1
  }
  while (at < words.length) {
    const text = words[at]!.literal
    if (text === null) {
      if (words[at]!.splits || words[at]!.fields === null) {
        peeled.doubt = `it cannot be known where the command of ${wrapper.names[0]} begins`
      }
      break
    }
    if (text === '--') {
      at += 1
      break
    }
    if (!/^-./.test(text)) break
    if (wrapper.idle?.includes(text)) return { ...peeled, doubt: null }
    const option = readOption(words, at, text, wrapper)
    if (option.code) return { ...peeled, code: [option.code], positional: words.slice(option.next) }
    peeled.chdir = option.chdir ?? peeled.chdir
    at = option.next
  }
  return { ...peeled, ...rest(words, at, wrapper) }
}

function rest(
  words: readonly Word[],
  start: number,
  wrapper: Wrapper,
): Pick<Peeled, 'words' | 'code'> & { doubt?: string } {
  let at = start
  // env takes every word with a = for an assignment
  while (wrapper.assignments && words[at]?.prefix.includes('=')) at += 1
  at += wrapper.operands ?? 0
  const late =
    wrapper.code && words.findIndex((word, index) => index >= start && wrapper.code!.includes(word.literal ?? ''))
  if (late !== undefined && late >= 0 && wrapper.operands) return { words: [], code: words.slice(late + 1, late + 2) }
  const skipped = words.slice(start, at)
  if (wrapper.operands && skipped.some((word) => word.splits)) {
    return { words: words.slice(at), code: null, doubt: 'an argument that can be several' }
  }
  return wrapper.joined ? { words: [], code: words.slice(at) } : { words: words.slice(at), code: null }
}

interface Option {
  /** where the words go on */
  next: number
  code?: Word
  chdir?: Word
}

function readOption(words: readonly Word[], at: number, text: string, wrapper: Wrapper): Option {
  const value = (glued: string | undefined) =>
    glued === undefined ? (words[at + 1] ?? literalWord('')) : literalWord(glued)
  const next = (glued: string | undefined) => at + (glued === undefined ? 2 : 1)
  if (text.startsWith('--')) {
    const [, name, glued] = /^([^=]*)(?:=(.*))?$/s.exec(text)!
    const isIt = (option: string) => option.startsWith('--') && option.startsWith(name!)
    if (wrapper.code?.some(isIt)) return { next: next(glued), code: value(glued) }
    if (wrapper.chdir && isIt('--chdir')) return { next: next(glued), chdir: value(glued) }
    return { next: wrapper.long?.some(isIt) ? next(glued) : at + 1 }
  }
  for (let index = 1; index < text.length; index += 1) {
    const letter = text[index]!
    const glued = text.slice(index + 1) || undefined
    if (wrapper.code?.includes(`-${letter}`)) return { next: next(glued), code: value(glued) }
    if (wrapper.chdir === letter) return { next: next(glued), chdir: value(glued) }
    if (wrapper.short?.includes(letter)) return { next: next(glued) }
  }
  return { next: at + 1 }
}

/** What `find` runs: one command for each of its -exec, -execdir, -ok and -okdir. */
export function peelFind(words: readonly Word[]): (readonly Word[])[] {
  const found: (readonly Word[])[] = []
  words.forEach((word, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word.literal ?? '')) return
    const end = words.findIndex(
      (other, index) =>
        index > at && (other.literal === ';' || (other.literal === '+' && words[index - 1]!.literal === '{}')),
    )
    found.push(words.slice(at + 1, end < 0 ? undefined : end))
  })
  return found
}
