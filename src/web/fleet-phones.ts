import { computed, effect, signal } from '@preact/signals'
import { connectRuns, type RunPhone, PhoneError } from '../sdk/index.ts'
import { access } from './access.ts'

/** Of a fleet's phones as many are offered; any other is reached by its name. */
export const MAX_OFFERED = 500
const PHONES_MS = 60_000
const RETRY_MS = 5_000
const KEY = 'shellphone.phone'

/** A phone as its plane tells of it. */
interface FleetPhone {
  name: string
  online: boolean
}

/** Whether this page is a plane's, which has many phones. */
export const isFleet = computed(() => access.value?.isFleet === true)
/** The phones that this token may see. */
export const phones = signal<FleetPhone[]>([])
/** The one that is looked at; null: of a fleet none is chosen yet, or this page is a phone's own. */
export const chosen = signal<string | null>(null)

/** From now on that phone is looked at. */
export function choose(name: string): void {
  localStorage.setItem(KEY, name)
  chosen.value = name
}

/** Who answers at this address: a phone, or a plane. */
export const home = computed(() => client(location.origin))
/** A phone of the fleet by its name; else the phone that is looked at. */
export const phoneNamed = (name: string | null | undefined): RunPhone | null =>
  name ? client(`${location.origin}/phones/${encodeURIComponent(name)}`) : isFleet.value ? null : home.value

function client(url: string): RunPhone | null {
  const { token } = access.value ?? {}
  return token === undefined ? null : connectRuns({ url, token, reconnectMs: Number.POSITIVE_INFINITY })
}

/** Whether a token is a plane's. Throws PhoneError where it is none that holds. */
export async function isOfFleet(phone: RunPhone): Promise<boolean> {
  try {
    await phone.history({ limit: 1 })
    return false
  } catch (error) {
    if (!(error instanceof PhoneError && error.type === 'not_found')) throw error
    await phone.request('/phones?select=name=none')
    return true
  }
}

async function look(plane: RunPhone): Promise<void> {
  phones.value = ((await (await plane.request('/phones')).json()) as { phones: FleetPhone[] }).phones
  const names = phones.value.map(({ name }) => name)
  const kept = localStorage.getItem(KEY)
  const first = phones.value.find(({ online }) => online)?.name ?? names[0]
  if (chosen.value === null || !names.includes(chosen.value)) {
    chosen.value = names.find((name) => name === kept) ?? first ?? null
  }
}

/** Knows the phones of a fleet, and which of them is looked at, for as long as this page is paired with its plane. */
export function startFleet(): void {
  effect(() => {
    const plane = isFleet.value ? home.value : null
    if (!plane) return void (chosen.value = null)
    let timer: ReturnType<typeof setTimeout>
    const go = async () => {
      const isKnown = await look(plane).then(
        () => true,
        () => false,
      )
      timer = setTimeout(() => void go(), isKnown ? PHONES_MS : RETRY_MS)
    }
    void go()
    return () => clearTimeout(timer)
  })
}
