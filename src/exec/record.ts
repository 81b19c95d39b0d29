import { type Decision, type ExecRecord, isEnding, isWithin, toIso } from '../schema/index.ts'
import { artifacts } from '../store/index.ts'
import type { ExecutorParts } from './parts.ts'
import type { Run } from './run.ts'
import type { Command, CommandSettings } from './to-command.ts'
import { shownOf, toRecord } from './to-record.ts'

/** artifact_paths are at most 64 (schema); of all together so much is read. */
const ARTIFACT_LIMITS = { maxCount: 64, maxBytes: 1_073_741_824 }

/** Written before it is answered: no record is lost that a client has seen. */
export async function record(run: Run, { store, prepare }: ExecutorParts): Promise<ExecRecord> {
  const { id, command, decision, approval, outcome } = run
  const summary = await run.output.finish()
  const why = outcome.ending === 'canceled' ? [String(run.canceled.reason ?? 'the service is stopping')] : []
  const record = toRecord(outcome, {
    id,
    command,
    decision: spoken(decision),
    approval,
    artifacts:
      command.artifactPaths.length > 0 && outcome.ending !== 'denied' ? await artifactsOf(command, prepare) : [],
    sha256: { stdout: summary.stdout.sha256, stderr: summary.stderr.sha256 },
    notes: [...why, ...summary.notes],
  })
  const kept = await store.history.end(record, outcome.ending === 'denied' ? null : summary, shownOf(outcome, command))
  record.notes.push(...kept)
  run.to(outcome.ending)
  return record
}

/** What a record tells of a decision; every finding is at POST /policy/check. */
export function spoken({ verdict, risk, rule, reason }: Decision): ExecRecord['decision'] {
  return { verdict, risk, rule, reason }
}

/** The record of a run that could not be carried to its end; whoever waits for it hears the error itself. */
export async function recordFailure(run: Run, error: unknown, { store }: ExecutorParts): Promise<void> {
  if (isEnding(run.status)) return
  const summary = await run.output.finish()
  run.record.notes.push(error instanceof Error ? error.message : String(error))
  run.record.ended_at = toIso(Date.now())
  run.to('failed')
  await store.history.end(run.record, summary)
}

/** What the sandbox hides from the command, the service does not read for it either. */
function artifactsOf({ artifactPaths, cwd, sandbox }: Command, { realpath }: CommandSettings) {
  const hidden = sandbox.hidden.map((folder) => realpath(folder) ?? folder)
  const allowed = (path: string) => !hidden.some((root) => isWithin({ path, root }))
  return artifacts({ paths: artifactPaths, cwd, allowed, limits: ARTIFACT_LIMITS })
}
