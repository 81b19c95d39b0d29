/**
 * setup: installs the service so that it starts at boot, and removes it. A plan (termux.ts, systemd.ts) lists the changes that are still
 * needed, each with a description; setup.ts shows them, asks, and applies them. To set up one more thing, add its change to a plan and
 * the opposite change to the plan that undoes it.
 */
export { storedSettings as keptSettings } from './stored-settings.ts'
export { setup } from './setup.ts'
export { bootScripts } from './termux-files.ts'
export type { SetupWorld, SetupOptions } from './setup-world.ts'
