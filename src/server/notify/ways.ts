import type { ToolEnd } from '../../shared/schema/index.ts'
import type { NotifyChannel } from './elsewhere.ts'

/** `approval_command`: a program of the owner's that gets the approval request as JSON on stdin. `run` is bounded in time and never rejects. */
export function commandChannel(run: (stdin: string, signal: AbortSignal) => Promise<ToolEnd>): NotifyChannel {
  return {
    setting: 'approval_command',
    maxPerCall: 1,
    async notify([approval], signal) {
      const { ending, exitCode, stderr } = await run(JSON.stringify(approval), signal)
      if (ending === 'exited' && exitCode === 0) return null
      if (ending === 'killed') return `it did not end within its time limit`
      return ending === 'exited' ? `it failed with exit code ${exitCode}` : stderr
    },
  }
}

const RESPONSE_MS = 10_000

/**
 * `approval_url`: a POST that says that an approval is pending and where to answer, never the command itself. `page` returns the URL where
 * a person answers. The title and the link are headers as ntfy reads them; the text is the body.
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

/** fetch gives the reason only in the cause. */
const reasonOf = ({ name, message, cause }: Error) =>
  name === 'TimeoutError'
    ? `no response within ${RESPONSE_MS / 1000} s`
    : ((cause as Error | undefined)?.message ?? message)
