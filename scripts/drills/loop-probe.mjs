/**
 * scripts/drills/drill-attack.ts loads this module into a service under attack (`node --import`). Ten times a second, it appends the longest time
 * that the event loop was blocked to LOOP_PROBE_FILE, as a line `epoch-milliseconds milliseconds`.
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
