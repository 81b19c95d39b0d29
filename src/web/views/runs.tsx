import type { ViewProps } from '../route.ts'
import { List } from '../runs/list.tsx'
import { One } from '../runs/one.tsx'

/** What runs and what ran: `#/runs?q=make`; one of them: `#/runs/ID`. */
export const Runs = ({ rest: [id], query }: ViewProps) => (id ? <One key={id} id={id} /> : <List query={query} />)
