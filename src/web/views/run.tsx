import { ManualLink, Title } from '../parts/basics.tsx'
import { Empty } from '../parts/states.tsx'
import type { ViewProps } from '../route.ts'
import { Composer } from '../run/composer.tsx'
import { RunCard } from '../run/run-card.tsx'
import { words } from '../words.ts'

/** The command field and, at `#/run/ID`, the run that it started. */
export const Run = ({ rest: [id] }: ViewProps) => (
  <div class="run-view">
    <Title>{words.views.run}</Title>
    <Composer />
    {id ? (
      <RunCard key={id} id={id} />
    ) : (
      <Empty icon="run">
        <span class="keyboard-only">{words.run.none}</span>
        <span class="touch-only">{words.run.noneTouch}</span>
        <br />
        <ManualLink isText />
      </Empty>
    )}
  </div>
)
