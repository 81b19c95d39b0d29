import { randomUUID } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import {
  firstError,
  orNull,
  SessionName,
  type TextFile,
  toIso,
  WakeType,
  wakeTypes,
  WebhookName,
  type Who,
} from '../../shared/schema/index.ts'
import { newWebhookSecret } from './sign-webhook.ts'

/** The old secret signs, too, for this long after a change. */
const OLD_SECRET_MS = 86_400_000

/** A webhook as webhooks.json stores it. */
export const WebhookRow = Type.Object({
  /** a webhook that is deleted and created again has another id */
  id: Type.String(),
  token_id: Type.String(),
  name: WebhookName,
  url: Type.String(),
  types: Type.Array(WakeType),
  /** only the runs in this session of the token; absent: all */
  session: Type.Optional(SessionName),
  created_at: Type.String(),
  /** an MCP client subscribed, whose messages have the form of MCP Events; absent: a webhook of PUT /webhooks/:name */
  subscription: Type.Optional(Type.Object({ expires_ms: Type.Number() })),
  is_gone: Type.Boolean(),
  secret: Type.String({ pattern: '^whsec_' }),
  /** the secret before, which also signs until then (ms since 1970) */
  old: orNull(Type.Object({ secret: Type.String({ pattern: '^whsec_' }), until_ms: Type.Number() })),
})
export type WebhookRow = Static<typeof WebhookRow>

export type Log = (facts: Record<string, unknown>, sentence: string) => void

/** Reads the webhooks. Rows that are damaged are ignored, with a warning. */
export function readWebhooks(file: TextFile, log: Log): WebhookRow[] {
  try {
    const text = file.read()
    if (text === null) return []
    const all: unknown = JSON.parse(text).webhooks
    if (!Array.isArray(all)) throw new Error('the file contains no list of webhooks')
    const rows = all.filter((row): row is WebhookRow => firstError(WebhookRow, row) === null)
    if (rows.length < all.length) log({ rows: all.length - rows.length }, 'webhooks.json: damaged webhooks are ignored')
    return rows
  } catch (error) {
    log({ reason: (error as Error).message }, 'webhooks.json cannot be read: there are no webhooks')
    return []
  }
}

/** Writes the webhooks. Throws as the file system does. */
export const writeWebhooks = (file: TextFile, webhooks: WebhookRow[]): void =>
  file.write(`${JSON.stringify({ webhooks }, null, 2)}\n`)

interface Wanted {
  url: string
  types: WakeType[] | undefined
  session: string | undefined
}

/** Whether an MCP client has not renewed its subscription in time. */
export const hasExpired = ({ subscription }: WebhookRow, nowMs: number): boolean =>
  subscription !== undefined && subscription.expires_ms <= nowMs

/** A new webhook of a token. */
export const newRow = (
  name: string,
  { url, types = [...wakeTypes], session }: Wanted,
  { id: token_id }: Who,
  nowMs: number,
): WebhookRow => ({
  ...{ id: randomUUID(), token_id, name, url, types, ...(session !== undefined && { session }) },
  created_at: toIso(nowMs),
  is_gone: false,
  secret: newWebhookSecret(),
  old: null,
})

/** The subscription of an MCP client, which chooses the secret: new, or renewed. */
export function subscribed(
  id: string,
  { url, types, session, secret, expiresMs }: Wanted & { secret: string; expiresMs: number },
  before: WebhookRow | undefined,
  who: Who,
  nowMs: number,
): WebhookRow {
  const row = before ?? { ...newRow(id, { url, types, session }, who, nowMs), secret }
  const old = row.secret === secret ? row.old : { secret: row.secret, until_ms: nowMs + OLD_SECRET_MS }
  return { ...row, secret, old, is_gone: false, subscription: { expires_ms: expiresMs } }
}

/** A webhook with another URL, other types and another session, which is active again. */
export const changed = (
  { session: _before, ...row }: WebhookRow,
  { url, types = [...wakeTypes], session, rotates }: Wanted & { rotates: boolean },
  nowMs: number,
): WebhookRow => ({
  ...row,
  ...{ url, types, ...(session !== undefined && { session }), is_gone: false },
  ...(rotates && { secret: newWebhookSecret(), old: { secret: row.secret, until_ms: nowMs + OLD_SECRET_MS } }),
})
