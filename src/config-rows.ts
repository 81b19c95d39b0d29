import { commandRows } from './command-rows.ts'
import { dialects } from './dialects/index.ts'
import { policySettings } from './policy/index.ts'
import { serviceRows } from './service-rows.ts'
import type { Machine, SettingRow } from './setting-row.ts'

export type { Machine, SettingRow } from './setting-row.ts'

/** Every setting, in one list; the README's tables are generated from it. To add one, add a row below, or in its room. */
export function settingRows(machine: Machine): SettingRow[] {
  return [...serviceRows, ...commandRows(machine), ...policyRows, ...dialectRows]
}

/** The guards' settings, by the seeds' names; `policy` names the preset that fills the others. */
const policyRows: SettingRow[] = policySettings.map(({ unit = '', ...one }) => ({ unit, ...one }))

/** Each dialect's own settings, by its seed's names. */
const dialectRows: SettingRow[] = dialects.flatMap(({ name, settings }) =>
  settings.map((one) => ({ ...one, name: `dialects.${name}.${one.name}`, unit: '' })),
)
