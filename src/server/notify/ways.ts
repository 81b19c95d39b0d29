import type { ToolEnd } from '../../shared/schema/index.ts'
import type { NotifyChannel } from './elsewhere.ts'

/** `approval_command`: a program of the owner's, with the question as JSON on its stdin. `run`: bounded; never rejects. */
export function commandWay(run: (stdin: string, signal: AbortSignal) => Promise<ToolEnd>): NotifyChannel {
  return {
    setting: 'approval_command',
    most: 1,
    async tell([question], signal) {
      const { ending, exitCode, stderr } = await run(JSON.stringify(question), signal)
      if (ending === 'exited' && exitCode === 0) return null
      if (ending === 'killed') return 'it took too long'
      return ending === 'exited' ? `it ended with ${exitCode}` : stderr
    },
  }
}

const ANSWER_MS = 10_000

/**
 * `approval_url`: a POST that says that something waits, and where; never what. `page`: where a person answers. The title and the link
 * are headers as ntfy reads them; the text is the body.
 */
export function urlWay(url: string, page: () => Promise<string>): NotifyChannel {
  return {
    setting: 'approval_url',
    most: Number.POSITIVE_INFINITY,
    async tell(questions, signal) {
      try {
        const where = await page()
        const text = questions.length === 1 ? 'A command waits' : `${questions.length} commands wait`
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
          signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        })
        await response.body?.cancel()
        return response.ok ? null : `it was answered with ${response.status}`
      } catch (error) {
        return reasonOf(error as Error)
      }
    },
  }
}

/** fetch says why in the cause alone. */
const reasonOf = ({ name, message, cause }: Error) =>
  name === 'TimeoutError'
    ? `no answer within ${ANSWER_MS / 1000} s`
    : ((cause as Error | undefined)?.message ?? message)
