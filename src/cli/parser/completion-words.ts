import type { Completes } from './subcommand.ts'

/** What completion offers in one place: fixed words, and names that the script reads when it runs. */
export interface Offer {
  words: readonly string[]
  /** words to offer only when the first letter is typed, because there are many */
  rareWords?: readonly string[]
  /** for the operand after each word; undefined: every operand is one of these words */
  next?: ReadonlyMap<string, readonly string[]>
  /** undefined: no names */
  names?: Exclude<Completes, 'topics' | 'subcommands' | 'settings' | 'setting and value'> | undefined
}

/** What completion offers after a subcommand or a verb. */
export interface CompletionWords {
  name: string
  operands: Offer
  /** how many operands it takes at most, a verb included */
  most: number
  /** options end at the first operand, where another command begins */
  optionsFirst: boolean
  /** the options, each with its values; null: a switch */
  options: Map<string, Offer | null>
  /** the short names of options that take a value */
  shortWithValue: string[]
  verbs: CompletionWords[]
}
