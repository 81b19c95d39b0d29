/** Lines that the disk refused wait in memory, begin lines and the others up to this each. */
const MAX_WAITING_CHARS = 1_048_576
const RETRY_MS = 1000

export interface WaitingEvents {
  /** why the disk did not take a line, and how many were given up since the start */
  onRefused(error: unknown, givenUp: number): void
  /** it takes them again, and has those that waited */
  onTakenAgain(): void
}

/** Lines on their way to the disk; what it refused is tried again before the next line, and every second. */
export interface WaitingLines<Place> {
  /** Where the line lies; null: the disk refused. Begin lines go before all others. */
  append(line: string, isBegin?: boolean): Place | null
  tryAgain(): void
  close(): void
}

/** `write` takes whole lines, all or none, and says where the last of them lies; it throws as fs does. */
export const createWaitingLines = <Place>(
  write: (lines: string[]) => Place,
  { onRefused, onTakenAgain }: WaitingEvents,
): WaitingLines<Place> => {
  const begins: string[] = []
  const others: string[] = []
  let givenUp = 0
  let retry: NodeJS.Timeout | null = null

  const hold = (waiting: string[], line: string): void => {
    const chars = waiting.reduce((sum, { length }) => sum + length, line.length)
    if (chars > MAX_WAITING_CHARS) givenUp++
    else waiting.push(line)
  }

  const attempt = (waiting: string[], lines: string[]): Place | null => {
    if (waiting.length + lines.length === 0) return null
    try {
      const place = write([...waiting, ...lines])
      const waited = waiting.splice(0).length > 0
      if (waited && begins.length + others.length === 0) onTakenAgain()
      return place
    } catch (error) {
      for (const line of lines) hold(waiting, line)
      retry ??= setTimeout(tryAgain, RETRY_MS).unref()
      onRefused(error, givenUp)
      return null
    }
  }

  const tryAgain = (): void => {
    retry = null
    attempt(begins, [])
    attempt(others, [])
  }

  return {
    append: (line, isBegin = false) => {
      if (isBegin) return attempt(begins, [line])
      attempt(begins, [])
      return attempt(others, [line])
    },
    tryAgain,
    close: () => {
      tryAgain()
      if (retry) clearTimeout(retry)
    },
  }
}
