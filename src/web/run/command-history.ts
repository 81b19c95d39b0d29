import { ask } from '../wire.ts'

const MAX_COMMANDS = 100

/** Commands that ran, the newest first: those of the service, as it remembers them, and those of this page. Nothing is kept in the browser. */
export function createHistory() {
  let own: string[] = []
  let all: string[] | null = null
  let at = -1
  const load = async (): Promise<string[]> => {
    const runs = await ask((phone) => phone.history({ limit: MAX_COMMANDS })).catch(() => [])
    return [...new Set([...own, ...runs.map(({ command }) => command)])]
  }
  return {
    /** An earlier command (1), or a later one (-1); empty behind the newest, null where there is none. */
    async step(by: 1 | -1): Promise<string | null> {
      all ??= await load()
      if (at + by >= all.length || at + by < -1) return null
      at += by
      return all[at] ?? ''
    },
    /** It runs: it is the newest now. */
    add(command: string): void {
      own = [command, ...own.filter((one) => one !== command)].slice(0, MAX_COMMANDS)
      all = null
      at = -1
    },
    rest(): void {
      at = -1
    },
  }
}
