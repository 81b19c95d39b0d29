import { OWNER, type Who } from './token.ts'

/** Whose share of a bounded number of places a call takes: a token's id; null: the owner's, which is all that is free. */
export type Sharer = string | null

export const sharerOf = ({ id }: Pick<Who, 'id'>): Sharer => (id === OWNER.id ? null : id)

/** Whether a sharer that holds `own` of the `taken` places may take another: a token leaves to others as many as it holds. */
export const mayTake = (sharer: Sharer, { own, taken, most }: { own: number; taken: number; most: number }): boolean =>
  taken < most && (sharer === null || own < most - taken)

/** Whether a sharer that holds `own` of the `taken` slots may hold another: the last is for the owner, or for a token that holds none. */
export const mayHold = (sharer: Sharer, { own, taken, most }: { own: number; taken: number; most: number }): boolean =>
  taken < most && (sharer === null || own === 0 || taken < most - 1)
