import { dialects } from './dialects/index.ts'
import { policySettings } from './policy/index.ts'
import { type Machine, type SettingRow, serviceRows } from './service-rows.ts'

export type { Machine, SettingRow } from './service-rows.ts'

/** Every setting, in one list; the README's tables are generated from it. To add one, add a row below, or in its room. */
export function settingRows(machine: Machine): SettingRow[] {
  return [...serviceRows(machine), ...policyRows, ...dialectRows]
}

/** The guards' settings, by the seeds' names; `policy` names the preset that fills the others. */
const policyRows: SettingRow[] = policySettings.map(({ unit = '', ...one }) => ({ unit, ...one }))

/** Each dialect's own settings, by its seed's names. */
const dialectRows: SettingRow[] = dialects.flatMap(({ name, settings }) =>
  settings.map((one) => ({ ...one, name: `dialects.${name}.${one.name}`, unit: '' })),
)
