import os from 'node:os'

/** Seconds that the machine has been suspended since now: os.uptime() goes on then (CLOCK_BOOTTIME), process.hrtime stands still. */
export function createSleepMeter(): () => number {
  const asleep = () => os.uptime() - Number(process.hrtime.bigint() / 1_000_000_000n)
  const before = asleep()
  // both clocks are read in whole seconds
  return () => Math.max(0, Math.round(asleep() - before) - 1)
}
