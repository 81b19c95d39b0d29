/**
 * setup: makes the service one that starts by itself, and unmakes it. A plan (termux.ts, systemd.ts) is a list of changes that are still
 * to be made, each with its sentence; setup.ts shows them, asks, makes them. To set up one thing more, add its change to a plan and
 * its counterpart to the plan that undoes it.
 */
export { keptSettings } from './kept.ts'
export { setup } from './setup.ts'
export { bootScripts } from './termux-files.ts'
export type { SetupWorld, SetupOptions as Wishes } from './setup-world.ts'
