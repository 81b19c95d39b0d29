import { type Static, Type } from '@sinclair/typebox'
import { commandSettings, type Machine } from './command-settings.ts'
import { serviceSettings } from './service-settings.ts'

/** The service's own settings, by their names in config.yaml. */
export const settingsSchema = (machine: Machine) => Type.Object({ ...serviceSettings, ...commandSettings(machine) })
export type Settings = Static<ReturnType<typeof settingsSchema>>
