import { useEffect } from 'preact/hooks'
import { ManualLink, Title } from '../parts/basics.tsx'
import { Empty } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { Composer } from '../run/composer.tsx'
import { RunCard } from '../run/run-card.tsx'
import { liveRun } from '../run/draft.ts'
import { words } from '../words.ts'

/** The command field and, at `#/run/ID`, the run that it started. Coming back while that run is live shows it again. */
export function Run({ rest: [id] }: ViewProps) {
  useEffect(() => {
    const live = id ? null : liveRun()
    if (live) go(hrefOf('run', [live]), 'replace')
  }, [])
  return (
    <div class="run-view">
      <Title>{words.views.run}</Title>
      <Composer shown={id} />
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
}
