import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'

const CheckStatus = Type.Union(
  ['ok', 'warning', 'error', 'skipped'].map((status) => Type.Literal(status as 'ok' | 'warning' | 'error' | 'skipped')),
)
export type CheckStatus = Static<typeof CheckStatus>

/** One thing that was looked at. */
export const CheckResult = Type.Object(
  {
    name: Type.String(),
    status: CheckStatus,
    found: Type.String({ description: 'The current state, in a sentence' }),
    why: Type.String({ description: 'Why it matters' }),
    mend: orNull(
      Type.String({
        description: 'How to fix it; for ok: advice about what cannot be seen from inside',
      }),
    ),
  },
  { $id: 'CheckResult' },
)
export type CheckResult = Static<typeof CheckResult>

/** What `shellphone doctor` and GET /doctor tell: `status` is that of the worst. */
export const DoctorReport = Type.Object(
  { status: CheckStatus, checks: Type.Array(CheckResult) },
  { $id: 'DoctorReport' },
)
export type DoctorReport = Static<typeof DoctorReport>
