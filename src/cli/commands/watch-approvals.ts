import type { ReadStream, WriteStream } from 'node:tty'
import type { ApprovalAnswer, PendingApproval } from '../../shared/schema/index.ts'
import type { WatchEvent } from '../../sdk/client-node.ts'
import { type Client, toClientError } from './connect-service.ts'
import { readAnswers } from './read-answers.ts'
import { createView, type TypedAnswer } from './view.ts'

const TICK_MS = 1000

/** The live view: shows each request as it arrives and sends the person's answers until q, Ctrl-C or a closed output. Reconnects when the service has restarted. Rejects with ClientError if the service cannot be reached at the start, or refuses. */
export async function watch(client: Client, input: ReadStream, output: WriteStream): Promise<void> {
  const watching = client.phone.watch({ runs: false })
  const events = watching.events()
  try {
    const { value: first } = await events.next()
    const view = createView(
      output,
      (given) => void answer(client, given).catch(({ message }) => view.showError(message)),
    )
    view.start()
    show(view, first!)
    await untilOver(view, events, input, output)
  } catch (error) {
    throw toClientError(error, client)
  } finally {
    watching.leave()
  }
}

async function untilOver(
  view: View,
  events: AsyncGenerator<WatchEvent, void>,
  input: ReadStream,
  output: WriteStream,
): Promise<void> {
  const ticks = setInterval(view.tick, TICK_MS)
  let stopReading = () => {}
  const quit = new Promise<void>((resolve) => {
    stopReading = readAnswers(input, view.answer, resolve)
    output.on('error', () => resolve()) // the reader has closed our output
  })
  try {
    await Promise.race([quit, showAll(view, events)])
  } finally {
    clearInterval(ticks)
    stopReading()
    view.end()
  }
}

type View = ReturnType<typeof createView>

async function showAll(view: View, events: AsyncGenerator<WatchEvent, void>): Promise<void> {
  for await (const event of events) show(view, event)
}

function show(view: View, event: WatchEvent): void {
  if (event.type === 'approval_requested') view.requested(event.approval as PendingApproval)
  if (event.type === 'approval_decided') view.decided(event as typeof event & ApprovalAnswer)
  if (event.type === 'refused') view.showError(event.message)
  if (event.type === 'disconnected') view.connection(false)
  if (event.type === 'connected') view.connection(true)
}

const answer = ({ request, person }: Client, { id, decision, scope }: TypedAnswer): Promise<unknown> =>
  request('POST', `/approvals/${encodeURIComponent(id)}`, { decision, scope, by: person })
