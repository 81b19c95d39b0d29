/** A state machine as data: the events that can occur in each state, each with the next state. A state without events is an end state. */
export type StateTable = Readonly<Record<string, Readonly<Record<string, string>>>>

/** The states that are not end states. */
type Active<T extends StateTable> = { [S in keyof T & string]: keyof T[S] extends never ? never : S }[keyof T & string]
/** Every event of a table. */
export type EventOf<T extends StateTable> = { [S in keyof T]: keyof T[S] & string }[keyof T]

/** The action of each state, which resolves with the next event. The types reject an event that the state does not list. */
type Actions<T extends StateTable> = { [S in Active<T>]: () => Promise<keyof T[S] & string> }

/** The next state; null if the event cannot occur in this state. */
export function nextState<T extends StateTable>(
  table: T,
  state: keyof T,
  event: EventOf<T>,
): (keyof T & string) | null {
  return table[state]?.[event] ?? null
}

/** Runs the actions from the state `start` to an end state, and resolves with the end state. Rejects if an action rejects. */
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
