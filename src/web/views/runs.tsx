import { useRef } from 'preact/hooks'
import type { ViewProps } from '../route.ts'
import type { OpenedFrom } from '../runs/run-details.tsx'
import { RunList } from '../runs/run-list.tsx'
import { entryNumber } from '../scroll.ts'
import { rareView } from './on-demand.ts'

const OneRun = rareView((views) => views.OneRun)

/** The list of runs, as `#/runs?q=make`, or one of them, as `#/runs/ID`. */
export function Runs(props: ViewProps) {
  const list = useRef<OpenedFrom | null>(null)
  if (props.rest[0]) return <OneRun {...props} list={list.current} />
  list.current = { query: props.query, entry: entryNumber() }
  return <RunList query={props.query} />
}
