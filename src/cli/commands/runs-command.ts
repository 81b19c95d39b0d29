import { isRunId, runIdMs, UsageError, visible } from '../../shared/schema/index.ts'
import type { RunSummary } from '../../sdk/index.ts'
import { type Column, commandCell, type Style, styleOf, textTable } from '../print/index.ts'
import { agoText } from './ago-text.ts'
import { type Client, connect, type ServiceLocation } from './connect-service.ts'
import { NOT_DONE } from './exit-code.ts'
import { shownStatus, statusFilter } from './shown-status.ts'
import { spanText } from './span-text.ts'
import { noteRuns } from './seen-runs.ts'
import { namedRun, runFor, shortLength } from './short-ids.ts'

type Options = ReadonlyMap<string, string>
interface RunList {
  runs: RunSummary[]
}

const DEFAULT_COUNT = 50
/** The number of runs that the service returns at most for one request. */
const MAX_PAGE = 1000

/** `shellphone ps`: lists live runs, including those that wait for a slot or for approval. Rejects with ClientError. */
export const ps = (place: ServiceLocation, options: Options): Promise<void> =>
  list(place, { query: { status: 'live' }, most: MAX_PAGE }, options, 'no live runs')

/** `shellphone history [TEXT]`: lists runs, newest first. Rejects with ClientError and UsageError. */
export async function history(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  const [q] = operands
  const given = options.get('before')
  const before = given === undefined ? undefined : (await runFor(connect(place), given)).id
  if (before !== undefined && !isRunId(before)) {
    throw new UsageError(
      `history: --before: expected the id of a run, got ${visible(before)}; list them with shellphone history`,
    )
  }
  const status = options.get('status')
  const { asked, isShown } = statusFilter(status ?? '')
  const query = { q, status: status && asked, before }
  const most = Number(options.get('limit') ?? DEFAULT_COUNT)
  await list(place, { query, most, isShown }, options, 'no matching runs')
}

interface Wanted {
  query: Record<string, string | undefined>
  /** the number of runs to list */
  most: number
  isShown?: (run: RunSummary) => boolean
}

async function list(place: ServiceLocation, wanted: Wanted, options: Options, nothing: string): Promise<void> {
  const runs = await found(connect(place), wanted)
  noteRuns(place.seenRuns, runs)
  if (options.has('json')) return console.log(JSON.stringify({ runs }))
  if (runs.length === 0) return console.log(nothing)
  const style = styleOf(process.stdout)
  console.log(textTable(runs, columnsIn(style, runs), style))
  const waiting = runs.filter(({ pending_approval }) => pending_approval !== undefined).length
  if (waiting === 0) return
  const hint = `${waiting} waiting for approval; answer with shellphone approvals`
  if (style.isTerminal) console.log(style.yellow(`\n${hint}`))
  else console.error(`shellphone: ${hint}`) // so that each line of stdout is a run
}

/** Reads as many runs as one request allows if it must choose among them here. */
async function found({ request }: Client, { query, most, isShown }: Wanted): Promise<RunSummary[]> {
  const limit = isShown === undefined ? most : MAX_PAGE
  const chosen: RunSummary[] = []
  for (let before = query.before; ;) {
    const given = Object.entries({ ...query, before, limit: String(limit) }).filter((pair) => pair[1] !== undefined)
    const { runs } = await request<RunList>('GET', `/runs?${new URLSearchParams(given as [string, string][])}`)
    chosen.push(...runs.filter(isShown ?? Boolean))
    if (chosen.length >= most || runs.length < limit) return chosen.slice(0, most)
    before = runs.at(-1)!.id
  }
}

/** On a terminal, ids are cut and times are relative, so that 80 columns leave room for the command. */
const columnsIn = (style: Style, runs: RunSummary[]): Column<RunSummary>[] => [
  style.isTerminal ? shortIdColumn(runs) : { title: 'ID', text: ({ id }) => id },
  { title: 'STATUS', text: shownStatus, paint: (run, text) => painterOf(run, style)(text) },
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

function painterOf({ status, pending_approval }: RunSummary, { red, green, yellow }: Style): (text: string) => string {
  if (pending_approval) return yellow
  if (status === 'failed' || status === 'timed_out' || status === 'denied') return red
  return status === 'running' ? green : (text) => text
}

/**
 * `shellphone cancel ID …|--last`: cancels runs and kills their process trees. Resolves with 1 if --last finds no run. An invalid id does not protect the
 * other runs; with --json, it has a line too. Rejects with ClientError and UsageError.
 */
export async function cancel(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const client = connect(place)
  const errors: UsageError[] = []
  const canceled = new Set<string>()
  for (const named of operands.length > 1 ? operands.map((text) => [text]) : [operands]) {
    try {
      const run = await namedRun('cancel', client, named, options)
      if (run === undefined) return noLiveRun()
      if (canceled.has(run.id)) continue // named twice
      canceled.add(run.id)
      const { outcome } = await client.request<{ outcome: string }>('DELETE', `/runs/${encodeURIComponent(run.id)}`)
      const command = run.command === undefined ? '' : `: ${commandCell(run.command)}`
      const line = `${run.id}: ${outcome.replaceAll('_', ' ')}${command}`
      console.log(options.has('json') ? JSON.stringify({ id: run.id, outcome }) : line)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      errors.push(error)
      if (options.has('json') && named.length > 0) console.log(JSON.stringify({ id: named[0], error: error.message }))
    }
  }
  const last = errors.pop()
  for (const { message } of errors) console.error(`shellphone: ${message}`)
  if (last) throw last
  return 0
}

function noLiveRun(): number {
  console.error('shellphone: cancel --last: your token has no live run; list other live runs with shellphone ps')
  return NOT_DONE
}
