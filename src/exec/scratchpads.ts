import { ShellphoneError } from '../schema/index.ts'
import type { Store } from '../store/index.ts'

/** So many names are remembered; older ones are looked for in history. */
const MAX_NAMES = 1000
const PAGE = 1000

export interface Scratchpads {
  /** The newest run with this name. */
  note(name: string, runId: string): void
  /** Throws NOT_FOUND. */
  find(name: string): Promise<string>
}

/** Meka's scratchpad: a name for the whole output of a run, which lies in the spool. Names outlive a restart, because records hold them. */
export function createScratchpads(store: Store): Scratchpads {
  const known = new Map<string, string>()

  async function search(name: string): Promise<string | null> {
    for (let before: string | undefined; ;) {
      const page = await store.history.list({ limit: PAGE, ...(before === undefined ? {} : { before }) })
      const found = page.find((record) => record.scratchpad === name)
      if (found) return found.id
      if (page.length < PAGE) return null
      before = page.at(-1)!.id
    }
  }

  return {
    note(name, runId) {
      known.delete(name)
      known.set(name, runId)
      if (known.size > MAX_NAMES) known.delete(known.keys().next().value!)
    },
    async find(name) {
      const id = known.get(name) ?? (await search(name))
      if (id !== null) return id
      throw new ShellphoneError('NOT_FOUND', `No scratchpad has the name ${name.slice(0, 100)}`)
    },
  }
}
