import type { Outcome } from '../pool/index.ts'
import {
  type Approval,
  CancelController,
  type CancelSignal,
  type Child,
  type Decision,
  type ExecRecord,
} from '../schema/index.ts'
import type { Spool } from '../store/index.ts'
import { createLifecycle, isEnding, type Lifecycle } from './lifecycle.ts'
import type { Command } from './prepare.ts'
import { recordInProgress } from './to-record.ts'
import type { Watched } from './watch.ts'

/** One Command on its way. `finished` rejects only where the request never became a process (POOL_FULL, EXECUTION_ERROR). */
export interface Run extends Watched {
  readonly command: Command
  readonly lifecycle: Lifecycle
  readonly output: Spool
  /** as history shows it until the end */
  readonly record: ExecRecord
  /** aborts when the run is to be cancelled; its reason goes into the notes */
  readonly canceled: CancelSignal
  /** the started shell, while it lives; for stdin and signals */
  child: Child | null
  /** what was decided about it */
  decision: Decision
  /** what a person said, where one was asked */
  approval: Approval | null
  /** what the pool made of it, once it has ended */
  outcome: Outcome | null
  /** Ends the whole tree: SIGTERM, grace, SIGKILL. Twice is harmless. */
  cancel(why: string): CancelOutcome
}

export type CancelOutcome = 'cancel_requested' | 'already_finished'

const undecided: Decision = { verdict: 'allow', risk: 'low', opaque: false, rule: null, reason: null, guards: [] }

/** A run that is queued; `carry` takes it to its record. */
export function createRun(id: string, command: Command, output: Spool, carry: (run: Run) => Promise<ExecRecord>): Run {
  const abort = new CancelController()
  const record = recordInProgress(id, command)
  const lifecycle = createLifecycle((status) => {
    record.status = status
  })
  let waiting = 0
  const cancel = (why: string): CancelOutcome => {
    if (isEnding(lifecycle.status)) return 'already_finished'
    abort.abort(why)
    return 'cancel_requested'
  }
  const run: Omit<Run, 'finished'> & { finished: Promise<ExecRecord> | null } = {
    id,
    command,
    encoding: command.encoding,
    lifecycle,
    output,
    record,
    canceled: abort.signal,
    child: null,
    decision: undecided,
    approval: null,
    outcome: null,
    cancel,
    finished: null,
    join: () => {
      waiting++
      let hasLeft = false
      return () => {
        if (hasLeft) return
        hasLeft = true
        if (--waiting === 0 && !command.background) cancel('the client went away')
      }
    },
  }
  // one object: what `carry` is handed gets its `finished` in the same breath
  run.finished = carry(run as Run)
  run.finished.catch(() => {}) // whoever watches hears of it; that nobody watches is no crash
  return run as Run
}
