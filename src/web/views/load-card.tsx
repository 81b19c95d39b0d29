import { useState } from 'preact/hooks'
import type { LoadSample } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { Card } from '../parts/basics.tsx'
import { Choice } from '../parts/choice.tsx'
import { toCount, toSize, toSpan, toTime } from '../parts/format.ts'
import { usePolled } from '../parts/poll.tsx'
import { FIVE_SECONDS, ONE_MINUTE, type Resolution, type SampleKind, valueAt } from '../parts/samples.ts'
import { Spark } from '../parts/spark.tsx'
import { Loaded } from '../parts/states.tsx'
import { rareWords } from '../words/rare-words.ts'

const { phone: texts } = rareWords

interface Row {
  name: string
  about: string
  kind: SampleKind
  read(sample: LoadSample): number
  write(value: number): string
}

/** The summary of a minute does not say how many runs were left at its end, so these numbers are unknown until the next one. */
function rowsOf(resolution: Resolution): Row[] {
  const kind = resolution === ONE_MINUTE ? 'measured' : 'held'
  const step = toSpan(resolution.stepMs)
  return [
    { ...texts.running, kind, read: ({ running }) => running, write: toCount },
    { ...texts.queued, kind, read: ({ queued }) => queued, write: toCount },
    {
      name: texts.started,
      about: texts.startedWithin(step),
      kind: 'counted',
      read: ({ begun }) => begun,
      write: (count) => texts.inStep(toCount(count), step),
    },
    { ...texts.memory, kind: 'measured', read: ({ memory_bytes: bytes }) => bytes, write: toSize },
    { ...texts.delay, kind: 'measured', read: ({ lag_ms: ms }) => ms, write: (ms) => `${ms} ms` },
  ]
}

/** The load of the service in a span that the user chooses. */
export function LoadCard() {
  const [minutes, setMinutes] = useState<keyof typeof texts.spans>(10)
  return (
    <Card title={texts.trend}>
      <Choice
        label={texts.span}
        names={texts.spans}
        value={String(minutes)}
        set={(value) => setMinutes(Number(value) as typeof minutes)}
      />
      <Trend key={minutes} minutes={minutes} />
    </Card>
  )
}

function Trend({ minutes }: { minutes: keyof typeof texts.spans }) {
  const resolution = minutes === 10 ? FIVE_SECONDS : ONE_MINUTE
  const load = usePolled(get<{ samples: LoadSample[] }>(`/load?minutes=${minutes}`), resolution.stepMs)
  return (
    <Loaded from={load}>
      {({ samples }) => (
        <Graphs
          samples={samples}
          resolution={resolution}
          spanMs={minutes * 60_000}
          from={texts.ago(texts.spans[minutes])}
        />
      )}
    </Loaded>
  )
}

interface GraphsProps {
  samples: LoadSample[]
  resolution: Resolution
  spanMs: number
  /** the label at the start of the axis of time */
  from: string
}

/** One graph for each row; the pointer or the slider chooses the time whose values are shown. */
function Graphs({ samples, resolution, spanMs, from }: GraphsProps) {
  const [agoMs, setAgoMs] = useState(0)
  const { stepMs } = resolution
  const toMs = Math.max(Date.now(), ...samples.slice(-1).map(({ at }) => Date.parse(at)))
  const fromMs = toMs - spanMs
  const atMs = toMs - agoMs
  const startMs = Date.parse(samples[0]?.at ?? '')
  const start =
    resolution === ONE_MINUTE ? texts.nothingBefore(toTime(startMs - (startMs % stepMs))) : texts.since(toTime(startMs))
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = (currentTarget as HTMLElement).getBoundingClientRect()
    const part = Math.min(1, Math.max(0, (clientX - left) / width))
    setAgoMs(Math.round(((1 - part) * spanMs) / stepMs) * stepMs)
  }
  return (
    <>
      <p class="hint">
        {resolution === ONE_MINUTE && texts.perMinute} {texts.gaps} {startMs - fromMs > 3 * stepMs && start}
      </p>
      <ul class="sparks">
        {rowsOf(resolution).map(({ name, about, kind, read, write }) => {
          const points = samples.map((sample) => ({
            atMs: Date.parse(sample.at),
            value: read(sample),
          }))
          const highest = Math.max(0, ...points.filter(({ atMs }) => atMs >= fromMs).map(({ value }) => value))
          const value = agoMs === 0 ? (points.at(-1)?.value ?? null) : valueAt(points, kind, atMs, resolution)
          return (
            <li key={name}>
              <span class="spark-name">
                {name}
                <small class="hint">{about}</small>
              </span>
              <strong>{value === null ? texts.unknown : write(value)}</strong>
              <span class="axis">
                <span>{highest > 0 && write(highest)}</span>
                <span>{write(0)}</span>
              </span>
              <div class="spark-area" onPointerMove={point} onPointerDown={point} onPointerLeave={() => setAgoMs(0)}>
                <Spark {...{ points, kind, resolution, fromMs, toMs, highest }} markMs={agoMs === 0 ? null : atMs} />
              </div>
            </li>
          )
        })}
        <li>
          <span class="spark-name dim">{agoMs === 0 ? texts.now : texts.at(toTime(atMs))}</span>
          <span class="axis">
            <span>{from}</span>
            <input
              type="range"
              aria-label={texts.time}
              aria-valuetext={toTime(atMs)}
              min={-spanMs}
              max={0}
              step={stepMs}
              value={-agoMs}
              onInput={({ currentTarget }) => setAgoMs(-currentTarget.valueAsNumber)}
            />
            <span>{texts.now}</span>
          </span>
        </li>
      </ul>
    </>
  )
}
