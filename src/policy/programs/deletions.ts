/** What several programs of files do alike. */
import { pathOf } from './paths.ts'
import type { Effect, PathWord } from './effect.ts'
import type { Word } from '../shell/script.ts'

/** A word that is a file whatever it looks like. */
export const certain = (word: Word): PathWord => pathOf(word, true)

/** Files, packages or state change in a way that no path tells. */
export const changes = (): Effect[] => [{ does: 'changes' }]

export type Deletion = Omit<Extract<Effect, { does: 'deletes' }>, 'does' | 'path'>

/** Deletes what these words name. */
export const deleted = (words: readonly Word[], more: Deletion): Effect[] =>
  words.map((word) => ({ does: 'deletes', path: certain(word), ...more }))
