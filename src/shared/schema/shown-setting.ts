import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'

/** Who gave a setting its value; flags win over the environment, that over config.yaml. */
export type SettingSource = 'config.yaml' | 'environment' | 'flags'

/** One setting as people are shown it. */
export const ShownSetting = Type.Object(
  {
    name: Type.String({ description: 'Its key in config.yaml' }),
    value: Type.Unknown({ description: 'In force' }),
    default: Type.Unknown({ description: 'What holds where nothing is given' }),
    source: oneWordOf(['default', 'preset', 'config.yaml', 'environment', 'flags'], {
      description: 'Who gave it its value; preset: that of the setting policy',
    }),
    live: Type.Boolean({ description: 'A change of config.yaml holds at once, not after a restart' }),
    expected: Type.String({ description: 'What it may be' }),
    unit: Type.String(),
    meaning: Type.String(),
  },
  { $id: 'Setting' },
)
export type ShownSetting = Static<typeof ShownSetting>
