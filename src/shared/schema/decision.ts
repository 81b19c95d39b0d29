import { type Static, Type } from '@sinclair/typebox'

export const Verdict = Type.Union([Type.Literal('allow'), Type.Literal('ask'), Type.Literal('deny')], {
  $id: 'Verdict',
})
export type Verdict = Static<typeof Verdict>

export const Risk = Type.Union([Type.Literal('low'), Type.Literal('medium'), Type.Literal('high')], { $id: 'Risk' })
export type Risk = Static<typeof Risk>

/** A higher number is stricter. */
export const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
/** In ascending order. */
export const risks: readonly Risk[] = ['low', 'medium', 'high']

/** The result of one rule of one guard for one simple command (for the whole script if `command` is null). */
export const Finding = Type.Object(
  {
    guard: Type.String(),
    verdict: Verdict,
    risk: Risk,
    rule: Type.Union([Type.String(), Type.Null()]),
    command: Type.Union([Type.String(), Type.Null()]),
    reason: Type.Union([Type.String(), Type.Null()]),
  },
  { $id: 'Finding' },
)
export type Finding = Static<typeof Finding>

const { guard, rule, reason } = Finding.properties
/** The rule as a record shows it. A schema can use an `$id` only once, so this one repeats the unions without it. */
export const SpokenRule = Type.Object(
  { guard, verdict: Type.Union(Verdict.anyOf), risk: Type.Union(Risk.anyOf), rule, reason },
  { $id: 'SpokenRule' },
)

/** The strictest of all findings: allow < ask < deny. `opaque`: the policy could not analyse the whole script. */
export interface Decision {
  verdict: Verdict
  risk: Risk
  opaque: boolean
  rule: string | null
  reason: string | null
  guards: Finding[]
}
