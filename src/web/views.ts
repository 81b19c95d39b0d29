import type { ComponentType } from 'preact'
import type { IconName } from './parts/icon.tsx'
import type { ViewProps } from './route.ts'
import { words } from './words.ts'
import { Access } from './views/access.tsx'
import { Approvals } from './views/approvals.tsx'
import { Phone } from './views/phone.tsx'
import { Policy } from './views/policy.tsx'
import { Rules } from './views/rules.tsx'
import { Run } from './views/run.tsx'
import { Runs } from './views/runs.tsx'
import { Settings } from './views/settings.tsx'
import { OpenTerminal } from './views/open-terminal.tsx'

/** A view: `#/NAME`. */
export interface View {
  name: keyof typeof words.views
  icon: IconName
  /** the letter that goes there, after g */
  key: string
  /** in the bar of a phone, which holds four and More */
  isFirst: boolean
  Component: ComponentType<ViewProps>
}

/** Every view, in the order of the side bar. To add one, add a row; the first is where the page opens. */
export const views: View[] = [
  { name: 'run', icon: 'run', key: 'r', isFirst: true, Component: Run },
  { name: 'runs', icon: 'runs', key: 'h', isFirst: true, Component: Runs },
  { name: 'approvals', icon: 'approvals', key: 'a', isFirst: true, Component: Approvals },
  { name: 'phone', icon: 'phone', key: 'p', isFirst: true, Component: Phone },
  { name: 'terminal', icon: 'terminal', key: 't', isFirst: false, Component: OpenTerminal },
  { name: 'rules', icon: 'rules', key: 'l', isFirst: false, Component: Rules },
  { name: 'policy', icon: 'policy', key: 'o', isFirst: false, Component: Policy },
  { name: 'settings', icon: 'settings', key: 's', isFirst: false, Component: Settings },
  { name: 'access', icon: 'access', key: 'c', isFirst: false, Component: Access },
]
