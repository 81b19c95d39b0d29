import type { Run } from '../exec/index.ts'
import { type ExecRecord, isEnding, withoutTexts } from '../../shared/schema/index.ts'
import { mustBePerson } from './security.ts'
import type { Connection } from './socket-connection.ts'
import type { WsSession } from './ws-session.ts'

/** Connections that already watch, so that a second request does not send everything twice. */
const watching = new WeakSet<Connection>()
const watchingRuns = new WeakSet<Connection>()

/** Sends the pending approval requests, and from now on every new request and every answer. */
export async function watchApprovals({ executor, connection, who }: WsSession): Promise<void> {
  mustBePerson(who)
  if (watching.has(connection)) return
  watching.add(connection)
  const stop = executor.approvals.subscribe((event) => void connection.send(event))
  connection.gone.addEventListener('abort', stop)
  for (const approval of executor.approvals.pending()) await connection.send({ type: 'approval_requested', approval })
}

/** Sends the live runs, and from now on every step of every run; a pending approval and its answer are steps, too. */
export async function watchRuns({ executor, connection }: WsSession): Promise<void> {
  if (watchingRuns.has(connection)) return
  watchingRuns.add(connection)
  const stop = executor.watch((run) => void reportSteps(run, connection))
  connection.gone.addEventListener('abort', stop)
}

/** Sends the run's record at each step and once it has ended; a slow client gets only the newest record. Never rejects. */
async function reportSteps(run: Run, connection: Connection): Promise<void> {
  const { gone } = connection
  const wake = () => run.wake()
  const send = (record: ExecRecord) => connection.send({ type: 'run', run: withoutTexts(record) })
  gone.addEventListener('abort', wake)
  let approval: Run['waitsFor'] = null
  for (let reported = 0; !gone.aborted && !isEnding(run.status);) {
    if (reported === run.statuses.length && approval === run.waitsFor) await run.changed()
    else {
      reported = run.statuses.length
      approval = run.waitsFor
      await send(run.recordNow())
    }
  }
  gone.removeEventListener('abort', wake)
  if (!gone.aborted) await send(await run.finished.catch(() => run.recordNow()))
}
