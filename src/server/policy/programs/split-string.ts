/** The words in the value of `env -S`, as env splits it: its quotes and escapes are its own, and ${NAME} alone is expanded. */
import { literalWord, unknownWord, type Word } from '../script/script.ts'

// outside of quotes \_ parts words, the others are characters of a word
const blanks: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', _: ' ' }
const pieces = /\\([^])|(['"])|\$\{([A-Za-z_]\w*)\}|([^])/g

interface WordSplitter {
  words: Word[]
  text: string | null // of the word that is read; null: between two
  isKnown: boolean // no variable takes part in it
  quote: string // '' outside of any
}

/** The words of a value; null where env refuses it, or where env programs differ. */
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

// whether env knows the escape
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
