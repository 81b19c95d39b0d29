/**
 * config: the settings of the service. A setting is a row, a TypeBox property with a default, a unit and a description, in
 * service-settings.ts or command-settings.ts. Flags, environment variables, help, validation, the type `Settings` and the README's table
 * are derived from the rows.
 *
 *     service-settings.ts, command-settings.ts     the rows (shapes.ts: helpers for their schemas)
 *     read-settings.ts                             defaults < config.yaml < SHELLPHONE_* < flags, each checked against its row
 *     names.ts, from-text.ts                       names and values in environment variables and flags
 */
export type { Machine } from './command-settings.ts'
export { environmentName, flagName } from './names.ts'
export { checkSetting, readSettings, settingsIn } from './read-settings.ts'
export { type Settings, settingsSchema } from './settings-schema.ts'
