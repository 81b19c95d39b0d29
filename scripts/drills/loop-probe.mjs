/**
 * Loaded into a service under attack (scripts/drills/drill-attack.ts, `node --import`): appends the longest block of its event loop to
 * LOOP_PROBE_FILE 10 times a second, as lines of `epoch-milliseconds milliseconds`.
 */
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 5
const file = process.env.LOOP_PROBE_FILE
const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
delays.enable()
setInterval(() => {
  appendFileSync(file, `${Date.now()} ${Math.max(0, delays.max / 1e6 - RESOLUTION_MS).toFixed(1)}\n`)
  delays.reset()
}, 100).unref()
