import type { ComponentChildren } from 'preact'
import type { Health, PhoneStatus } from '../../sdk/index.ts'
import { get } from '../api.ts'
import { Title } from '../parts/basics.tsx'
import { toSize, toSpan } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { usePolled } from '../parts/poll.tsx'
import { Loaded } from '../parts/states.tsx'
import { hrefOf } from '../route.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { LoadCard } from './load-card.tsx'
import { isLocal } from './pair-another.tsx'
import { Warnings } from './warnings.tsx'

/** For this long, the service caches what Android reports. */
const PHONE_MS = 60_000

/** The state of the phone and its service. */
export function Phone() {
  const health = usePolled((phone) => phone.health(), PHONE_MS)
  const phone = usePolled(get<PhoneStatus>('/phone'), PHONE_MS)
  return (
    <>
      <Title>{words.views.phone}</Title>
      <Loaded from={phone}>{(status) => <Device status={status} />}</Loaded>
      <Loaded from={health}>{(service) => <Service service={service} />}</Loaded>
      <LoadCard />
      <p class="hint">
        <a href={hrefOf('doctor')}>{texts.doctor}</a>
      </p>
    </>
  )
}

/** SVG paths on a 24 × 24 grid. */
const icons = {
  battery: 'M3 8h15v8H3zM21 10.5v3M5.5 10.5h5v3h-5z',
  wifi: 'M2.5 9.5a14 14 0 0 1 19 0M6 13a9 9 0 0 1 12 0M9.2 16.3a4.5 4.5 0 0 1 5.6 0M12 19.5h.01',
}

type TileProps = {
  icon: IconName | keyof typeof icons
  name: string
  value: ComponentChildren
  about?: ComponentChildren
  part?: number
}

/** A figure; `part`, from 0 to 1, is also drawn as a meter. */
const Tile = ({ icon, name, value, about, part }: TileProps) => (
  <li class="tile">
    <span class="tile-name">
      {icon === 'battery' || icon === 'wifi' ? <Icon path={icons[icon]} /> : <Icon name={icon} />}
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
      <Warnings warnings={warnings} />
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
