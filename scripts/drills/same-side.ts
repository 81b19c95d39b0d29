/** One of the two services of scripts/drills/drill-same.ts, and the ways to ask it something. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, type Socket, startService } from '../../test/support/helper.ts'

/** The headers that are compared. */
const HEADERS = [
  'content-type',
  'exit-code',
  'run-offset',
  'run-total',
  'run-eof',
  'www-authenticate',
  'allow',
  'retry-after',
]

export interface Answer {
  status: number
  headers: Record<string, unknown>
  body: unknown
}

export interface Side {
  base: string
  /** a body that is no text is sent as JSON; `BASE` in it is this side's folder */
  http(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** the same as Server-Sent Events, output joined per stream */
  events(method: string, path: string, body?: unknown): Promise<unknown>
  /** one message over a WebSocket of its own: what is answered until its result, or its error */
  frames(message: object | string): Promise<unknown>
  /** POST /exec in the background */
  start(body: object): Promise<{ id: string | null; answer: Answer }>
  /** resolves when the run's stdout holds `text` */
  outputOf(id: string, text: string): Promise<void>
  /** what a run asks a person */
  questionOf(id: string): Promise<{ id: string } | undefined>
  stop(): Promise<void>
}

/** A home, a working directory with a few files, and a built checkout's service in them. */
export async function openSide(checkout: string, env: Record<string, string>): Promise<Side> {
  const base = mkdtempSync(join(tmpdir(), 'shellphone-same-'))
  const [home, work] = [join(base, 'home'), join(base, 'home/work')]
  mkdirSync(join(work, 'sub'), { recursive: true })
  writeFileSync(join(work, 'fixed.txt'), 'fixed\n')
  writeFileSync(join(home, '.profile'), 'profile\n')
  symlinkSync('/etc', join(work, 'link'))
  const service = await startService({
    checkout,
    home: join(home, '.shellphone'),
    env: {
      HOME: home,
      SHELLPHONE_WORKING_DIRECTORY: work,
      SHELLPHONE_WORKSPACE_DIR: work,
      SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100000',
      SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '100000',
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '1',
      SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
      ...env,
    },
  })
  return sideOf(service, base)
}

function sideOf(service: Service, base: string): Side {
  const agent = new Agent({ keepAlive: true })
  const send = (method: string, path: string, body: unknown, headers: Record<string, string>) =>
    new Promise<{ response: IncomingMessage; text: string }>((resolve, reject) => {
      const sent = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
      const type: Record<string, string> = sent === undefined ? {} : { 'content-type': 'application/json' }
      const all = { authorization: `Bearer ${service.token}`, ...type, ...headers }
      const options = { host: '127.0.0.1', port: service.port, method, path, headers: all, agent }
      request(options, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', () => resolve({ response, text: Buffer.concat(chunks).toString('latin1') }))
      })
        .on('error', reject)
        .end(sent?.replaceAll('BASE', base))
    })
  const side: Side = {
    base,
    http: async (method, path, body, headers = {}) => {
      const { response, text } = await send(method, path, body, headers)
      const isJson = String(response.headers['content-type']).startsWith('application/json')
      return {
        status: response.statusCode!,
        headers: Object.fromEntries(HEADERS.map((name) => [name, response.headers[name]])),
        body: isJson ? JSON.parse(Buffer.from(text, 'latin1').toString()) : text,
      }
    },
    events: async (method, path, body) => {
      const { response, text } = await send(method, path, body, { accept: 'text/event-stream' })
      const blocks = Buffer.from(text, 'latin1').toString().split('\n\n')
      const messages = blocks.flatMap((block) => toMessage(block) ?? [])
      return { status: response.statusCode, ...joined(messages), text: messages.length === 0 ? text : '' }
    },
    frames: async (message) => {
      const socket: Socket = await service.socket()
      socket.send((typeof message === 'string' ? message : JSON.stringify(message)).replaceAll('BASE', base))
      await socket.next(({ type }) => type === 'result' || type === 'error')
      await socket.close()
      return joined(socket.messages)
    },
    start: async (body) => {
      const answer = await side.http('POST', '/exec', body)
      return { id: answer.status === 202 ? (answer.body as { id: string }).id : null, answer }
    },
    outputOf: async (id, text) => {
      while (!String((await side.http('GET', `/runs/${id}/output`)).body).includes(text)) await pause()
    },
    questionOf: async (id) => {
      for (let tries = 0; tries < 50; tries += 1) {
        const { body } = await side.http('GET', '/approvals')
        const found = (body as { approvals: { id: string; run_id: string }[] }).approvals.find(
          (one) => one.run_id === id,
        )
        if (found) return found
        await pause()
      }
    },
    stop: async () => {
      agent.destroy()
      await service.stop()
      rmSync(base, { recursive: true, force: true })
    },
  }
  return side
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

type Message = { type?: unknown; stream?: unknown; data?: unknown; encoding?: unknown }

/** An event of a stream, as the WebSocket would say it; null for a comment. */
function toMessage(block: string): Message | null {
  const [, type] = /^event: ?(.*)$/m.exec(block) ?? []
  const [, data] = /^data: ?(.*)$/m.exec(block) ?? []
  return data === undefined ? null : { type, ...JSON.parse(data) }
}

/** How output is cut into events is chance: the bytes of each stream are joined, and stand beside all other messages in order. */
function joined(messages: Message[]): { output: Record<string, string>; others: Message[] } {
  const output: Record<string, string> = {}
  for (const { type, stream, data, encoding } of messages) {
    if (type !== 'output') continue
    const bytes = Buffer.from(String(data), encoding === 'base64' ? 'base64' : 'utf8').toString('latin1')
    output[String(stream)] = (output[String(stream)] ?? '') + bytes
  }
  return { output, others: messages.filter(({ type }) => type !== 'output') }
}
