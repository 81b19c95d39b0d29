import type { ViewProps } from '../route.ts'
import { RunList } from '../runs/run-list.tsx'
import { rareView } from './on-demand.ts'

const OneRun = rareView((views) => views.OneRun)

/** The list of runs, as `#/runs?q=make`, or one of them, as `#/runs/ID`. */
export const Runs = (props: ViewProps) => (props.rest[0] ? <OneRun {...props} /> : <RunList query={props.query} />)
