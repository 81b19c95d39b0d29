/**
 * config: settings. One setting is one row, a TypeBox property with its default, unit and meaning, in service-settings.ts or
 * command-settings.ts; flags, environment names, the help, the checks, the type `Settings` and the README's table follow from it.
 *
 *     service-settings.ts, command-settings.ts     the rows (shapes.ts: what a value may be)
 *     read-settings.ts                             defaults < config.yaml < SHELLPHONE_* < flags, each checked against its row
 *     names.ts, from-text.ts                       a name, and a value, as environment and flags write it
 */
export type { Machine } from './command-settings.ts'
export { environmentName, flagName } from './names.ts'
export { readSettings } from './read-settings.ts'
export { type Settings, settingsSchema } from './settings-schema.ts'
