import { statfs } from 'node:fs/promises'
import { type PhoneStatus, type ToolEnd, toIso } from '../../shared/schema/index.ts'

/** The status is cached, because each call of Termux:API needs 2 to 4 of the 32 processes that Android allows for all apps together. */
const CACHE_MS = 60_000
/** Time limit for Termux:API, which never responds if its app is missing or frozen. */
const API_MS = 10_000

interface PhoneParts {
  /** returns whether a program is on PATH */
  has(program: string): boolean
  /** Runs a program within `limitMs`. Never rejects. */
  run(argv: string[], limitMs: number): Promise<ToolEnd>
  addresses(): Promise<string[]>
  /** where the service can be reached */
  urls(): Promise<string[]>
  /** the directories whose disks the status reports; missing directories are omitted */
  folders: string[]
  now?(): number
}

/** Returns a function that reads the state of the phone, at most once a minute. */
export function createPhoneStatus(parts: PhoneParts): () => Promise<PhoneStatus> {
  const now = parts.now ?? Date.now
  let cached: { untilMs: number; status: Promise<PhoneStatus> } | null = null
  return () => {
    if (cached === null || now() >= cached.untilMs) {
      cached = { untilMs: now() + CACHE_MS, status: readStatus(parts, toIso(now())) }
    }
    return cached.status
  }
}

async function readStatus(parts: PhoneParts, looked_at: string): Promise<PhoneStatus> {
  const missing: string[] = []
  const [storage, addresses, urls] = [await disksOf(parts.folders), await parts.addresses(), await parts.urls()]
  const battery = await callApi(parts, 'battery', 'termux-battery-status', missing)
  // if the app has not responded to the first call, do not wait for another
  const wifi = battery === null ? null : await callApi(parts, 'Wi-Fi', 'termux-wifi-connectioninfo', missing)
  return {
    looked_at,
    battery: toBattery(battery),
    wifi: toWifi(wifi),
    addresses,
    urls,
    storage,
    missing,
  }
}

type ToolOutput = Record<string, unknown>

/** Runs a program of Termux:API; null if it returns nothing, with the reason in `missing`. */
async function callApi(
  { has, run }: PhoneParts,
  what: string,
  program: string,
  missing: string[],
): Promise<ToolOutput | null> {
  const fail = (why: string) => {
    missing.push(`${what}: ${why}`)
    return null
  }
  if (!has(program)) {
    return fail(`${program} is not installed (on Android: pkg install termux-api, and the app Termux:API)`)
  }
  const { ending, stdout, stderr } = await run([program], API_MS)
  if (ending === 'killed') return fail(`Termux:API did not respond within ${API_MS / 1000} s: open its app once`)
  const answer = parseObject(stdout)
  if (answer === null) return fail(`${program} returned ${JSON.stringify((stdout || stderr).trim().slice(0, 200))}`)
  return answer.API_ERROR === undefined ? answer : fail(String(answer.API_ERROR).slice(0, 200))
}

function parseObject(text: string): ToolOutput | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as ToolOutput) : null
  } catch {
    return null // the caller reports the output
  }
}

const numberOr = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
const textOr = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 200) : null)

function toBattery(answer: ToolOutput | null): PhoneStatus['battery'] {
  const percent = numberOr(answer?.percentage)
  if (answer === null || percent === null) return null
  const { status, plugged, health, temperature } = answer
  return {
    percent,
    status: textOr(status),
    plugged: textOr(plugged),
    health: textOr(health),
    temperature_celsius: numberOr(temperature),
  }
}

/** Returns null without Wi-Fi; in that case the program reports an unknown network with a link speed of -1. */
function toWifi(answer: ToolOutput | null): PhoneStatus['wifi'] {
  if (answer === null || (numberOr(answer.link_speed_mbps) ?? -1) < 0) return null
  const { ssid, rssi, link_speed_mbps } = answer
  const isKnown = ssid !== '<unknown ssid>'
  return {
    ssid: isKnown ? textOr(ssid) : null,
    signal_dbm: numberOr(rssi),
    link_mbps: numberOr(link_speed_mbps),
  }
}

async function disksOf(folders: string[]): Promise<PhoneStatus['storage']> {
  const disks = await Promise.all(
    folders.map((path) =>
      statfs(path).then(
        (found) => toDisk(path, found),
        () => null,
      ),
    ),
  )
  return disks.filter((disk) => disk !== null)
}

const toDisk = (path: string, { bsize, bavail, blocks }: { bsize: number; bavail: number; blocks: number }) => ({
  path,
  free_bytes: bsize * bavail,
  total_bytes: bsize * blocks,
})
