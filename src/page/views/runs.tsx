import { Title } from '../parts/basics.tsx'
import { RunRow } from '../parts/run-row.tsx'
import { Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { live } from '../wire.ts'
import { words } from '../words.ts'

/** What ran, the newest first. */
export function Runs() {
  const runs = useAnswer((phone) => phone.history({ limit: 50 }), [live.ended.value])
  return (
    <>
      <Title>{words.views.runs}</Title>
      <Loaded from={runs}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="runs">{words.runs.none}</Empty>
          ) : (
            <ul class="rows">
              {all.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </>
  )
}
