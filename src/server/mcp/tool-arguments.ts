/** Limits on the remembered arguments of all calls together. */
const MAX_CALLS = 256
const MAX_CHARACTERS = 4_194_304

/** The arguments of calls of agents' own tools that have received a handle, by the id of the run. The oldest are forgotten first. */
export interface ToolArguments {
  add(run: string, given: unknown): void
  /** undefined: not known */
  of(run: string): unknown
}

export function createToolArguments(): ToolArguments {
  const calls = new Map<string, string>()
  let characters = 0
  return {
    add(run, given) {
      const text = JSON.stringify(given)
      calls.set(run, text)
      characters += text.length
      for (const [oldest, { length }] of calls) {
        if (calls.size <= MAX_CALLS && characters <= MAX_CHARACTERS) return
        calls.delete(oldest)
        characters -= length
      }
    },
    of(run) {
      const text = calls.get(run)
      return text === undefined ? undefined : JSON.parse(text)
    },
  }
}
