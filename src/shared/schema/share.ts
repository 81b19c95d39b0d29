import { OWNER, type Who } from './token.ts'

/** The account that a call's slot counts against: a token's id; null: the owner, who may use every free slot. */
export type Sharer = string | null

export const sharerOf = ({ id }: Pick<Who, 'id'>): Sharer => (id === OWNER.id ? null : id)

/** Whether a sharer that has `own` of the `taken` slots may take another: a token must leave as many for others as it has. */
export const mayTake = (sharer: Sharer, { own, taken, most }: { own: number; taken: number; most: number }): boolean =>
  taken < most && (sharer === null || own < most - taken)

/** Whether a sharer that has `own` of the `taken` slots may hold another: the last is reserved for the owner, or for a token that holds none. */
export const mayHold = (sharer: Sharer, { own, taken, most }: { own: number; taken: number; most: number }): boolean =>
  taken < most && (sharer === null || own === 0 || taken < most - 1)
