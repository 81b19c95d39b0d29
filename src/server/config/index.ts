/**
 * config: settings. One setting is one row, a TypeBox property with its default, unit and meaning, in service-settings.ts or
 * command-settings.ts; flags, environment names, help, validation, the type `Settings` and the README's table are generated from it.
 *
 *     service-settings.ts, command-settings.ts     the rows (shapes.ts: what a value may be)
 *     read-settings.ts                             defaults < config.yaml < SHELLPHONE_* < flags, each checked against its row
 *     names.ts, from-text.ts                       names and values as environment variables and flags write them
 */
export type { Machine } from './command-settings.ts'
export { environmentName, flagName } from './names.ts'
export { readSettings } from './read-settings.ts'
export { type Settings, settingsSchema } from './settings-schema.ts'
