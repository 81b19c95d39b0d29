import { computed, effect, signal } from '@preact/signals'
import { connectRuns, type RunPhone, PhoneError } from '../sdk/index.ts'
import { access } from './access.ts'

/** Maximum number of phones that the picker lists; the user can type the name of any other phone. */
export const MAX_LISTED = 500
const PHONES_MS = 60_000
const RETRY_MS = 5_000
const KEY = 'shellphone.phone'

/** A phone as its control plane lists it. */
export interface ListedPhone {
  name: string
  online: boolean
  last_seen: string | null
  version: string | null
  labels: Record<string, string>
  battery: number | null
  running: number
  queued: number
  pending_approvals: number
  /** when a second device with this name appeared; null: no conflict */
  conflict_since: string | null
}

/** Whether a control plane serves this page, which then shows several phones. */
export const isFleet = computed(() => access.value?.isFleet === true)
/** The phones that this token can see. */
export const phones = signal<ListedPhone[]>([])
/** The name of the selected phone; null before one is selected, or if a phone serves this page. */
export const selectedPhone = signal<string | null>(null)

/** Selects a phone, now and for later visits. */
export function selectPhone(name: string): void {
  localStorage.setItem(KEY, name)
  selectedPhone.value = name
}

/** The phone or control plane that serves this page; null while this browser is not paired. */
export const originPhone = computed(() => client(location.origin))
/** The phone of the fleet with this name; without a name, the phone that serves this page. null: no such phone. */
export const phoneNamed = (name: string | null | undefined): RunPhone | null =>
  name ? client(`${location.origin}/phones/${encodeURIComponent(name)}`) : isFleet.value ? null : originPhone.value

function client(url: string): RunPhone | null {
  const { token } = access.value ?? {}
  return token === undefined ? null : connectRuns({ url, token, reconnectMs: Number.POSITIVE_INFINITY })
}

/** Whether a control plane issued the token. Throws PhoneError if the token is not valid. */
export async function isFleetToken(phone: RunPhone): Promise<boolean> {
  try {
    await phone.history({ limit: 1 })
    return false
  } catch (error) {
    if (!(error instanceof PhoneError && error.type === 'not_found')) throw error
    await phone.request('/phones?select=name=none')
    return true
  }
}

async function refreshPhones(plane: RunPhone): Promise<void> {
  phones.value = ((await (await plane.request('/phones')).json()) as { phones: ListedPhone[] }).phones
  const names = phones.value.map(({ name }) => name)
  const stored = localStorage.getItem(KEY)
  const first = phones.value.find(({ online }) => online)?.name ?? names[0]
  if (selectedPhone.value === null || !names.includes(selectedPhone.value)) {
    selectedPhone.value = names.find((name) => name === stored) ?? first ?? null
  }
}

/** Loads the list of phones now. Throws PhoneError. */
export const loadPhones = (): Promise<void> => refreshPhones(originPhone.value!)

/** Keeps the list of phones and the selected phone up to date while this page is paired with a control plane. */
export function startFleet(): void {
  effect(() => {
    const plane = isFleet.value ? originPhone.value : null
    if (!plane) return void (selectedPhone.value = null)
    let timer: ReturnType<typeof setTimeout>
    const poll = async () => {
      const isRefreshed = await refreshPhones(plane).then(
        () => true,
        () => false,
      )
      timer = setTimeout(() => void poll(), isRefreshed ? PHONES_MS : RETRY_MS)
    }
    void poll()
    return () => clearTimeout(timer)
  })
}
