import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Health, LoadSample, PhoneStatus } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { Card, Title } from '../parts/basics.tsx'
import { toCount, toSize, toSpan, toTime } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { usePolled } from '../parts/poll.tsx'
import { type SampleKind, valueAt } from '../parts/samples.ts'
import { Spark } from '../parts/spark.tsx'
import { Loaded } from '../parts/states.tsx'
import { hrefOf } from '../route.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { isLocal } from './pair-another.tsx'

const SPAN_MS = 600_000
/** The service takes a sample at the same interval. */
const LOAD_MS = 5_000
/** For this long, the service caches what Android reports. */
const PHONE_MS = 60_000

/** The state of the phone and its service. */
export function Phone() {
  const health = usePolled((phone) => phone.health(), PHONE_MS)
  const phone = usePolled(get<PhoneStatus>('/phone'), PHONE_MS)
  const load = usePolled(get<{ samples: LoadSample[] }>('/load'), LOAD_MS)
  return (
    <>
      <Title>{words.views.phone}</Title>
      <Loaded from={phone}>{(status) => <Device status={status} />}</Loaded>
      <Loaded from={health}>{(service) => <Service service={service} />}</Loaded>
      <Loaded from={load}>{({ samples }) => <Trend samples={samples} />}</Loaded>
      <p class="hint">
        <a href={hrefOf('doctor')}>{texts.doctor}</a>
      </p>
    </>
  )
}

type TileProps = {
  icon: IconName
  name: string
  value: ComponentChildren
  about?: ComponentChildren
  part?: number
}

/** A figure; `part`, from 0 to 1, is also drawn as a meter. */
const Tile = ({ icon, name, value, about, part }: TileProps) => (
  <li class="tile">
    <span class="tile-name">
      <Icon name={icon} />
      {name}
    </span>
    <strong>{value}</strong>
    {part !== undefined && <meter min={0} max={1} value={part} aria-label={name} />}
    {about && <span class="hint">{about}</span>}
  </li>
)

const { phone: texts } = rareWords

function Device({ status: { battery, wifi, urls, storage, missing } }: { status: PhoneStatus }) {
  return (
    <>
      <ul class="tiles">
        {battery && (
          <Tile
            icon="battery"
            name={texts.battery}
            value={`${battery.percent} %`}
            part={battery.percent / 100}
            about={aboutBattery(battery)}
          />
        )}
        {wifi && (
          <Tile
            icon="wifi"
            name={texts.wifi}
            value={<span dir="auto">{wifi.ssid ?? texts.hiddenName}</span>}
            about={aboutWifi(wifi)}
          />
        )}
        <Tile
          icon="link"
          name={texts.addresses}
          value={<span class="mono">{urls[0]}</span>}
          about={urls.slice(1, 4).join(' · ') || (isLocal(urls) && texts.localOnly)}
        />
        {storage.map(({ path, free_bytes: free, total_bytes: total }) => (
          <Tile
            key={path}
            icon="disk"
            name={texts.storage}
            value={texts.free(toSize(free))}
            part={total > 0 ? 1 - free / total : 0}
            about={<span class="mono">{path}</span>}
          />
        ))}
      </ul>
      {missing.length > 0 && (
        <ul class="hint">
          {missing.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </>
  )
}

const plain = (word: string | null) => word?.toLowerCase().replaceAll('_', ' ')

const aboutBattery = ({ status, plugged, health, temperature_celsius: warmth }: NonNullable<PhoneStatus['battery']>) =>
  [plain(status), plain(plugged), warmth === null ? null : `${warmth} °C`, plain(health)].filter(Boolean).join(' · ')

const aboutWifi = ({ signal_dbm: signal, link_mbps: link }: NonNullable<PhoneStatus['wifi']>) =>
  [signal === null ? null : `${signal} dBm`, link === null ? null : `${link} Mbit/s`].filter(Boolean).join(' · ')

function Service({ service }: { service: Health }) {
  const {
    uptime_seconds: up = 0,
    slept_seconds: slept = 0,
    spawner,
    sandbox,
    version,
    warnings = [],
    platform,
    node,
  } = service
  return (
    <>
      {warnings.length > 0 && (
        <Card title={texts.warnings} kind="warned">
          <ul class="bullets">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Card>
      )}
      <ul class="tiles">
        <Tile
          icon="clock"
          name={texts.uptime}
          value={toSpan(up * 1000)}
          about={slept > 0 ? texts.slept(toSpan(slept * 1000)) : ''}
        />
        <Tile icon="run" name={texts.spawner} value={spawner?.name ?? ''} about={spawner?.reason} />
        <Tile
          icon="policy"
          name={texts.sandboxes}
          value={sandbox?.available.filter((name) => name !== 'none').join(', ') || texts.noSandboxes}
          about={sandbox?.reason}
        />
        <Tile icon="phone" name={texts.version} value={version} about={`${platform}, Node ${node}`} />
      </ul>
    </>
  )
}

interface Row {
  name: string
  about: string
  kind: SampleKind
  read(sample: LoadSample): number
  write(value: number): string
}

const rows: Row[] = [
  { ...texts.running, kind: 'held', read: ({ running }) => running, write: toCount },
  { ...texts.queued, kind: 'held', read: ({ queued }) => queued, write: toCount },
  {
    ...texts.started,
    kind: 'counted',
    read: ({ begun }) => begun,
    write: (count) => texts.inSample(toCount(count)),
  },
  { ...texts.memory, kind: 'measured', read: ({ memory_bytes: bytes }) => bytes, write: toSize },
  { ...texts.delay, kind: 'measured', read: ({ lag_ms: ms }) => ms, write: (ms) => `${ms} ms` },
]

/** The load of the last ten minutes; the pointer or the slider chooses the time whose values are shown. */
function Trend({ samples }: { samples: LoadSample[] }) {
  const [agoMs, setAgoMs] = useState(0)
  const toMs = Math.max(Date.now(), ...samples.slice(-1).map(({ at }) => Date.parse(at)))
  const fromMs = toMs - SPAN_MS
  const atMs = toMs - agoMs
  const startMs = Date.parse(samples[0]?.at ?? '')
  const point = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = (currentTarget as HTMLElement).getBoundingClientRect()
    const part = Math.min(1, Math.max(0, (clientX - left) / width))
    setAgoMs(Math.round(((1 - part) * SPAN_MS) / LOAD_MS) * LOAD_MS)
  }
  return (
    <Card title={texts.trend}>
      <p class="hint">
        {texts.gaps} {startMs > fromMs && texts.since(toTime(startMs))}
      </p>
      <ul class="sparks">
        {rows.map(({ name, about, kind, read, write }) => {
          const points = samples.map((sample) => ({
            atMs: Date.parse(sample.at),
            value: read(sample),
          }))
          const highest = Math.max(0, ...points.filter(({ atMs }) => atMs >= fromMs).map(({ value }) => value))
          const value = agoMs === 0 ? (points.at(-1)?.value ?? null) : valueAt(points, kind, atMs)
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
                <Spark {...{ points, kind, fromMs, toMs, highest }} markMs={agoMs === 0 ? null : atMs} />
              </div>
            </li>
          )
        })}
        <li>
          <span class="spark-name dim">{agoMs === 0 ? texts.now : texts.at(toTime(atMs))}</span>
          <span class="axis">
            <span>{texts.from}</span>
            <input
              type="range"
              aria-label={texts.time}
              aria-valuetext={toTime(atMs)}
              min={-SPAN_MS}
              max={0}
              step={LOAD_MS}
              value={-agoMs}
              onInput={({ currentTarget }) => setAgoMs(-currentTarget.valueAsNumber)}
            />
            <span>{texts.now}</span>
          </span>
        </li>
      </ul>
    </Card>
  )
}
