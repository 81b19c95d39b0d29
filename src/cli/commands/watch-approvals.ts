import type { ReadStream, WriteStream } from 'node:tty'
import WebSocket from 'ws'
import type { ApprovalEvent } from '../../server/store/index.ts'
import { type Client, ClientError, refused, unreachable } from './connect-service.ts'
import { readAnswers } from './read-answers.ts'
import { createView, type Given } from './view.ts'

const CONNECT_TIMEOUT_MS = 10_000
const TICK_MS = 1000

type Message = ApprovalEvent | { type: 'error'; error: { message: string } }

/** The live view: shows each question as it comes and sends the person's answers, until q, Ctrl-C, nobody looks, or the service goes (ClientError). */
export async function watch(client: Client, input: ReadStream, output: WriteStream): Promise<void> {
  const socket = await open(client)
  const view = createView(output, (given) => socket.send(JSON.stringify(toMessage(given, client.person))))
  const ticks = setInterval(view.tick, TICK_MS)
  let stopReading = () => {}
  try {
    const gone = new Promise<never>((_resolve, reject) => {
      socket.on('close', () => reject(new ClientError('the service has gone away')))
      socket.on('error', (error) => reject(unreachable(client.url, error)))
      socket.on('message', (data) => tell(view, JSON.parse(String(data)) as Message))
    })
    const quit = new Promise<void>((resolve) => {
      stopReading = readAnswers(input, view.answer, resolve)
      output.on('error', () => resolve()) // nobody looks any more
    })
    socket.send(JSON.stringify({ type: 'watch_approvals' }))
    view.start()
    await Promise.race([gone, quit])
  } finally {
    clearInterval(ticks)
    stopReading()
    view.end()
    socket.terminate()
  }
}

const toMessage = ({ id, decision, scope }: Given, by: string) => ({
  type: 'approval',
  id,
  decision,
  scope,
  by,
})

function tell(view: ReturnType<typeof createView>, message: Message): void {
  if (message.type === 'approval_requested') view.requested(message.approval)
  if (message.type === 'approval_decided') view.decided(message)
  if (message.type === 'error') view.trouble(message.error.message)
}

function open({ url, headers, agent }: Client): Promise<WebSocket> {
  const options = { headers, agent, handshakeTimeout: CONNECT_TIMEOUT_MS }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, options)
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket))
    socket.once('error', (error) => reject(unreachable(url, error)))
    socket.once('unexpected-response', (_request, response) => {
      reject(refused(response.statusCode ?? 0, ''))
      response.destroy()
      socket.terminate()
    })
  })
}
