import { type Static, Type } from '@sinclair/typebox'
import { orNull } from './or-null.ts'

export const Verdict = Type.Union([Type.Literal('allow'), Type.Literal('ask'), Type.Literal('deny')], {
  $id: 'Verdict',
  description: 'allow: the command runs; ask: it runs if a person approves it; deny: it does not run',
})
export type Verdict = Static<typeof Verdict>

export const Risk = Type.Union([Type.Literal('low'), Type.Literal('medium'), Type.Literal('high')], {
  $id: 'Risk',
  description: 'How much damage the command could do, as the policy estimates it',
})
export type Risk = Static<typeof Risk>

/** A higher number is stricter. */
export const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
/** In ascending order. */
export const risks: readonly Risk[] = ['low', 'medium', 'high']

/** The result of one rule of one guard for one simple command (for the whole script if `command` is null). */
export const Finding = Type.Object(
  {
    guard: Type.String({ description: 'The guard that the rule belongs to, such as catastrophic' }),
    verdict: Verdict,
    risk: Risk,
    rule: orNull(Type.String({ description: 'The name of the rule; null: none of the guard applied' })),
    command: orNull(Type.String({ description: 'The simple command that it judged; null: the whole script' })),
    reason: orNull(Type.String({ description: 'Why, in a sentence for the person or the model' })),
  },
  { $id: 'Finding', description: 'The result of one rule of one guard' },
)
export type Finding = Static<typeof Finding>

const { guard, rule, reason } = Finding.properties
/** The rule as a record shows it. A schema can use an `$id` only once, so this one repeats the unions without it. */
export const SpokenRule = Type.Object(
  {
    guard,
    verdict: Type.Union(Verdict.anyOf, { description: Verdict.description }),
    risk: Type.Union(Risk.anyOf, { description: Risk.description }),
    rule,
    reason,
  },
  { $id: 'SpokenRule', description: 'A rule that applied' },
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
