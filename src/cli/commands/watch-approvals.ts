import type { ReadStream, WriteStream } from 'node:tty'
import { type ApprovalAnswer, type PendingApproval, visible } from '../../shared/schema/index.ts'
import type { WatchEvent } from '../../sdk/client-node.ts'
import { type Client, ClientError, toClientError } from './connect-service.ts'
import { readAnswers } from './read-answers.ts'
import { createView, type TypedAnswer } from './view.ts'

const TICK_MS = 1000

/**
 * The live view: shows each request as it arrives and sends the person's answers until q, Ctrl-C, the end of the input or a closed output.
 * Reconnects when the service has restarted. Resolves with the exit code: 1 if the input ended without an answer to a request. Rejects with
 * ClientError if the service cannot be reached at the start, or refuses.
 */
export async function watch(client: Client, input: ReadStream, output: WriteStream): Promise<number> {
  const watching = client.phone.watch({ runs: false })
  const events = watching.events()
  try {
    const { value: first } = await events.next()
    const sent: Promise<unknown>[] = []
    const send = (given: TypedAnswer) => {
      sent.push(answer(client, given).catch(({ message }) => view.showError(message)))
    }
    const view = createView(output, send)
    view.start()
    show(view, first!)
    const isEnded = await untilOver(view, events, input, output)
    return isEnded ? await unanswered(client, sent) : 0
  } catch (error) {
    throw toClientError(error, client)
  } finally {
    watching.leave()
  }
}

/** Resolves with whether the input has ended. */
async function untilOver(
  view: View,
  events: AsyncGenerator<WatchEvent, void>,
  input: ReadStream,
  output: WriteStream,
): Promise<boolean> {
  const ticks = setInterval(view.tick, TICK_MS)
  let stopReading = () => {}
  const over = new Promise<boolean>((resolve) => {
    stopReading = readAnswers(input, { answer: view.answer, quit: () => resolve(false), end: () => resolve(true) })
    output.on('error', () => resolve(false)) // the reader has closed our output
  })
  try {
    return await Promise.race([over, showAll(view, events)])
  } finally {
    clearInterval(ticks)
    stopReading()
    view.end()
  }
}

/** The exit code after the end of the input; says which request still waits. */
async function unanswered({ request }: Client, sent: Promise<unknown>[]): Promise<number> {
  await Promise.all(sent)
  const [oldest] = (await request<{ approvals: PendingApproval[] }>('GET', '/approvals')).approvals
  if (oldest === undefined && sent.length > 0) return 0
  const why = oldest
    ? `no answer to request ${oldest.id} was read after it was shown; use shellphone approvals approve ${oldest.id}`
    : 'it ended before a request arrived; keep it open, or list the requests with shellphone approvals list'
  console.error(`shellphone: approvals: stdin has ended: ${why}`)
  return 1
}

type View = ReturnType<typeof createView>

async function showAll(view: View, events: AsyncGenerator<WatchEvent, void>): Promise<false> {
  for await (const event of events) show(view, event)
  return false
}

/** Throws ClientError if the service refuses, because then no request would ever arrive. */
function show(view: View, event: WatchEvent): void {
  if (event.type === 'approval_requested') view.requested(event.approval as PendingApproval)
  if (event.type === 'approval_decided') view.decided(event as typeof event & ApprovalAnswer)
  if (event.type === 'refused') throw new ClientError(visible(event.message))
  if (event.type === 'disconnected') view.connection(false)
  if (event.type === 'connected') view.connection(true)
}

const answer = ({ request, person }: Client, { id, decision, scope }: TypedAnswer): Promise<unknown> =>
  request('POST', `/approvals/${encodeURIComponent(id)}`, { decision, scope, by: person })
