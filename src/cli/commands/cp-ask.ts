import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { RunRecord } from '../../sdk/index.ts'
import { ClientError, refused, unreachable } from './connect-service.ts'
import { startRequest, type Target } from '../../shared/transport/index.ts'

/** A service that neither takes nor gives anything for so long has gone; a person who is asked may take two minutes. */
const SILENCE_MS = 150_000
/** What was cut is tried again after so long, doubling; nothing gained for the last of these is the end. */
const FIRST_PAUSE_MS = 100
const LAST_PAUSE_MS = 10_000
const PATIENCE_MS = 300_000

interface Asked {
  method: string
  /** query and all */
  path: string
  headers?: Record<string, string>
  body?: AsyncIterable<Buffer>
}

export const filesPath = (query: Record<string, string>): string => `/files?${new URLSearchParams(query)}`

/** One request with a body that streams; resolves when the answer begins, which may be before all was sent. */
export async function ask({ url, headers, agent }: Target, asked: Asked): Promise<IncomingMessage> {
  const all = { ...headers, ...asked.headers }
  const outgoing = startRequest(new URL(url.replace(/\/$/, '') + asked.path), {
    method: asked.method,
    headers: all,
    agent,
  })
  outgoing.setTimeout(SILENCE_MS, () => outgoing.destroy(Object.assign(new Error('silence'), { code: 'ETIMEDOUT' })))
  const answer = once(outgoing, 'response')
  const sent = asked.body ? pipeline(Readable.from(asked.body), outgoing) : Promise.resolve(void outgoing.end())
  const broken = sent.then(
    () => answer,
    (error) => Promise.race([answer, pause(LAST_WORDS_MS).then(() => Promise.reject(error))]),
  )
  const [response] = (await Promise.race([answer, broken])) as [IncomingMessage]
  // what was refused need not be sent to its end
  if (asked.body && response.statusCode! >= 400) response.once('end', () => outgoing.destroy())
  return response
}

/** An answer may be on its way when the sending breaks: it says why. */
const LAST_WORDS_MS = 500

/** Later it may be otherwise: it is full, or a phone of a fleet is away. */
const busy = new Set([502, 503, 504])

/** Reads an answer that is short. Throws ClientError for a refusal. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  const text = Buffer.concat(await answer.toArray()).toString()
  const status = answer.statusCode!
  if (status < 400) return text
  checkBusy(answer, text)
  const reason = denialIn(text)
  throw reason ? new ClientError(`denied: ${reason}`) : refused(status, text)
}

/** Throws an error that is tried again, where the service is busy. `text`: the body of its answer. */
export function checkBusy({ statusCode = 0 }: IncomingMessage, text = ''): void {
  if (busy.has(statusCode)) throw Object.assign(refused(statusCode, text), { code: 'BUSY' })
}

/** The reason in the record of what was denied. */
function denialIn(text: string): string | null {
  try {
    return JSON.parse(text).decision.reason
  } catch {
    return null // an error, or none of ours
  }
}

/** What is there; null: nothing. */
export async function kindOf(target: Target, path: string): Promise<'file' | 'directory' | null> {
  const answer = await ask(target, {
    method: 'GET',
    path: filesPath({ path, limit: '1' }),
    headers: { range: 'bytes=0-0' },
  }).catch((error) => Promise.reject(unreachable(target.url, error)))
  const { statusCode, headers } = answer
  if (statusCode === 404 || statusCode === 416) {
    answer.resume()
    return statusCode === 416 ? 'file' : null
  }
  await textOf(answer)
  return headers['content-type']?.startsWith('application/json') ? 'directory' : 'file'
}

const lost = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT ENETUNREACH ENETDOWN EHOSTUNREACH EHOSTDOWN EAI_AGAIN ECONNABORTED ERR_STREAM_PREMATURE_CLOSE BUSY'.split(
    ' ',
  ),
)

/** Tries again what a lost connection cut, for as long as `gained` grows. Throws ClientError. */
export async function untilWhole<T>(
  target: Target,
  step: (attempt: number) => Promise<T>,
  gained: () => number,
): Promise<T> {
  let [before, since, pauseMs] = [-1, performance.now(), FIRST_PAUSE_MS]
  for (let attempt = 0; ; attempt++) {
    try {
      return await step(attempt)
    } catch (error) {
      if (!lost.has((error as NodeJS.ErrnoException).code ?? '')) throw toClientError(error as Error)
      if (gained() > before) [before, since, pauseMs] = [gained(), performance.now(), FIRST_PAUSE_MS]
      if (performance.now() - since > PATIENCE_MS) throw unreachable(target.url, error as Error)
    }
    await pause(pauseMs)
    pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2)
  }
}

const toClientError = (error: Error) => (error instanceof ClientError ? error : new ClientError(error.message))

/** Seconds that the record of what was cut may take. */
const RECORD_SECONDS = 10

/** What these transfers left out, which their records know. */
export async function leftOut(target: Target, runIds: Iterable<string>): Promise<string[]> {
  const found: string[] = []
  for (const id of runIds) {
    const path = `/runs/${id}?wait_seconds=${RECORD_SECONDS}`
    const text = await untilWhole(
      target,
      async () => textOf(await ask(target, { method: 'GET', path })),
      () => 0,
    )
    const { notes } = JSON.parse(text) as Pick<RunRecord, 'notes'>
    found.push(...notes.filter(({ code }) => code === 'LEFT_OUT').map(({ text }) => text))
  }
  return found
}

/** The id of a transfer's record. */
export const runIdIn = ({ headers }: IncomingMessage): string => String(headers['run-id'])
