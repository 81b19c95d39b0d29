import type { ViewProps } from '../route.ts'
import { RunList } from '../runs/run-list.tsx'
import { RunDetails } from '../runs/run-details.tsx'

/** The list of runs, as `#/runs?q=make`, or one of them, as `#/runs/ID`. */
export const Runs = ({ rest: [id], query }: ViewProps) =>
  id ? <RunDetails key={id} id={id} /> : <RunList query={query} />
