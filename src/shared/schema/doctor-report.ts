import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'

const CheckStatus = Type.Union(
  ['ok', 'warning', 'error', 'skipped'].map((status) => Type.Literal(status as 'ok' | 'warning' | 'error' | 'skipped')),
)
export type CheckStatus = Static<typeof CheckStatus>

/** The result of one check. */
export const CheckResult = Type.Object(
  {
    name: Type.String(),
    status: CheckStatus,
    found: Type.String({ description: 'The current state, in a sentence' }),
    why: Type.String({ description: 'Why it matters' }),
    mend: orNull(
      Type.String({
        description: 'How to fix it; for ok: advice about conditions that the service cannot check',
      }),
    ),
  },
  { $id: 'CheckResult' },
)
export type CheckResult = Static<typeof CheckResult>

/** The report of `shellphone doctor` and GET /doctor; `status` is the worst of all checks. */
export const DoctorReport = Type.Object(
  { status: CheckStatus, checks: Type.Array(CheckResult) },
  { $id: 'DoctorReport' },
)
export type DoctorReport = Static<typeof DoctorReport>
