/**
 * setup: installs the service so that it starts at boot, and removes it. A plan (termux.ts, systemd.ts) lists the changes that are still
 * needed, each with a description. setup.ts shows them, asks for confirmation, and applies them. To make setup install something else, add a
 * change to a plan and the opposite change to the plan that undoes it.
 */
export { storedSettings as keptSettings } from './stored-settings.ts'
export { setup } from './setup.ts'
export { bootScripts } from './termux-files.ts'
export { within } from './wait-for-service.ts'
export type { SetupWorld, SetupOptions } from './setup-world.ts'
