import { computed, effect, signal } from '@preact/signals'
import { type RunPhone, PhoneError, type WatchEvent } from '../sdk/index.ts'
import { access, forget } from './access.ts'
import { chosen, home, isFleet, phoneNamed } from './fleet-phones.ts'
import { createLive } from './live.ts'
import { createQuestions } from './questions.ts'
import { words } from './words.ts'

/** Between two attempts to reach a service that never answered. */
const RETRY_MS = 2_000
/** How often a plane is asked what waits on its phones. */
const FLEET_MS = 3_000
/** The service lists no more at once. */
const MAX_LIVE = 1000
const SEEN_KEY = 'shellphone.seen'

const held = computed(() => phoneNamed(chosen.value))

/** The service, for a view: none is shown without. */
export const phone = (): RunPhone => held.value!

/** Whether the service is there, and since when it is or is not (epoch milliseconds; 0: nobody knows). */
export const connection = signal<{ state: 'connecting' | 'connected' | 'lost'; since: number }>({
  state: 'connecting',
  since: Number(localStorage.getItem(SEEN_KEY) ?? 0),
})
/** What to call the phone: its address until it has said. */
export const phoneName = signal(location.host)
/** Whether this browser's token may answer questions. */
export const mayAnswer = signal(true)
/** What runs now, and what waits for a person. */
export const live = createLive()
export const questions = createQuestions()

/** What a call answers; a token that holds no longer ends everything at once. `name`: of another phone of the fleet. */
export async function ask<Answer>(call: (phone: RunPhone) => Promise<Answer>, name?: string): Promise<Answer> {
  try {
    return await call((name && phoneNamed(name)) || phone())
  } catch (error) {
    leaveWhereRefused(error)
    throw error
  }
}

/** What to say of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function leaveWhereRefused(error: unknown): void {
  if (error instanceof PhoneError && error.type === 'unauthorized') forget(words.pair.revoked)
}

function seen(): void {
  if (connection.value.state === 'connected') localStorage.setItem(SEEN_KEY, String(Date.now()))
}

function lost(): void {
  if (connection.value.state === 'lost') return
  seen()
  const since = connection.value.state === 'connected' ? Date.now() : connection.value.since
  connection.value = { state: 'lost', since }
}

/** What waits for an answer, here or on any phone of the fleet. */
async function askWaiting(): Promise<void> {
  try {
    await questions.load(
      () => home.value!.approvals(),
      ({ run_id, phone }) => ask((one) => one.record(run_id), phone),
    )
  } catch (error) {
    leaveWhereRefused(error)
    if (error instanceof PhoneError && error.type === 'forbidden') mayAnswer.value = false
  }
}

/** What was told while nobody heard it. */
async function catchUp(phone: RunPhone): Promise<void> {
  const runs = live.load(() => phone.history({ status: 'live', limit: MAX_LIVE }))
  const [{ name }] = await Promise.all([phone.health(), runs, askWaiting()])
  if (phone === held.value) phoneName.value = name ?? location.host
}

function hear(event: WatchEvent, phone: RunPhone): void {
  if (event.type === 'connected') {
    connection.value = { state: 'connected', since: Date.now() }
    seen()
    void catchUp(phone).catch(leaveWhereRefused)
  } else if (event.type === 'disconnected') lost()
  else if (event.type === 'run') live.is(event.run)
  else if (event.type === 'approval_requested') {
    questions.asked({ ...event.approval, ...(chosen.value && { phone: chosen.value }) })
  } else if (event.type === 'approval_decided') questions.answered(event.id, event)
  else mayAnswer.value = isFleet.value // there, the plane says it
}

async function follow(phone: RunPhone, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const watch = phone.watch()
    signal.addEventListener('abort', () => watch.leave(), { once: true })
    try {
      for await (const event of watch.events()) hear(event, phone)
    } catch (error) {
      lost()
      leaveWhereRefused(error)
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** From now on this page knows what happens, for as long as it is paired. */
export function startWire(): void {
  addEventListener('pagehide', seen)
  effect(() => {
    mayAnswer.value = true
    if (access.value === null) questions.forget()
  })
  effect(() => {
    const phone = held.value
    if (!phone) return
    const over = new AbortController()
    void follow(phone, over.signal)
    return () => {
      over.abort()
      live.forget()
      connection.value = { state: 'connecting', since: 0 }
      phoneName.value = location.host
    }
  })
  effect(() => {
    if (!isFleet.value) return
    const timer = setInterval(() => void askWaiting(), FLEET_MS)
    return () => clearInterval(timer)
  })
}
