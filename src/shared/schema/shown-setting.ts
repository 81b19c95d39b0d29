import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'

/** The source of a setting's value; flags override the environment, which overrides config.yaml. */
export type SettingSource = 'config.yaml' | 'environment' | 'flags'

/** One setting with its value, for display. */
export const ShownSetting = Type.Object(
  {
    name: Type.String({ description: 'Its key in config.yaml' }),
    value: Type.Unknown({ description: 'The current value' }),
    default: Type.Unknown({ description: 'The default' }),
    source: oneWordOf(['default', 'preset', 'config.yaml', 'environment', 'flags'], {
      description: 'The source of the value; preset: the preset that the setting policy selects',
    }),
    waiting: Type.Optional(
      Type.Unknown({
        description: 'The value in config.yaml that takes effect at the next start; absent: the current value stays',
      }),
    ),
    live: Type.Boolean({ description: 'Whether a change in config.yaml applies at once, without a restart' }),
    expected: Type.String({ description: 'The allowed values' }),
    unit: Type.String({ description: 'The unit of the value; empty: none' }),
    meaning: Type.String({ description: 'What it does' }),
  },
  { $id: 'Setting', description: 'A setting with its value, default and source' },
)
export type ShownSetting = Static<typeof ShownSetting>
