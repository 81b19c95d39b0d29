import { PhoneError, type RunRecord, type RunSummary } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { type Client, ClientError } from './connect-service.ts'
import { denialText, waitText } from './wait-text.ts'

const EVERY_MS = 1000

/** Prints messages while a transfer makes no progress. */
interface Reporter {
  print(line: string): void
  /** the bytes transferred so far */
  bytes?: () => number
}

/**
 * Performs file transfers, and prints when one waits for approval: no event reports it to every token, so this checks once a second, unless
 * bytes arrive. Rejects with a ClientError that says who denied such a transfer, or with the error of the transfer.
 */
export async function reportWaits<Result>(
  client: Client,
  { print, bytes = () => 0 }: Reporter,
  transfer: () => Promise<Result>,
): Promise<Result> {
  const shown = new Set<string>()
  let [before, isChecking] = [bytes(), false]
  async function check(): Promise<void> {
    isChecking = true
    for (const { id, command, pending_approval } of await waitingTransfers(client)) {
      if (!shown.has(id)) print(visible(waitText(pending_approval!, { isRemote: client.isRemote, command })))
      shown.add(id)
    }
    isChecking = false
  }
  const timer = setInterval(() => {
    const isMoving = before !== (before = bytes())
    if (!isMoving && !isChecking) void check()
  }, EVERY_MS)
  try {
    return await transfer()
  } catch (error) {
    const id = [...shown].at(-1)
    throw error instanceof PhoneError && error.type === 'denied' && id ? await denialOf(id, client, error) : error
  } finally {
    clearInterval(timer)
  }
}

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
