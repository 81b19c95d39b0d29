import type { ComponentType } from 'preact'
import { isFleet } from './fleet-phones.ts'
import type { IconName } from './parts/icon.tsx'
import type { ViewProps } from './route.ts'
import { words } from './words.ts'
import { Approvals } from './views/approvals.tsx'
import { rareView } from './views/on-demand.ts'
import { Run } from './views/run.tsx'
import { Runs } from './views/runs.tsx'

/** A view, at the address `#/NAME`. */
export interface View {
  name: keyof typeof words.views
  icon: IconName
  /** the letter that opens the view when typed after g */
  key: string
  /** whether the view is in the navigation bar of a phone, which has room for four views and More */
  isInBar: boolean
  /** whether only a control plane has this view, or only a phone */
  only?: 'fleet' | 'phone'
  Component: ComponentType<ViewProps>
}

/** Every view, in the order of the side bar. To add one, add a row. The page opens with the first view. */
export const views: View[] = [
  { name: 'run', icon: 'run', key: 'r', isInBar: true, Component: Run },
  { name: 'runs', icon: 'runs', key: 'h', isInBar: true, Component: Runs },
  { name: 'approvals', icon: 'approvals', key: 'a', isInBar: true, Component: Approvals },
  { name: 'phone', icon: 'phone', key: 'p', isInBar: true, Component: rareView((views) => views.Phone) },
  {
    name: 'phones',
    icon: 'phones',
    key: 'f',
    isInBar: false,
    only: 'fleet',
    Component: rareView((views) => views.Phones),
  },
  { name: 'jobs', icon: 'jobs', key: 'j', isInBar: false, only: 'fleet', Component: rareView((views) => views.Jobs) },
  { name: 'files', icon: 'folder', key: 'i', isInBar: false, Component: rareView((views) => views.Files) },
  { name: 'terminal', icon: 'terminal', key: 't', isInBar: false, Component: rareView((views) => views.OpenTerminal) },
  { name: 'doctor', icon: 'doctor', key: 'd', isInBar: false, Component: rareView((views) => views.Doctor) },
  { name: 'rules', icon: 'rules', key: 'l', isInBar: false, Component: rareView((views) => views.Rules) },
  { name: 'policy', icon: 'policy', key: 'o', isInBar: false, Component: rareView((views) => views.Policy) },
  { name: 'sessions', icon: 'disk', key: 'n', isInBar: false, Component: rareView((views) => views.Sessions) },
  {
    name: 'webhooks',
    icon: 'link',
    key: 'w',
    isInBar: false,
    only: 'phone',
    Component: rareView((views) => views.Webhooks),
  },
  { name: 'settings', icon: 'settings', key: 's', isInBar: false, Component: rareView((views) => views.Settings) },
  { name: 'access', icon: 'access', key: 'c', isInBar: false, Component: rareView((views) => views.Access) },
  { name: 'access-log', icon: 'clock', key: 'e', isInBar: false, Component: rareView((views) => views.AccessLog) },
]

/** The views of this page: those of a phone or of a control plane. */
export const shownViews = (): View[] => views.filter(({ only }) => !only || (only === 'fleet') === isFleet.value)
