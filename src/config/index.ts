/**
 * config: settings. One setting is one row, a TypeBox property with its default, unit and meaning, in service-settings.ts or
 * command-settings.ts; flags, environment names, the help, the checks, the type `Settings` and the README's table follow from it.
 *
 *     service-settings.ts, command-settings.ts     the rows (shapes.ts: what a value may be)
 *     read.ts                                      defaults < config.yaml < SHELLPHONE_* < flags, each checked against its row
 *     from-text.ts                                 a value as environment and flags write it
 */
import { type Static, Type } from '@sinclair/typebox'
import { commandSettings, type Machine } from './command-settings.ts'
import { serviceSettings } from './service-settings.ts'

export type { Machine } from './command-settings.ts'
export { environmentName, flagName, type Given, readSettings } from './read.ts'

/** The service's own settings, by their names in config.yaml. Seconds are seconds here. */
export const settingsSchema = (machine: Machine) => Type.Object({ ...serviceSettings, ...commandSettings(machine) })
export type Settings = Static<ReturnType<typeof settingsSchema>>
