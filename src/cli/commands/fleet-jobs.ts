import { visible } from '../../shared/schema/index.ts'
import { type Column, commandCell, type Style, styleOf, textTable } from '../print/index.ts'
import { agoText } from './ago-text.ts'
import { type Client, connect, type ServiceLocation } from './connect-service.ts'
import { countText } from './count-text.ts'
import { fleetEvents } from './fleet-events.ts'
import { type FleetResult, hasSucceeded, outputLines } from './fleet-result.ts'
import { pendingOnPhones, reportWait } from './fleet-waits.ts'
import { onOption } from './on-option.ts'
import { secondsIn } from './seconds-in.ts'
import { jobIdFor } from './short-ids.ts'
import { spanText } from './span-text.ts'

type Options = ReadonlyMap<string, string>

interface ListedJob {
  job: string
  by: string
  request: { command: string }
  submitted_at: string
  phones: number
  /** on how many phones it has not ended */
  unfinished: number
}

/** A control plane stores a job for this time; a timer cannot be much longer. */
const MAX_WAIT_SECONDS = 8 * 86_400

/** `shellphone fleet jobs`: lists the newest jobs of the control plane. */
export async function fleetJobs(place: ServiceLocation, options: Options): Promise<void> {
  const { jobs } = await connect(place).request<{ jobs: ListedJob[] }>('GET', '/jobs')
  if (options.has('json')) return console.log(JSON.stringify({ jobs }))
  const nowMs = Date.now()
  const columns: Column<ListedJob>[] = [
    { title: 'ID', text: ({ job }) => visible(job) },
    { title: 'SUBMITTED', text: ({ submitted_at }) => agoText(submitted_at, nowMs) },
    { title: 'BY', text: ({ by }) => visible(by) },
    { title: 'PHONES', text: ({ phones }) => String(phones), isRight: true },
    { title: 'FINISHED', text: ({ phones, unfinished }) => String(phones - unfinished), isRight: true },
    { title: 'COMMAND', text: ({ request }) => commandCell(request.command) },
  ]
  console.log(jobs.length === 0 ? 'no jobs' : textTable(jobs, columns, styleOf(process.stdout)))
}

/**
 * `shellphone fleet job ID`: prints a row for each phone of a job, with the output below it; with `cancel`, cancels the job first, and with `wait`,
 * waits for its end. Resolves with 0 if every phone ran the command and it returned 0, or if `cancel` was sent, otherwise 1.
 */
export async function fleetJob(place: ServiceLocation, text: string, options: Options): Promise<number> {
  const client = connect(place)
  const path = `/jobs/${encodeURIComponent(await jobIdFor(client, text))}`
  if (options.has('cancel')) {
    const { phones } = await client.request<{ phones: Record<string, CancelResult> }>('DELETE', path)
    console.error(`shellphone: ${cancelText(Object.values(phones))}`)
  }
  const wait = options.get('wait')
  if (wait !== undefined) await waitForEnd(client, path, secondsIn(wait))
  const job = await client.request<{ phones: Record<string, Omit<FleetResult, 'name'>> }>('GET', path)
  const results = Object.entries(job.phones).map(([name, result]): FleetResult => ({ ...result, name }))
  if (options.has('json')) console.log(JSON.stringify(job))
  else await printResults(client, results, options)
  return options.has('cancel') || results.every(hasSucceeded) ? 0 : 1
}

/** Follows a job until its state is final on every phone, or the time is over. Rejects with ClientError. */
async function waitForEnd(client: Client, path: string, seconds: number): Promise<void> {
  const signal = AbortSignal.timeout(Math.min(seconds, MAX_WAIT_SECONDS) * 1000)
  try {
    for await (const { event } of fleetEvents(client, `${path}/events`, { method: 'GET', signal })) {
      if (event === 'result') return
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function printResults(client: Client, results: FleetResult[], options: Options): Promise<void> {
  const style = styleOf(process.stdout)
  const isAccepted = results.some(({ state }) => state === 'accepted')
  const approvals = isAccepted ? await pendingOnPhones(client) : null
  const pending = new Map((approvals ?? []).map((one) => [one.run_id, one]))
  const shown = results.map((one) => (pending.has(one.run_id ?? '') ? { ...one, status: 'needs_approval' } : one))
  const [header, ...rows] = textTable(shown, resultColumns(style), style).split('\n')
  console.log(
    [header, ...shown.flatMap((result, at) => [rows[at], ...outputLines(result, onOption(options))])].join('\n'),
  )
  for (const { name, run_id = '' } of results) {
    const approval = pending.get(run_id)
    if (approval) reportWait(name, approval.id, onOption(options))
  }
}

type CancelResult = 'withdrawn' | 'canceling' | 'settled'

const cancelWords: Record<CancelResult, string> = {
  withdrawn: 'withdrawn before it was sent to',
  canceling: 'being canceled on',
  settled: 'already ended on',
}

/** What a cancellation did, such as `withdrawn before it was sent to 2 phones, already ended on 1 phone`. */
function cancelText(results: CancelResult[]): string {
  const parts = Object.entries(cancelWords).flatMap(([result, text]) => {
    const count = results.filter((one) => one === result).length
    return count === 0 ? [] : [`${text} ${countText(count, 'phone')}`]
  })
  return parts.join(', ')
}

const resultColumns = ({ green, red }: Style): Column<FleetResult>[] => [
  { title: 'PHONE', text: ({ name }) => visible(name) },
  {
    title: 'STATUS',
    text: ({ state, status = state }) => visible(status.replaceAll('_', ' ')),
    paint: ({ state, status = state }, text) =>
      (badStatuses.has(status) ? red : goodStatuses.has(status) ? green : String)(text),
  },
  {
    title: 'EXIT',
    text: ({ exit_code = -1, signal = '-' }) => (exit_code < 0 ? visible(signal) : String(exit_code)),
    isRight: true,
  },
  { title: 'TIME', text: ({ duration_ms: ms }) => (ms === undefined ? '-' : spanText(ms)), isRight: true },
  { title: 'RUN', text: ({ run_id = '-' }) => visible(run_id) },
]

const badStatuses = new Set(['failed', 'timed_out', 'denied', 'refused', 'unknown'])
const goodStatuses = new Set(['running', 'completed'])
