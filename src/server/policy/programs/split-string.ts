/** Splits the value of `env -S` into words as env does: with env's own quotes and escapes, and expanding only ${NAME}. */
import { literalWord, unknownWord, type Word } from '../script/script.ts'

// outside quotes, \_ separates words; the other escapes stand for characters of a word
const blanks: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', _: ' ' }
const pieces = /\\([^])|(['"])|\$\{([A-Za-z_]\w*)\}|([^])/g

interface WordSplitter {
  words: Word[]
  text: string | null // the current word; null: between two words
  isKnown: boolean // the current word contains no variable
  quote: string // the open quotation mark; '' outside quotes
}

/** Returns the words of a value; null if env rejects it, or if implementations of env differ. */
export function splitString(value: string): Word[] | null {
  const state: WordSplitter = { words: [], text: null, isKnown: true, quote: '' }
  for (const [whole, escaped, quote, variable] of value.matchAll(pieces)) {
    if (escaped !== undefined && state.quote !== "'") {
      if (escaped === 'c' && state.quote === '') break
      if (!unescape(escaped, state)) return null
    } else if (escaped !== undefined) add(/['\\]/.test(escaped) ? escaped : whole, state)
    else if (quote !== undefined) openOrClose(quote, state)
    else if (variable !== undefined && state.quote !== "'") addUnknown(state)
    else if (variable !== undefined || state.quote !== '') {
      if (whole === '$' && state.quote === '"') return null
      add(whole, state)
    } else if (/\s/.test(whole)) endWord(state)
    else if (whole === '#' && state.text === null) break
    else if (whole === '$' || whole === '\\') return null
    else add(whole, state)
  }
  if (state.quote !== '') return null
  endWord(state)
  return state.words
}

function add(text: string, state: WordSplitter): void {
  state.text = (state.text ?? '') + text
}

function addUnknown(state: WordSplitter): void {
  add('', state)
  state.isKnown = false
}

function openOrClose(quote: string, state: WordSplitter): void {
  if (state.quote !== '' && state.quote !== quote) return add(quote, state)
  state.quote = state.quote === '' ? quote : ''
  add('', state)
}

// returns whether env knows the escape
function unescape(escaped: string, state: WordSplitter): boolean {
  const blank = blanks[escaped]
  if (escaped === '_' && state.quote === '') endWord(state)
  else if (blank !== undefined) add(blank, state)
  else if (/["#$'\\]/.test(escaped)) add(escaped, state)
  else return false
  return true
}

function endWord(state: WordSplitter): void {
  if (state.text !== null) state.words.push(state.isKnown ? literalWord(state.text) : unknownWord(state.text))
  state.text = null
  state.isKnown = true
}
