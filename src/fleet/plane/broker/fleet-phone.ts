import { type Static, Type } from '@sinclair/typebox'
import { orNull } from '../../../shared/schema/index.ts'
import { count, labels, text, time } from '../described.ts'

/** A phone in GET /phones. */
export const FleetPhone = Type.Object(
  {
    name: text('The name in the fleet'),
    online: Type.Boolean({ description: 'Whether it has reported within the last 150 s' }),
    last_seen: orNull(time('When it reported last; null: never')),
    version: orNull(text('The version of its service; null: it has not reported yet')),
    labels: labels('From the invitation; selectors use only these'),
    reported_labels: labels('What the phone says about itself, for display only'),
    battery: orNull(Type.Number({ minimum: 0, maximum: 100, description: 'In percent; null: unknown' })),
    running: count('Commands that run on it'),
    queued: count('Commands that wait for a free slot'),
    pending_approvals: count('Approval requests that wait for an answer'),
    conflict_since: orNull(
      time(
        'When a second device with this name appeared; null: no conflict. Until a person settles it, no command is sent',
      ),
    ),
  },
  { $id: 'FleetPhone', description: 'A phone of the fleet' },
)
export type FleetPhone = Static<typeof FleetPhone>
