import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'

const CheckStatus = Type.Union(
  ['ok', 'warning', 'error', 'skipped'].map((status) => Type.Literal(status as 'ok' | 'warning' | 'error' | 'skipped')),
  { description: 'ok; warning: it works, with a risk; error: something does not work; skipped: not checked here' },
)
export type CheckStatus = Static<typeof CheckStatus>

/** The result of one check. */
export const CheckResult = Type.Object(
  {
    name: Type.String({ description: 'What was checked' }),
    status: CheckStatus,
    found: Type.String({ description: 'The current state, in a sentence' }),
    why: Type.String({ description: 'Why it matters' }),
    fix: orNull(
      Type.String({
        description: 'How to fix it; for ok: advice about conditions that the service cannot check',
      }),
    ),
  },
  { $id: 'CheckResult', description: 'The result of one check' },
)
export type CheckResult = Static<typeof CheckResult>

/** The report of `shellphone doctor` and GET /doctor; `status` is the worst of all checks. */
export const DoctorReport = Type.Object(
  {
    status: Type.Union(CheckStatus.anyOf, { description: 'The worst status of all checks' }),
    checks: Type.Array(CheckResult, { description: 'Every check' }),
  },
  { $id: 'DoctorReport', description: 'Problems of this machine, why they matter and how to fix them' },
)
export type DoctorReport = Static<typeof DoctorReport>
