/** A state machine as data: for each state the events that can occur in it, and the state that follows. A state without events is an end. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string>>>>

/** States that are not an end. */
type Active<T extends StateTable> = { [S in keyof T & string]: keyof T[S] extends never ? never : S }[keyof T & string]
/** Every event of a table. */
export type EventOf<T extends StateTable> = { [S in keyof T]: keyof T[S] & string }[keyof T]

/** For each state what is done in it. Resolves with the event that ended that; the types refuse an event that the state has no row for. */
type Actions<T extends StateTable> = { [S in Active<T>]: () => Promise<keyof T[S] & string> }

/** The state that follows; null: the event cannot occur in this state. */
export function nextState<T extends StateTable>(
  table: T,
  state: keyof T,
  event: EventOf<T>,
): (keyof T & string) | null {
  return table[state]?.[event] ?? null
}

/** Acts from `start` on until an end is reached, and resolves with that. Rejects with what an action rejects with. */
export async function runStates<T extends StateTable>(
  table: T,
  start: Active<T>,
  actions: Actions<T>,
): Promise<Exclude<keyof T & string, Active<T>>>
export async function runStates(
  table: StateTable,
  start: string,
  actions: Record<string, () => Promise<string>>,
): Promise<string> {
  let state = start
  for (let act = actions[state]; act !== undefined; act = actions[state]) state = table[state]![await act()]!
  return state
}
