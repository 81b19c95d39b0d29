import { commandCell, cut, styleOf } from '../print/index.ts'
import { type PendingApproval, RUN_ID_LENGTH, type SavedRule, UsageError, visible } from '../../shared/schema/index.ts'
import type { RunSummary } from '../../sdk/index.ts'
import type { Client } from './connect-service.ts'

const APPROVAL_ID_LENGTH = 16
const JOB_ID_LENGTH = 32
/** Fewer characters match by chance; recent ids have the same beginning, which is the time. */
const MIN_PART_LENGTH = 4
/** The newest runs, among which an end of an id is looked up. */
const MAX_RUNS = 1000
/** How many ids with the same beginning an error lists. */
const MAX_LISTED = 10

/** The characters of a run id that contain its time in ms. */
const TIME_LENGTH = 10

/** How many characters to show of each of these run ids, so that no two look the same. */
export function shortLength(ids: string[]): number {
  let length = TIME_LENGTH
  while (length < RUN_ID_LENGTH && new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length++
  return length
}

interface Named {
  id: string
  /** another id for the same */
  run_id?: string
  command: string
}

/** A run that a command line names. `command` is missing for a whole id, which is not looked up. */
interface NamedRun {
  id: string
  command?: string
}

/**
 * The run that a command line names: by a part of its id, or with --last the newest one that this token started; undefined: there is no such run.
 * `cancel` looks among live runs first. Rejects with UsageError and ClientError.
 */
export async function namedRun(
  subcommand: string,
  client: Client,
  operands: string[],
  options: ReadonlyMap<string, string>,
): Promise<NamedRun | undefined> {
  refuseUnlessOne(subcommand, operands, options)
  const isLive = subcommand === 'cancel'
  if (options.has('last')) return newestRun(client, isLive ? 'live' : undefined)
  const text = operands[0]!
  return (isLive ? await partOfLive(client, text) : undefined) ?? runFor(client, text)
}

/** Throws UsageError for neither ids nor --last, or for both. */
function refuseUnlessOne(line: string, operands: string[], options: ReadonlyMap<string, string>): void {
  if (options.has('last') !== operands.length > 0) return
  const got = options.has('last') ? 'both' : 'nothing'
  throw new UsageError(`${line}: expected either ID or --last, got ${got}; see shellphone ${line} --help`)
}

/** Skips copies of files, which are runs too. */
async function newestRun({ request }: Client, status?: 'live'): Promise<NamedRun | undefined> {
  const only = status === undefined ? '' : `&status=${status}`
  const { runs } = await request<{ runs: RunSummary[] }>('GET', `/runs?own=true&limit=${MAX_RUNS}${only}`)
  return runs.find(({ dialect }) => dialect !== 'files')
}

/** The run whose id starts with `text`, or else ends with it; an unknown id as it is. Rejects with UsageError if several runs have such an id. */
export async function runFor({ request }: Client, text: string): Promise<NamedRun> {
  if (!isShort(text, RUN_ID_LENGTH)) return { id: text }
  const before = text.padEnd(RUN_ID_LENGTH + 1, 'z') // above every id in question; ids are listed in descending order, so these come first
  const path = `/runs?limit=${MAX_LISTED + 1}&before=${before}`
  const { runs } = await request<{ runs: RunSummary[] }>('GET', path)
  const begun = runs.filter(({ id }) => id.startsWith(text))
  if (begun.length > 0) return onlyOne(text, begun)!
  const newest = await request<{ runs: RunSummary[] }>('GET', `/runs?limit=${MAX_RUNS}`)
  return onlyOne(text, newest.runs) ?? { id: text }
}

/** Resolves with the id of the live run that has `text` as a part of its id. Rejects with UsageError if none or several have. */
export async function liveRunIdFor(client: Client, text: string): Promise<string> {
  if (text.length === RUN_ID_LENGTH) return text
  const found = await partOfLive(client, text)
  if (found) return found.id
  throw new UsageError(`${text}: no live run has an id that starts or ends with this; list them with shellphone ps`)
}

async function partOfLive({ request }: Client, text: string): Promise<RunSummary | undefined> {
  if (!isShort(text, RUN_ID_LENGTH)) return undefined
  return onlyOne(text, (await request<{ runs: RunSummary[] }>('GET', `/runs?status=live&limit=${MAX_RUNS}`)).runs)
}

/**
 * The approval requests that a command line names, by parts of their ids or of those of their runs, or with --last the newest one; none if --last
 * finds none. A string is an unknown id, which the service knows more about. Rejects with UsageError and ClientError. `line`: the subcommand and its verb.
 */
export async function approvalsFor(
  line: string,
  { request }: Client,
  operands: string[],
  options: ReadonlyMap<string, string>,
): Promise<(PendingApproval | string)[]> {
  refuseUnlessOne(line, operands, options)
  const { approvals } = await request<{ approvals: PendingApproval[] }>('GET', '/approvals')
  if (options.has('last')) return approvals.slice(-1)
  return operands.map((text) => onlyOne(text, approvals) ?? text)
}

/** The same for a saved approval. */
export async function ruleIdFor({ request }: Client, text: string): Promise<string> {
  if (!isShort(text, APPROVAL_ID_LENGTH)) return text
  const { rules } = await request<{ rules: SavedRule[] }>('GET', '/approvals')
  return onlyOne(text, rules)?.id ?? text
}

/** The same for a job of a control plane, among its newest ones. */
export async function jobIdFor({ request }: Client, text: string): Promise<string> {
  if (!isShort(text, JOB_ID_LENGTH)) return text
  const { jobs } = await request<{ jobs: { job: string; request: { command: string } }[] }>('GET', '/jobs')
  const named = jobs.map(({ job, request: { command } }) => ({ id: job, command }))
  return onlyOne(text, named)?.id ?? text
}

/** An approval request of a phone of a fleet. */
export type FleetApproval = PendingApproval & { phone: string }

/** The same for an approval request of a phone of a fleet. */
export async function phoneApprovalIdFor({ request }: Client, phone: string, text: string): Promise<string> {
  if (!isShort(text, APPROVAL_ID_LENGTH)) return text
  const { approvals } = await request<{ approvals: FleetApproval[] }>('GET', '/approvals')
  return onPhone(approvals, phone, text)?.id ?? text
}

/** The request among these whose id starts or ends with `text`. Throws UsageError if the phone has none or several. */
export function fleetApprovalIn(approvals: FleetApproval[], phone: string, text: string): FleetApproval {
  const found = onPhone(approvals, phone, text)
  if (found) return found
  throw new UsageError(
    `${visible(text)}: ${visible(phone)} has no pending approval with this id; list them with shellphone fleet approvals`,
  )
}

const onPhone = (approvals: FleetApproval[], phone: string, text: string): FleetApproval | undefined =>
  onlyOne(
    text,
    approvals.filter((one) => one.phone === phone),
  )

const isShort = (text: string, length: number) => text.length < length && /^[0-9a-z]+$/.test(text)

const isPart = (text: string, id = '') => id.startsWith(text) || id.endsWith(text)

/** The one whose id starts or ends with `text`; undefined: none. Throws UsageError if there are several, or if `text` is too short to name one. */
function onlyOne<One extends Named>(text: string, all: One[]): One | undefined {
  if (text.length < MIN_PART_LENGTH) {
    throw new UsageError(
      `${visible(text)}: expected an id, or ${MIN_PART_LENGTH} or more characters of its beginning or end`,
    )
  }
  const found = all.filter(({ id, run_id }) => isPart(text, id) || isPart(text, run_id))
  if (found.length <= 1) return found[0]
  const { columns } = styleOf(process.stderr)
  const line = ({ id, command }: Named) => `\n${cut(`  ${visible(id)}  ${commandCell(command)}`, columns)}`
  const listed = found.slice(0, MAX_LISTED).map(line)
  const more = found.length > MAX_LISTED ? '\n  …' : ''
  throw new UsageError(
    `${text}: expected the beginning or the end of one id, got that of several; type more characters:${listed.join('')}${more}`,
  )
}
