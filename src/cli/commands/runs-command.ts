import { isRunId, runIdMs, UsageError, visible } from '../../shared/schema/index.ts'
import type { RunSummary } from '../../sdk/index.ts'
import { type Column, commandCell, type Style, styleOf, textTable } from '../print/index.ts'
import { agoText } from './ago-text.ts'
import { connect, type ServiceLocation } from './connect-service.ts'
import { spanText } from './span-text.ts'
import { noteRuns } from './seen-runs.ts'
import { runIdFor, runIdsFor, shortLength } from './short-ids.ts'

type Options = ReadonlyMap<string, string>
interface RunList {
  runs: RunSummary[]
}

const DEFAULT_COUNT = 50

/** `shellphone ps`: lists live runs, including those that wait for a slot or for approval. Rejects with ClientError. */
export const ps = (place: ServiceLocation, options: Options): Promise<void> =>
  list(place, { status: 'live', limit: 1000 }, options, 'no live runs')

/** `shellphone history [TEXT]`: lists runs, newest first. Rejects with ClientError and UsageError. */
export async function history(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  const [q] = operands
  const given = options.get('before')
  const before = given === undefined ? undefined : await runIdFor(connect(place), given)
  if (before !== undefined && !isRunId(before)) {
    throw new UsageError(
      `history: --before: expected the id of a run, got ${visible(before)}; list them with shellphone history`,
    )
  }
  const query = {
    q,
    status: options.get('status'),
    limit: options.get('limit') ?? DEFAULT_COUNT,
    before,
  }
  await list(place, query, options, 'no matching runs')
}

async function list(place: ServiceLocation, query: object, options: Options, nothing: string): Promise<void> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))
  const { runs } = await connect(place).request<RunList>('GET', `/runs?${search}`)
  noteRuns(place.seenRuns, runs)
  if (options.has('json')) return console.log(JSON.stringify({ runs }))
  if (runs.length === 0) return console.log(nothing)
  const style = styleOf(process.stdout)
  console.log(textTable(runs, columnsIn(style, runs), style))
  const waiting = runs.filter(({ pending_approval }) => pending_approval !== undefined).length
  if (waiting > 0) console.log(style.yellow(`\n${waiting} waiting for approval; answer with shellphone approvals`))
}

/** On a terminal, ids are cut and times are relative, so that 80 columns leave room for the command. */
const columnsIn = (style: Style, runs: RunSummary[]): Column<RunSummary>[] => [
  style.isTerminal ? shortIdColumn(runs) : { title: 'ID', text: ({ id }) => id },
  { title: 'STATUS', text: statusOf, paint: (run, text) => painterOf(run, style)(text) },
  style.isTerminal
    ? { title: 'STARTED', text: (run) => agoText(startOf(run), Date.now()) }
    : { title: 'STARTED (UTC)', text: (run) => startOf(run).slice(0, 19).replace('T', ' ') },
  {
    title: 'TIME',
    text: ({ started_at, duration_ms }) => (started_at === null ? '-' : spanText(duration_ms)),
    isRight: true,
  },
  { title: 'BY', text: ({ token }) => token ?? '-' },
  { title: 'COMMAND', text: ({ command }) => commandCell(command) },
]

function shortIdColumn(runs: RunSummary[]): Column<RunSummary> {
  const length = shortLength(runs.map(({ id }) => id))
  return { title: 'ID', text: ({ id }) => id.slice(0, length) }
}

/** When the run started, or if it never did, when it was requested. */
const startOf = ({ started_at, id }: RunSummary): string => started_at ?? new Date(runIdMs(id)).toISOString()

/** The status in words: a failure with its signal or exit code, and a wait for a person apart from a wait for a slot. */
function statusOf({ status, exit_code, signal, pending_approval }: RunSummary): string {
  if (pending_approval) return 'needs approval'
  if (status === 'failed' && signal !== null) return `killed ${signal}`
  return status === 'failed' && exit_code >= 0 ? `failed ${exit_code}` : status.replaceAll('_', ' ')
}

function painterOf({ status, pending_approval }: RunSummary, { red, green, yellow }: Style): (text: string) => string {
  if (pending_approval) return yellow
  if (status === 'failed' || status === 'timed_out' || status === 'denied') return red
  return status === 'running' ? green : (text) => text
}

/** `shellphone cancel ID …|--last`: cancels runs and kills their process trees. Resolves with 1 if there is no run to cancel. Rejects with ClientError and UsageError. */
export async function cancel(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const client = connect(place)
  const ids = await runIdsFor('cancel', client, operands, options)
  if (ids.length === 0) {
    console.error('shellphone: cancel --last: your token has no live run; list other live runs with shellphone ps')
    return 1
  }
  for (const id of ids) {
    const answer = await client.request<{ outcome: string }>('DELETE', `/runs/${encodeURIComponent(id)}`)
    console.log(
      options.has('json') ? JSON.stringify({ id, ...answer }) : `${id}: ${answer.outcome.replaceAll('_', ' ')}`,
    )
  }
  return 0
}
