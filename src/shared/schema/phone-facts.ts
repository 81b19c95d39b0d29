import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'
import { Timestamp } from './timestamp.ts'

/** The body of GET /phone: data from Termux:API and the file system, up to a minute old. */
export const PhoneStatus = Type.Object(
  {
    looked_at: Timestamp('When these data were read'),
    battery: orNull(
      Type.Object({
        percent: Type.Number({ description: 'Charge, 0 to 100' }),
        status: orNull(Type.String({ description: 'CHARGING, DISCHARGING, FULL, NOT_CHARGING' })),
        plugged: orNull(Type.String({ description: 'UNPLUGGED, PLUGGED_AC, PLUGGED_USB, PLUGGED_WIRELESS' })),
        health: orNull(Type.String({ description: 'GOOD, OVERHEAT, COLD, DEAD …' })),
        temperature_celsius: orNull(Type.Number({ description: 'Temperature in degrees Celsius' })),
      }),
      { description: 'The battery; null: the device has no battery, or it could not be read (see missing)' },
    ),
    wifi: orNull(
      Type.Object({
        ssid: orNull(Type.String({ description: 'null: Android reveals it only with the location permission' })),
        signal_dbm: orNull(Type.Number({ description: 'Signal strength in dBm; nearer to 0 is stronger' })),
        link_mbps: orNull(Type.Number({ description: 'Speed of the link in Mbit/s' })),
      }),
      { description: 'The Wi-Fi connection; null: none, or it could not be read (see missing)' },
    ),
    addresses: Type.Array(Type.String(), {
      description: "The machine's addresses on its networks, the one nearest to other machines first",
    }),
    urls: Type.Array(Type.String(), {
      description: 'Where the service can be reached, the most likely first; only loopback: from this machine alone',
    }),
    storage: Type.Array(
      Type.Object({
        path: Type.String({ description: 'A directory on this file system' }),
        free_bytes: Type.Number({ description: 'Free space in bytes' }),
        total_bytes: Type.Number({ description: 'Size in bytes' }),
      }),
      { description: 'The file systems of the home directory and of shared storage' },
    ),
    missing: Type.Array(Type.String(), { description: 'The data that could not be read, and why, one sentence each' }),
  },
  { $id: 'PhoneStatus', description: 'Battery, network and storage, at most a minute old' },
)
export type PhoneStatus = Static<typeof PhoneStatus>

/** The shortest span of GET /load, in minutes, which is also the default. */
export const MIN_LOAD_MINUTES = 10
/** The longest span of GET /load, in minutes. */
export const MAX_LOAD_MINUTES = 1440

/** A sample of the service's load, taken every five seconds, or the summary of one minute. */
export const LoadSample = Type.Object(
  {
    at: Timestamp('When it, or the last sample of the minute, was taken'),
    running: Type.Integer({ description: 'Commands that were running; for a minute, the highest number' }),
    queued: Type.Integer({ description: 'Commands that waited for a slot; for a minute, the highest number' }),
    begun: Type.Integer({ description: 'Runs started since the previous sample; for a minute, the sum' }),
    memory_bytes: Type.Integer({
      description: 'Resident set size of the service, in bytes; for a minute, the last one',
    }),
    lag_ms: Type.Number({
      description: 'How late a timer of the event loop fired, in milliseconds; for a minute, the highest number',
    }),
  },
  { $id: 'LoadSample', description: 'The load of the service at one moment, or in one minute' },
)
export type LoadSample = Static<typeof LoadSample>
