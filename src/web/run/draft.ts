import { signal } from '@preact/signals'
import type { RunOptions } from '../../sdk/index.ts'
import { ask } from '../wire.ts'

/** What is about to be run: it stays while other views are looked at. */
export interface Draft {
  command: string
  directory: string
  /** seconds; empty: as the service has it */
  timeout: string
  /** empty: as the service has it */
  sandbox: string
  isOpen: boolean
}

export const emptyDraft: Draft = { command: '', directory: '', timeout: '', sandbox: '', isOpen: false }
export const draft = signal<Draft>(emptyDraft)

/** Of a draft, what differs from what was there. */
export const change = (part: Partial<Draft>): void => void (draft.value = { ...draft.value, ...part })

/** The request that it stands for, without the command. */
export function optionsOf({ directory, timeout, sandbox, isOpen }: Draft): RunOptions {
  return {
    ...(directory.trim() === '' ? {} : { working_directory: directory.trim() }),
    ...(timeout === '' ? {} : { timeout_seconds: Number(timeout) }),
    ...(sandbox === '' ? {} : { sandbox: sandbox as NonNullable<RunOptions['sandbox']> }),
    ...(isOpen ? { stdin: 'open' } : {}),
  }
}

/** The draft that was sent last, and the key it was sent with: sent again after a lost answer, it still starts once. */
let sent: { draft: Draft; key: string } | null = null

/** Starts it; resolves with its id. It goes on whoever watches. Throws PhoneError. */
export async function start(what: Draft): Promise<string> {
  if (sent?.draft !== what) sent = { draft: what, key: `page-${keyOf(crypto.getRandomValues(new Uint8Array(16)))}` }
  const { key } = sent
  const body = { command: what.command, background: true, ...optionsOf(what) }
  const asked = { method: 'POST', body, headers: { 'idempotency-key': key } }
  const { id } = (await (await ask((phone) => phone.request('/exec', asked))).json()) as { id: string }
  sent = null
  return id
}

const keyOf = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
