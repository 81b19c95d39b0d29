import { visible } from '../../shared/schema/index.ts'
import type { RunSummary } from '../../sdk/index.ts'
import { ClientError, connect, type ServiceLocation } from './connect-service.ts'
import { noteRuns } from './seen-runs.ts'

type Options = ReadonlyMap<string, string>
interface RunList {
  runs: RunSummary[]
}

const DEFAULT_COUNT = 50

/** `shellphone ps`: lists live runs, including those that wait for a slot or for approval. Rejects with ClientError. */
export const ps = (place: ServiceLocation, options: Options): Promise<void> =>
  list(place, { status: 'live', limit: 1000 }, options, 'no live runs')

/** `shellphone history [TEXT]`: lists runs, newest first. Rejects with ClientError. */
export async function history(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  const [q, ...more] = operands
  if (more.length > 0) throw new ClientError('history: expected at most one search text, in quotes')
  const query = {
    q,
    status: options.get('status'),
    limit: options.get('limit') ?? DEFAULT_COUNT,
    before: options.get('before'),
  }
  await list(place, query, options, 'no matching runs')
}

async function list(place: ServiceLocation, query: object, options: Options, nothing: string): Promise<void> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
  const { runs } = await connect(place).request<RunList>('GET', `/runs?${search}`)
  noteRuns(
    place.seenRuns,
    runs.map(({ id }) => id),
  )
  if (options.has('json')) console.log(JSON.stringify({ runs }))
  else console.log(runs.length === 0 ? nothing : runs.map(describe).join('\n'))
}

/** Describes a run in one line, cut at the width of the terminal. */
function describe({ id, status, exit_code, started_at, duration_ms, command }: RunSummary): string {
  const code = status === 'failed' ? ` ${exit_code}` : ''
  const since = started_at ? `${started_at.slice(0, 19).replace('T', ' ')}Z` : '-' // Z: UTC
  const line = `${id}  ${(status + code).padEnd(10)}  ${since.padEnd(20)}  ${seconds(duration_ms).padStart(8)}  ${visible(command.replaceAll('\n', '⏎'))}`
  return process.stdout.isTTY ? [...line].slice(0, process.stdout.columns).join('') : line
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 0)} s`

/** `shellphone cancel ID …`: cancels runs and kills their process trees. Rejects with ClientError. */
export async function cancel(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  if (operands.length === 0) throw new ClientError('cancel: expected run ids; list them with shellphone ps')
  const client = connect(place)
  for (const id of operands) {
    const answer = await client.request<{ outcome: string }>('DELETE', `/runs/${encodeURIComponent(id)}`)
    console.log(
      options.has('json') ? JSON.stringify({ id, ...answer }) : `${id}: ${answer.outcome.replaceAll('_', ' ')}`,
    )
  }
}
