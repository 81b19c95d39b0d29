import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'
import { oneWordOf } from './check.ts'
import { Timestamp } from './timestamp.ts'

const names = (what: string) => Type.Array(Type.String(), { description: what })
const Name = Type.String({ description: 'The name of the session' })

/** Why a command has not changed its session. */
const reasons = ['unfinished', 'background', 'stopped', 'not_captured', 'too_large', 'not_utf8', 'deleted'] as const
export type NotKept = (typeof reasons)[number]

/** What a command did to its session: names of variables, never values. */
export const SessionRecord = Type.Object(
  {
    name: Name,
    cwd: Type.String({ description: 'The directory in which the next command starts' }),
    set: names('Variables that the command has set'),
    unset: names('Variables that the command has unset'),
    kept: Type.Boolean({ description: 'Whether the next command starts with the state after this one' }),
    reason: orNull(
      oneWordOf(reasons, {
        description:
          'Why the state was not kept: unfinished (or not started), background, stopped (denied, canceled, timed out, or killed by a signal), not_captured (exec, or an EXIT trap of its own), too_large, not_utf8 (the directory), deleted (the session)',
      }),
    ),
  },
  { $id: 'SessionRecord', description: 'What the command did to its session' },
)
export type SessionRecord = Static<typeof SessionRecord>

/** A session as clients see it. */
export const SessionInfo = Type.Object(
  {
    name: Name,
    token: Type.String({ description: 'The name of the token to which it belongs' }),
    cwd: orNull(Type.String({ description: 'The directory of the next command; null: the default directory' })),
    set: names('Variables that differ from the base environment'),
    unset: names('Variables of the base environment that the session has unset'),
    lost: names('Variables that a restart has lost, because values that look like secrets are never written to disk'),
    revision: Type.Integer({ description: 'Counts the changes of the state' }),
    busy: Type.Boolean({ description: 'Whether a command uses it now' }),
    waiting: Type.Integer({ description: 'How many commands wait for it' }),
    used_at: Timestamp('When a command used it last'),
    expires_at: Timestamp('When it is deleted unless a command uses it before'),
  },
  { $id: 'SessionInfo', description: 'A session of a token, without the values of its variables' },
)
export type SessionInfo = Static<typeof SessionInfo>
