import { ask } from '../wire.ts'

const MAX_COMMANDS = 100

/**
 * Earlier commands, newest first: from this page, and those of this browser's token from the history of the service, without terminals and file
 * transfers. What an agent sent could harm with the rights of a person. The browser stores none of them.
 */
export function createHistory() {
  let own: string[] = []
  let all: string[] | null = null
  let at = -1
  const load = async (): Promise<string[]> => {
    const runs = await ask((phone) => phone.history({ own: 'true', limit: MAX_COMMANDS })).catch(() => [])
    const typed = runs.filter(({ tty, dialect }) => tty === undefined && dialect !== 'files')
    return [...new Set([...own, ...typed.map(({ command }) => command)])]
  }
  return {
    /** Steps to an earlier command (1) or a later one (-1). Resolves with an empty string after the newest command, and with null at either end. */
    async step(by: 1 | -1): Promise<string | null> {
      all ??= await load()
      if (at + by >= all.length || at + by < -1) return null
      at += by
      return all[at] ?? ''
    },
    /** Adds a command as the newest one. */
    add(command: string): void {
      own = [command, ...own.filter((one) => one !== command)].slice(0, MAX_COMMANDS)
      all = null
      at = -1
    },
    reset(): void {
      at = -1
    },
  }
}
