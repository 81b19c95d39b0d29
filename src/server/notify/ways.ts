import type { ToolEnd } from '../../shared/schema/index.ts'
import type { NotifyChannel } from './elsewhere.ts'

/** `approval_command`: the owner's own program, which gets the approval request as JSON on stdin. `run` has a time limit and never rejects. */
export function commandChannel(run: (stdin: string, signal: AbortSignal) => Promise<ToolEnd>): NotifyChannel {
  return {
    setting: 'approval_command',
    maxPerCall: 1,
    async notify([approval], signal) {
      const { ending, exitCode, stderr } = await run(JSON.stringify(approval), signal)
      if (ending === 'exited' && exitCode === 0) return null
      if (ending === 'killed') return 'the program did not end within its time limit'
      return ending === 'exited' ? `the program failed with exit code ${exitCode}` : stderr
    },
  }
}

const RESPONSE_MS = 10_000

/**
 * `approval_url`: a POST that reports that an approval is pending and where to answer, but never the command itself. `page` returns the URL
 * where a person answers. The body contains the text, and headers in ntfy's format contain the title and the link.
 */
export function urlChannel(url: string, page: () => Promise<string>): NotifyChannel {
  return {
    setting: 'approval_url',
    maxPerCall: Number.POSITIVE_INFINITY,
    async notify(approvals, signal) {
      try {
        const where = await page()
        const text = approvals.length === 1 ? 'A command waits' : `${approvals.length} commands wait`
        const response = await fetch(url, {
          method: 'POST',
          body: `${text} for your answer: ${where}`,
          headers: {
            'content-type': 'text/plain; charset=utf-8',
            title: 'Shellphone asks',
            click: where,
            tags: 'question',
          },
          redirect: 'error',
          signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_MS)]),
        })
        await response.body?.cancel()
        return response.ok ? null : `the server responded with status ${response.status}`
      } catch (error) {
        return reasonOf(error as Error)
      }
    },
  }
}

/** Returns the reason of an error. fetch reports the reason only in the cause. */
const reasonOf = ({ name, message, cause }: Error) =>
  name === 'TimeoutError'
    ? `no response within ${RESPONSE_MS / 1000} s`
    : ((cause as Error | undefined)?.message ?? message)
