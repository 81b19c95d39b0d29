import type { RunSummary } from '../../sdk/index.ts'

/** The status in words: a failure with its signal or exit code, and a wait for a person apart from a wait for a slot. */
export function shownStatus({ status, exit_code, signal, pending_approval }: RunSummary): string {
  if (pending_approval) return 'needs approval'
  if (status === 'failed' && signal !== null) return `killed ${signal}`
  return status === 'failed' && exit_code >= 0 ? `failed ${exit_code}` : status.replaceAll('_', ' ')
}

/** How to find runs with a status: the service filters by `asked`, and this command line by `isShown`. */
interface StatusFilter {
  asked: string
  /** undefined: all that the service returns */
  isShown?: (run: RunSummary) => boolean
}

/** The statuses that the list shows, but by which the service does not filter. */
const shown: [text: RegExp, asked: string][] = [
  [/^needs approval$/, 'live'],
  [/^(killed|failed \d+)/, 'failed'],
]

/** The filter for a status as the service names it, or as a list shows it: all, or the first word of it (`killed`). */
export function statusFilter(given: string): StatusFilter {
  const text = given.replaceAll('_', ' ')
  const row = shown.find(([pattern]) => pattern.test(text))
  if (row === undefined) return { asked: text.replaceAll(' ', '_') }
  return { asked: row[1], isShown: (run) => `${shownStatus(run)} `.startsWith(`${text} `) }
}
