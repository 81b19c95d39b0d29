import type { Run } from '../exec/index.ts'
import { type ExecRecord, isEnding, withoutTexts } from '../../shared/schema/index.ts'
import { mustBePerson } from './security.ts'
import type { Connection } from './socket-connection.ts'
import type { WsSession } from './ws-session.ts'

/** Connections that watch: asked twice, one still hears everything once. */
const watching = new WeakSet<Connection>()
const watchingRuns = new WeakSet<Connection>()

/** From now on every question and answer is told here; first what waits already. */
export async function watchApprovals({ executor, connection, who }: WsSession): Promise<void> {
  mustBePerson(who)
  if (watching.has(connection)) return
  watching.add(connection)
  const stop = executor.approvals.subscribe((event) => void connection.send(event))
  connection.gone.addEventListener('abort', stop)
  for (const approval of executor.approvals.pending()) await connection.send({ type: 'approval_requested', approval })
}

/** From now on every step of every run is told here; first what lives already. */
export async function watchRuns({ executor, connection }: WsSession): Promise<void> {
  if (watchingRuns.has(connection)) return
  watchingRuns.add(connection)
  const stop = executor.watch((run) => void tellSteps(run, connection))
  connection.gone.addEventListener('abort', stop)
}

/** Its record at each step, the last with its end; a slow reader hears of the newest step alone. Never rejects. */
async function tellSteps(run: Run, connection: Connection): Promise<void> {
  const { gone } = connection
  const wake = () => run.wake()
  const tell = (record: ExecRecord) => connection.send({ type: 'run', run: withoutTexts(record) })
  gone.addEventListener('abort', wake)
  for (let told = 0; !gone.aborted && !isEnding(run.status);) {
    if (told === run.taken.length) await run.changed()
    else {
      told = run.taken.length
      await tell(run.recordNow())
    }
  }
  gone.removeEventListener('abort', wake)
  if (!gone.aborted) await tell(await run.finished.catch(() => run.recordNow()))
}
