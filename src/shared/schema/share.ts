import { OWNER, type Who } from './token.ts'

/** The holder of a slot: a token's id, or null for the owner, who may use every free slot. */
export type Sharer = string | null

export const sharerOf = ({ id }: Pick<Who, 'id'>): Sharer => (id === OWNER.id ? null : id)

/** Whether a sharer that uses `own` of the `taken` slots may take another. A token must leave as many free slots as it uses. */
export const mayTake = (sharer: Sharer, { own, taken, most }: { own: number; taken: number; most: number }): boolean =>
  taken < most && (sharer === null || own < most - taken)

/** Whether a sharer that holds `own` of the `taken` slots may hold another. The last slot is reserved for the owner, or for a token that holds none. */
export const mayHold = (sharer: Sharer, { own, taken, most }: { own: number; taken: number; most: number }): boolean =>
  taken < most && (sharer === null || own === 0 || taken < most - 1)
