import type { PolicyCheck } from '../../sdk/index.ts'
import { words } from '../words.ts'
import { Tag } from './basics.tsx'
import type { IconName } from './icon.tsx'

type Risk = PolicyCheck['risk']

/** The shape and colour of a risk. */
export const riskStyles: Record<Risk, [kind: string, icon: IconName]> = {
  low: ['good', 'ok'],
  medium: ['warn', 'warn'],
  high: ['bad', 'warn'],
}

export const RiskTag = ({ risk }: { risk: Risk }) => (
  <Tag kind={riskStyles[risk][0]} icon={riskStyles[risk][1]}>
    {words.approvals.risk[risk]}
  </Tag>
)
