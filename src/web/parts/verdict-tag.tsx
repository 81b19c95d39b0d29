import type { ComponentChildren } from 'preact'
import type { PolicyCheck } from '../../sdk/index.ts'
import { Tag } from './basics.tsx'
import type { IconName } from './icon.tsx'

type Verdict = PolicyCheck['verdict']

/** The shape and colour of a verdict. */
export const verdictStyles: Record<Verdict, [kind: string, icon: IconName]> = {
  allow: ['good', 'ok'],
  ask: ['warn', 'approvals'],
  deny: ['bad', 'close'],
}

export const VerdictTag = ({ verdict, children }: { verdict: Verdict; children: ComponentChildren }) => (
  <Tag kind={verdictStyles[verdict][0]} icon={verdictStyles[verdict][1]}>
    {children}
  </Tag>
)
