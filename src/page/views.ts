import type { ComponentType } from 'preact'
import type { IconName } from './parts/icon.tsx'
import type { ViewProps } from './route.ts'
import { words } from './words.ts'
import { Runs } from './views/runs.tsx'

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
export const views: View[] = [{ name: 'runs', icon: 'runs', key: 'h', isFirst: true, Component: Runs }]
