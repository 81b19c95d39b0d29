import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'

/** The body of GET /phone: data from Termux:API and the file system, up to a minute old. */
export const PhoneStatus = Type.Object(
  {
    looked_at: Type.String(),
    battery: orNull(
      Type.Object({
        percent: Type.Number(),
        status: orNull(Type.String({ description: 'CHARGING, DISCHARGING, FULL, NOT_CHARGING' })),
        plugged: orNull(Type.String({ description: 'UNPLUGGED, PLUGGED_AC, PLUGGED_USB, PLUGGED_WIRELESS' })),
        health: orNull(Type.String()),
        temperature_celsius: orNull(Type.Number()),
      }),
    ),
    wifi: orNull(
      Type.Object({
        ssid: orNull(Type.String({ description: 'null: Android reveals it only with the location permission' })),
        signal_dbm: orNull(Type.Number()),
        link_mbps: orNull(Type.Number()),
      }),
    ),
    addresses: Type.Array(Type.String(), {
      description: 'Addresses at which other machines can reach this one, the most likely first',
    }),
    storage: Type.Array(Type.Object({ path: Type.String(), free_bytes: Type.Number(), total_bytes: Type.Number() })),
    missing: Type.Array(Type.String(), { description: 'The data that could not be read, and why, one sentence each' }),
  },
  { $id: 'PhoneStatus' },
)
export type PhoneStatus = Static<typeof PhoneStatus>

/** A sample of the service's load, taken every five seconds. */
export const LoadSample = Type.Object(
  {
    at: Type.String(),
    running: Type.Integer(),
    queued: Type.Integer(),
    begun: Type.Integer({ description: 'Runs started since the previous sample' }),
    memory_bytes: Type.Integer(),
    lag_ms: Type.Number({ description: 'How late a timer of the event loop fired' }),
  },
  { $id: 'LoadSample' },
)
export type LoadSample = Static<typeof LoadSample>
