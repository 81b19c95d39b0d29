import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'
import { RunStatus } from './exec-record.ts'
import { orNull } from './or-null.ts'
import { Timestamp } from './timestamp.ts'

/** What can happen to a run that may wake an agent. */
export const wakeTypes = ['run.asked', 'run.answered', 'run.ended'] as const
export const WakeType = oneWordOf(wakeTypes, {
  description:
    'run.asked: the run waits for approval; run.answered: the approval request has ended; run.ended: the run has ended',
})
export type WakeType = (typeof wakeTypes)[number]

/** An event of a run, without its command and output. */
export const WakeEvent = Type.Object(
  {
    type: WakeType,
    timestamp: Timestamp('When it happened'),
    data: Type.Object(
      {
        run_id: Type.String({ description: 'The id of the run' }),
        status: RunStatus,
        exit_code: orNull(Type.Integer({ description: 'The exit code; null: none' })),
      },
      { description: 'The run' },
    ),
  },
  { $id: 'WakeEvent', description: 'An event of a run, without its command and output' },
)
export type WakeEvent = Static<typeof WakeEvent>
