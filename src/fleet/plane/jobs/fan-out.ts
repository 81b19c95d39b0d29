import { ShellphoneError } from '../../../shared/schema/index.ts'
import { execute, type ExecutionParts, type Progress, type Outcome } from '../calls/execution.ts'
import type { FleetPhone } from '../broker/fleet-phone.ts'
import type { Phones } from '../broker/phones.ts'
import { endOf, type FanResult } from './phone-results.ts'

interface FanOutParts extends ExecutionParts {
  phones: Phones
}

interface FanOut {
  request: object
  by: string
  /** the Idempotency-Key on every phone */
  key: string
  /** aborted to report unfinished commands with their current state */
  signal: AbortSignal
  /** true: stop following a command once the phone has accepted it */
  untilAccepted: boolean
  /** called once for each phone that has accepted the command, before its result */
  onAccepted(name: string, runId: string): void
  onResult(name: string, result: FanResult): void
}

const SILENT = 'it was sent, but the phone has not answered yet; it may still run'
/** The maximum number of phones that run the command at once. */
const MAX_AT_ONCE = 1_024

/** Runs the command on every phone, independently. Resolves when all results have been reported. */
export async function fanOut(parts: FanOutParts, targets: FleetPhone[], command: FanOut): Promise<void> {
  const left = targets[Symbol.iterator]()
  const one = async () => {
    for (const { name } of left) command.onResult(name, await runOn(parts, name, command))
  }
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, targets.length) }, one))
}

/** Runs the command on the least busy phone that accepts it. Throws PHONE_OFFLINE if no phone accepts it. */
export async function pickOne(parts: FanOutParts, targets: FleetPhone[], command: FanOut): Promise<void> {
  const online = targets.filter((phone) => phone.online && phone.conflict_since === null)
  for (const { name } of online.sort(byLoad)) {
    const result = await runOn(parts, name, command)
    if (result.state !== 'offline') return command.onResult(name, result)
  }
  throw new ShellphoneError('PHONE_OFFLINE', 'None of the selected phones is connected; nothing was sent')
}

/** Sorts phones by the number of commands, then by battery level, highest first. A phone without a battery counts as 100 %. */
const byLoad = (a: FleetPhone, b: FleetPhone) =>
  a.running + a.queued - (b.running + b.queued) || (b.battery ?? 100) - (a.battery ?? 100)

async function runOn(parts: FanOutParts, name: string, command: FanOut): Promise<FanResult> {
  const { request, by, key, signal, untilAccepted } = command
  let runId: string | undefined
  try {
    parts.phones.mustBeOne(name)
    const target = { name, by, body: request, key, home: parts.phones.homeOf(name), signal, untilAccepted }
    const onProgress = (_progress: Progress, id: string) => {
      if (runId === undefined) command.onAccepted(name, id)
      runId = id
    }
    return toFanResult(await execute(parts, { ...target, maxSilenceMs: Infinity, onProgress }))
  } catch (error) {
    const { code, message } = error as ShellphoneError
    if (code === 'PHONE_CONFLICT') return { state: 'conflict', reason: message }
    return { state: runId === undefined ? 'silent' : 'running', reason: message, ...(runId && { run_id: runId }) }
  }
}

function toFanResult(outcome: Outcome): FanResult {
  if (outcome.state === 'ended') {
    const { output, truncated, stdout, stderr } = outcome.record
    return { state: 'ended', run_id: outcome.runId, ...endOf(outcome.record), output, truncated, stdout, stderr }
  }
  if (outcome.state === 'running') return { state: 'running', run_id: outcome.runId }
  if (outcome.state === 'refused') {
    const { type, message } = outcome.refusal
    return { state: 'refused', reason: `${type}: ${message}` }
  }
  return outcome.state === 'silent' ? { state: 'silent', reason: SILENT } : { state: outcome.state }
}
