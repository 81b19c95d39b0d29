import { posix } from 'node:path'
import { PhoneError, type RunRecord, type RunSummary } from '../../sdk/index.ts'
import { shellWord, visible } from '../../shared/schema/index.ts'
import { type Client, ClientError } from './connect-service.ts'
import { endBySignal } from './end-by-signal.ts'
import { denialText, waitText } from './wait-text.ts'

const EVERY_MS = 1000
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A transfer, and how to report that it waits or is interrupted. */
export interface Reporter {
  print(line: string): void
  /** the paths on the phone that it has used so far */
  paths(): Iterable<string>
  /** Prints what a signal leaves behind, before the process exits. `isWaiting`: the transfer waits for approval, and its request is withdrawn. */
  interrupted(isWaiting: boolean): void
  /** the bytes transferred so far */
  bytes?: () => number
  /** Reports whether it waits for approval. */
  waits?: (isWaiting: boolean) => void
}

/**
 * Performs file transfers, and prints when one waits for approval: no event reports it to every token, so this checks once a second, unless
 * bytes arrive. A signal withdraws the approval requests and ends the process; a second one ends it at once. Rejects with a ClientError that
 * says who denied such a transfer, or with the error of the transfer.
 */
export async function reportWaits<Result>(
  client: Client,
  reporter: Reporter,
  transfer: () => Promise<Result>,
): Promise<Result> {
  const { print, bytes = () => 0, waits = () => {} } = reporter
  const shown = new Set<string>()
  const earlier = new Set<string>()
  let [before, isChecking, isWaiting, isInterrupted] = [bytes(), false, false, false]
  const named = (runs: RunSummary[]) => runs.filter(({ command }) => hasPath(command, reporter.paths()))
  const recent = async () => (await waitingTransfers(client)).filter(({ id }) => !earlier.has(id))
  async function check(): Promise<void> {
    isChecking = true
    const runs = await recent()
    const own = named(runs)
    const reported = own.length > 0 ? own : runs // the command has another path if a link was followed
    for (const { id, command, pending_approval } of isInterrupted ? [] : reported) {
      if (!shown.has(id)) print(visible(waitText(pending_approval!, { isRemote: client.isRemote, command })))
      shown.add(id)
    }
    isWaiting = reported.length > 0
    if (!isInterrupted) waits(isWaiting)
    isChecking = false
  }
  async function withdraw(): Promise<void> {
    await Promise.allSettled(named(await recent()).map(({ id }) => client.request('DELETE', `/runs/${id}`)))
  }
  const interrupt = (signal: NodeJS.Signals) => {
    const exit = () => {
      endBySignal(signal)
      process.exit() // it also removes partial files
    }
    if (isInterrupted) exit()
    isInterrupted = true
    reporter.interrupted(isWaiting)
    void withdraw().finally(exit)
  }
  const timer = setInterval(() => {
    const isMoving = before !== (before = bytes())
    if ((isWaiting || !isMoving) && !isChecking) void check()
  }, EVERY_MS)
  for (const signal of endings) process.on(signal, interrupt)
  try {
    for (const { id } of await waitingTransfers(client)) earlier.add(id)
    return await transfer()
  } catch (error) {
    if (isInterrupted) return await new Promise<never>(() => {}) // `interrupt` ends the process
    const id = [...shown].at(-1)
    throw error instanceof PhoneError && error.type === 'denied' && id ? await denialOf(id, client, error) : error
  } finally {
    clearInterval(timer)
    for (const signal of endings) process.off(signal, interrupt)
  }
}

/** Whether the command of a transfer ends with the name of one of these paths. The service has resolved the directories before it. */
const hasPath = (command: string, paths: Iterable<string>): boolean =>
  [...paths].some((path) => command.endsWith(shellWord(`/${posix.basename(path)}`).slice(1)))

/** This token's transfers that wait for approval; none if the service does not respond, which the transfer itself reports. */
async function waitingTransfers({ request }: Client): Promise<RunSummary[]> {
  const live = request<{ runs: RunSummary[] }>('GET', '/runs?own=true&status=live&limit=1000')
  const { runs } = await live.catch(() => ({ runs: [] as RunSummary[] }))
  return runs.filter(({ dialect, pending_approval }) => dialect === 'files' && pending_approval !== undefined)
}

/** The error of a transfer that waited for approval: who denied it, or `error` if something else did. */
async function denialOf(id: string, { request }: Client, error: PhoneError): Promise<Error> {
  const record = await request<RunRecord>('GET', `/runs/${id}`).catch(() => null)
  return record?.status === 'denied' ? new ClientError(visible(denialText(record)), { cause: error }) : error
}
