import { computed, effect, signal } from '@preact/signals'
import { type RunPhone, type RunSummary, PhoneError, type Watch, type WatchEvent } from '../sdk/index.ts'
import { access, signOut } from './access.ts'
import { originPhone, isFleet, loadPhones, phoneNamed } from './fleet-phones.ts'
import { selectedPhone } from './route.ts'
import { createLiveRuns } from './live.ts'
import { type CardState, createApprovalCards } from './approval-cards.ts'
import { words } from './words.ts'

/** Delay between two attempts to reach a service that did not respond. */
const RETRY_MS = 2_000
/** How often to ask a control plane for the pending approvals of its phones. */
const FLEET_POLL_MS = 3_000
/** While the page is visible, a connection without a message for this long is pinged; after as long again without one, the page says so. */
const SILENT_MS = 4_000
const CHECK_MS = 2_000
/** The service lists at most this many runs. */
const MAX_LIVE = 1000
const SEEN_KEY = 'shellphone.seen'

const currentPhone = computed(() => phoneNamed(selectedPhone.value))

/** The client for the current phone. Views are rendered only while a phone is selected. */
export const phone = (): RunPhone => currentPhone.value!

/**
 * The state of the connection, and since when it has been in that state (epoch milliseconds; 0 if unknown). `silent`: it is open, but the
 * service does not respond. `isOffline`: the control plane responds, but the phone is not connected to it.
 */
interface Connection {
  state: 'connecting' | 'connected' | 'silent' | 'lost'
  since: number
  isOffline?: boolean
}
export const connection = signal<Connection>({
  state: 'connecting',
  since: Number(localStorage.getItem(SEEN_KEY) ?? 0),
})
/** The name of the phone; its address until the name is known. */
export const phoneName = signal(location.host)
/** Whether the token of this browser can answer approvals. */
export const mayAnswer = signal(true)
/** The live runs and the approvals. */
export const live = createLiveRuns()
export const approvals = createApprovalCards()

/** The pending approval of a run, if this browser can see it. */
export const pendingOf = (runId: string): CardState | undefined =>
  approvals.pending.value.find(({ approval }) => approval.run_id === runId)

/** Calls the current phone or, with `name`, another phone of the fleet. Signs out if the token is no longer valid. Throws what the call throws. */
export async function ask<Result>(call: (phone: RunPhone) => Promise<Result>, name?: string): Promise<Result> {
  try {
    const answer = await call((name && phoneNamed(name)) || phone())
    noteMessage()
    return answer
  } catch (error) {
    signOutIfUnauthorized(error)
    throw error
  }
}

/** Whether a call failed because the service did not respond; the page shows that once, for all of its parts. */
export const isUnreachable = (error: unknown): boolean => error instanceof PhoneError && error.type === 'unreachable'

export const messageOf = (error: unknown): string =>
  isUnreachable(error) ? words.frame.unreachable : error instanceof Error ? error.message : String(error)

function signOutIfUnauthorized(error: unknown): void {
  if (error instanceof PhoneError && error.type === 'unauthorized') signOut(words.pair.revoked)
}

/** When the last message arrived, and when the last ping was sent (epoch milliseconds). */
let lastMessageMs = 0
let pingedMs = 0

/** Whether the service has sent anything since this page was opened. */
export const hasReceived = (): boolean => lastMessageMs > 0

/** Whether what the page shows may be out of date. */
export const isStale = computed(() => connection.value.state === 'lost' || connection.value.state === 'silent')

const isOpen = (): boolean => connection.value.state === 'connected' || connection.value.state === 'silent'

/** Records that the service has just sent something. */
export function noteMessage(): void {
  lastMessageMs = Date.now()
  if (connection.value.state === 'silent') connection.value = { state: 'connected', since: lastMessageMs }
}

function storeLastSeen(): void {
  if (isOpen()) localStorage.setItem(SEEN_KEY, String(lastMessageMs))
}

function markLost(): void {
  if (connection.value.state === 'lost') return
  storeLastSeen()
  connection.value = { state: 'lost', since: isOpen() ? lastMessageMs : connection.value.since }
  if (isFleet.value) void checkPhone()
}

/** Asks a silent service for a sign of life, and shows that none has arrived. */
function checkSilence(watch: Watch): void {
  const now = Date.now()
  if (document.visibilityState === 'hidden' || !isOpen() || now - lastMessageMs < SILENT_MS) return
  if (pingedMs <= lastMessageMs) {
    pingedMs = now
    void watch.ping().then(noteMessage)
  } else if (now - pingedMs >= SILENT_MS && connection.value.state === 'connected') {
    connection.value = { state: 'silent', since: lastMessageMs }
  }
}

/** Finds out whether only the phone is unreachable, and not its control plane. */
async function checkPhone(): Promise<void> {
  const phone = currentPhone.value
  if (!phone) return
  const isOffline = await phone.health().then(
    () => false,
    (error) => error instanceof PhoneError && error.type === 'phone_offline',
  )
  const { state, since } = connection.value
  if (phone !== currentPhone.value || isOpen() || (!isOffline && state === 'connecting')) return
  if (isOffline === (connection.value.isOffline ?? false)) return
  connection.value = { state: 'lost', since: state === 'connecting' ? 0 : since, isOffline }
  if (isOffline) await loadPhones().catch(() => {}) // the list says when it was last connected
}

/** Loads the pending approvals of this phone or of every phone in the fleet. */
async function loadApprovals(): Promise<void> {
  try {
    await approvals.load(
      () => originPhone.value!.approvals(),
      ({ run_id, phone: name }) => ask((phone) => phone.record(run_id), name),
    )
  } catch (error) {
    signOutIfUnauthorized(error)
    if (error instanceof PhoneError && error.type === 'forbidden') mayAnswer.value = false
  }
}

/** Loads the live runs with the current sizes of their output, which events do not report. */
export const loadRuns = (phone: RunPhone): Promise<void> =>
  live.load(() => phone.history({ status: 'live', limit: MAX_LIVE }))

/** Loads the changes that happened while there was no connection. */
async function catchUp(phone: RunPhone): Promise<void> {
  const [{ name }] = await Promise.all([phone.health(), loadRuns(phone), loadApprovals()])
  if (phone === currentPhone.value) phoneName.value = name ?? location.host
}

/** Handles an event: the state of a run changed. For a token that cannot answer approvals, no other event reports them. */
function noteRun(run: RunSummary): void {
  live.update(run)
  const isPending = run.pending_approval ?? pendingOf(run.id)
  if (!mayAnswer.value && isPending) void loadApprovals()
}

function handleEvent(event: WatchEvent, phone: RunPhone): void {
  if (event.type !== 'disconnected') noteMessage()
  if (event.type === 'connected') {
    connection.value = { state: 'connected', since: Date.now() }
    storeLastSeen()
    void catchUp(phone).catch(signOutIfUnauthorized)
  } else if (event.type === 'disconnected') markLost()
  else if (event.type === 'run') noteRun(event.run)
  else if (event.type === 'approval_requested') {
    approvals.requested({ ...event.approval, ...(selectedPhone.value && { phone: selectedPhone.value }) })
  } else if (event.type === 'approval_decided') approvals.decided(event.id, event)
  else mayAnswer.value = isFleet.value // on a control plane, loadApprovals finds out
}

async function follow(phone: RunPhone, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const watch = phone.watch()
    signal.addEventListener('abort', () => watch.leave(), { once: true })
    const timer = setInterval(() => checkSilence(watch), CHECK_MS)
    try {
      for await (const event of watch.events()) handleEvent(event, phone)
    } catch (error) {
      markLost()
      signOutIfUnauthorized(error)
    }
    clearInterval(timer)
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** Keeps the state of this page up to date while it is paired. */
export function startWire(): void {
  addEventListener('pagehide', storeLastSeen)
  effect(() => {
    mayAnswer.value = true
    if (access.value === null) approvals.clear()
  })
  effect(() => {
    const phone = currentPhone.value
    if (!phone) return
    const watching = new AbortController()
    void follow(phone, watching.signal)
    return () => {
      watching.abort()
      live.clear()
      connection.value = { state: 'connecting', since: 0 }
      phoneName.value = location.host
    }
  })
  effect(() => {
    if (!isFleet.value) return
    const poll = () => {
      void loadApprovals()
      if (currentPhone.value && connection.value.state !== 'connected') void checkPhone()
    }
    const timer = setInterval(poll, FLEET_POLL_MS)
    return () => clearInterval(timer)
  })
}

/** A signal that never aborts, for requests that may wait for approval or last as long as their data. */
export const noTimeout = (): AbortSignal => new AbortController().signal
