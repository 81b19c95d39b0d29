import { signal } from '@preact/signals'
import type { RunOptions, RunSummary } from '../../sdk/index.ts'
import { ask, live } from '../wire.ts'

/** The command that the user is preparing; it survives a change of view. */
export interface Draft {
  command: string
  directory: string
  /** seconds; empty for the default */
  timeout: string
  /** empty for the default */
  sandbox: string
  /** the name of a session; empty for none */
  session: string
  /** whether stdin stays open */
  isOpen: boolean
}

export const emptyDraft: Draft = { command: '', directory: '', timeout: '', sandbox: '', session: '', isOpen: false }
export const draft = signal<Draft>(emptyDraft)

/** Updates part of the draft. */
export const change = (part: Partial<Draft>): void => void (draft.value = { ...draft.value, ...part })

/** The request options of a draft, without the command. */
export function optionsOf({ directory, timeout, sandbox, session, isOpen }: Draft): RunOptions {
  return {
    ...(directory.trim() === '' ? {} : { working_directory: directory.trim() }),
    ...(timeout === '' ? {} : { timeout_seconds: Number(timeout) }),
    ...(sandbox === '' ? {} : { sandbox: sandbox as NonNullable<RunOptions['sandbox']> }),
    ...(session.trim() === '' ? {} : { session: session.trim() }),
    ...(isOpen ? { stdin: 'open' } : {}),
  }
}

/** A random idempotency key: sending a request again after a lost response starts the command only once. */
export const newKey = (): string => `page-${toHex(crypto.getRandomValues(new Uint8Array(16)))}`

/** A command can change its session only if it has a lease: without a page that shows it, it ends after this time and the session is free again. */
const SESSION_LEASE_SECONDS = 3600

/** The draft that was sent last, with its idempotency key: sending it again after a lost response starts the command only once. */
let sent: { draft: Draft; key: string } | null = null

/** The last runs that this page started, the newest at the end. */
const started = new Set<string>()
const MAX_STARTED = 100

/** The run whose stdin gets the focus once it is open; null: none. */
let nextInput: string | null = null

/** The run that this page started last, if it is live. */
export const liveRun = (): string | null => live.runs.peek().find(({ id }) => id === [...started].at(-1))?.id ?? null

/** The running commands that this page started, except the one that it shows; the newest first. */
export const otherRuns = (shown: string | undefined): RunSummary[] =>
  live.runs.value.filter(({ id, status }) => status === 'running' && id !== shown && started.has(id))

/** Whether the stdin of a run gets the focus now: once, unless the user has begun the next command. */
export function takesFocus(id: string): boolean {
  const takes = id === nextInput && draft.peek().command === ''
  if (id === nextInput) nextInput = null
  return takes
}

/** The runs that this page started and has not followed yet. */
export const startedHere = new Set<string>()

/** Starts the command in the background; resolves with the id of the run. Throws PhoneError. */
export async function start(next: Draft): Promise<string> {
  if (sent?.draft !== next) sent = { draft: next, key: newKey() }
  const { key } = sent
  const options = optionsOf(next)
  const lease = options.session === undefined ? {} : { lease_seconds: SESSION_LEASE_SECONDS }
  const body = { command: next.command, background: true, ...lease, ...options }
  const request = { method: 'POST', body, headers: { 'idempotency-key': key } }
  const { id } = (await (await ask((phone) => phone.request('/exec', request))).json()) as { id: string }
  sent = null
  startedHere.add(id)
  started.add(id)
  if (started.size > MAX_STARTED) started.delete(started.values().next().value!)
  nextInput = next.isOpen ? id : null
  return id
}

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
