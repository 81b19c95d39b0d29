import { computed, effect, signal } from '@preact/signals'
import { connectRuns, type RunPhone } from '../sdk/index.ts'
import { access } from './access.ts'
import { go, hrefOf, isOfOnePhone, route, selectedPhone } from './route.ts'

/** Maximum number of phones that a list shows; the search of the view Phones finds the others. */
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
/** Whether the list of phones has been loaded. */
export const arePhonesLoaded = signal(false)

/** The phone or control plane that serves this page; null while this browser is not paired. */
export const originPhone = computed(() => client(location.origin))
/** The phone of the fleet with this name; without a name, the phone that serves this page. null: no such phone. */
export const phoneNamed = (name: string | null | undefined): RunPhone | null =>
  name ? client(urlOfPhone(name)) : isFleet.value ? null : originPhone.value

/** The address of a phone's API: on a control plane that of the phone with this name. */
export const urlOfPhone = (name: string | null): string =>
  name === null ? location.origin : `${location.origin}/phones/${encodeURIComponent(name)}`

function client(url: string): RunPhone | null {
  const { token } = access.value ?? {}
  return token === undefined ? null : connectRuns({ url, token, reconnectMs: Number.POSITIVE_INFINITY })
}

async function refreshPhones(plane: RunPhone): Promise<void> {
  phones.value = ((await (await plane.request('/phones')).json()) as { phones: ListedPhone[] }).phones
  arePhonesLoaded.value = true
}

/** Follows the address: it names the phone. Without one, the phone of the last visit, or the only one, is selected; else the list opens. */
function followAddress(): void {
  const { phone, view, rest, query } = route.value
  if (phone !== null) {
    localStorage.setItem(KEY, phone)
    selectedPhone.value = phone
  } else if (arePhonesLoaded.value) {
    const names = phones.value.map(({ name }) => name)
    const stored = localStorage.getItem(KEY)
    selectedPhone.value ??= names.find((name) => name === stored || names.length === 1) ?? null
    if (!isOfOnePhone(view) || names.length === 0) return
    const href =
      selectedPhone.value === null ? hrefOf('phones') : hrefOf(view || 'run', rest, Object.fromEntries(query))
    go(href, 'replace')
  }
}

/** Loads the list of phones now. Throws PhoneError. */
export const loadPhones = (): Promise<void> => refreshPhones(originPhone.value!)

/** Keeps the list of phones and the selected phone up to date while this page is paired with a control plane. */
export function startFleet(): void {
  effect(() => {
    const plane = isFleet.value ? originPhone.value : null
    if (!plane) return void (selectedPhone.value = null)
    arePhonesLoaded.value = false
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
  effect(() => {
    if (isFleet.value) followAddress()
  })
}
