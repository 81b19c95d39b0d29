import { Title } from '../parts/basics.tsx'
import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../route.ts'
import { Composer } from '../run/composer.tsx'
import { RunCard } from '../run/run-card.tsx'
import { words } from '../words.ts'

/** A command box, and the run that it started: `#/run/ID`. */
export const Run = ({ rest: [id] }: ViewProps) => (
  <div class="run-view">
    <Title>{words.views.run}</Title>
    <Composer />
    {id ? <RunCard key={id} id={id} /> : <Empty icon="run">{words.run.none}</Empty>}
  </div>
)
