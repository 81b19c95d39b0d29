import { join } from 'node:path'
import type { NewToken, PendingApproval, RunSummary, SavedRule } from '../../../src/shared/schema/index.ts'
import { type Service, until } from '../../support/helper.ts'
import { initialize, post } from '../../support/mcp/raw.ts'

/** What can belong to a token. The token itself creates it, or the owner creates it for the token. */
export type Kind =
  | 'ended'
  | 'live'
  | 'live key'
  | 'approval'
  | 'rule'
  | 'session'
  | 'shell session'
  | 'key'
  | 'upload'
  | 'trail'
  | 'pad'
  | 'token'
  | 'webhook'

export interface Maker {
  name: string
  token: string
  /** needs approval before it writes a file */
  asks?: boolean
}

/** A webhook whose receiver no name server knows. */
export const webhook = { url: 'https://webhook.invalid/' }

/** Functions that create one object each and return its id, name or path. null: this token cannot have such an object. */
export function objectsOf(service: Service, folder: string) {
  let count = 0
  const statusOf = async (id: string) =>
    ((await (await service.request(`/runs/${id}`)).json()) as { status: string }).status
  const as = ({ token }: Maker, more: Record<string, string> = {}) => ({ authorization: `Bearer ${token}`, ...more })
  const run = async (maker: Maker, body: object, headers = {}, path = '/exec') => {
    const reply = await service.post(path, body, as(maker, headers))
    return (await reply.json()) as { id: string; run_id: string }
  }
  const listed = async () =>
    (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[]; rules: SavedRule[] }
  const put = (maker: Maker, path: string, headers: Record<string, string>, body: string) =>
    service.request(`/files?path=${path}`, { method: 'PUT', headers: as(maker, headers), body, redirect: 'manual' })
  // nullclaw requires approval for anything that changes something
  const asked = async (maker: Maker) => {
    const command = `touch ${join(folder, `asked${++count}`)}`
    let isOver = false
    void run(maker, { command }, {}, '/exec/nullclaw')
      .catch(() => null)
      .finally(() => (isOver = true))
    let found: PendingApproval | undefined
    await until(async () => {
      found = (await listed()).approvals.find((one) => one.command === command)
      return found !== undefined || isOver
    })
    return found?.id ?? null
  }
  const makers: Record<Kind, (maker: Maker) => Promise<string | null>> = {
    ended: async (maker) => (await run(maker, { command: 'true' })).id,
    async live(maker) {
      const { id } = await run(maker, { command: 'cat', stdin: 'open', background: true })
      await until(async () => ['running', 'denied'].includes(await statusOf(id)))
      return (await statusOf(id)) === 'running' ? id : null
    },
    // a foreground run, which its key can cancel
    async 'live key'(maker) {
      const [key, command] = [`live${++count}`, `cat # ${count}`]
      let isOver = false
      void run(maker, { command, stdin: 'open' }, { 'idempotency-key': key })
        .catch(() => null)
        .finally(() => (isOver = true))
      let id: string | undefined
      await until(async () => {
        const { runs } = (await (await service.request('/runs?status=running')).json()) as { runs: RunSummary[] }
        id = runs.find((one) => one.command === command)?.id
        return id !== undefined || isOver
      })
      return id === undefined ? null : `${key} ${id}`
    },
    approval: asked,
    async rule(maker) {
      const id = await asked(maker)
      if (id === null) return null
      const reply = await service.post(`/approvals/${id}`, { decision: 'approve', scope: 'always' })
      return ((await reply.json()) as { saved_rule: string }).saved_rule
    },
    session: async (maker) => (await post(service, initialize, as(maker))).session,
    async 'shell session'(maker) {
      const name = `s${++count}`
      await run(maker, { command: 'export A=1', session: name })
      const headers = as(maker)
      const reply = await service.request(`/sessions/${name}`, { headers })
      return reply.status === 200 ? name : null
    },
    async key(maker) {
      const key = `key${++count}`
      const { id } = await run(maker, { command: 'true' }, { 'idempotency-key': key })
      return `${key} ${id}`
    },
    async upload(maker) {
      if (maker.asks) return null
      const path = join(folder, `upload${++count}`)
      const reply = await put(maker, path, { 'content-range': 'bytes 0-3/8', 'upload-key': 'word' }, 'half')
      return reply.status === 308 ? path : null
    },
    async trail(maker) {
      if (maker.asks) return null
      const path = join(folder, `trail${++count}`)
      await service.exec({ command: `mkdir -p ${path}` })
      const headers = { 'content-type': 'application/x-tar', 'upload-key': 'word' }
      const reply = await put(maker, path, headers, (await tarOf(service)).toString('latin1'))
      return reply.status === 204 ? path : null
    },
    async pad(maker) {
      const name = `pad${++count}`
      await run(maker, { command: 'echo text', scratchpad: name }, {}, '/exec/meka')
      const reply = await service.request(`/scratchpads/${name}`)
      return reply.status === 200 ? name : null
    },
    token: async ({ name }) => name,
    async webhook(maker) {
      const name = `hook-of-${maker.name}`
      const headers = as(maker, { 'content-type': 'application/json' })
      await service.request(`/webhooks/${name}`, { method: 'PUT', headers, body: JSON.stringify(webhook) })
      return name
    },
  }
  return (kind: Kind, maker: Maker): Promise<string | null> => makers[kind](maker)
}

/** An archive that contains one empty file. */
async function tarOf(service: Service): Promise<Buffer> {
  const { stdout } = await service.exec({
    command: 'd=$(mktemp -d) && touch "$d/a" && tar -C "$d" -cf - a && rm -r "$d"',
    encoding: 'base64',
  })
  return Buffer.from(stdout, 'base64')
}

export async function makeToken(service: Service, name: string, rights: object): Promise<Maker> {
  const made = (await (await service.post('/tokens', { name, ...rights })).json()) as NewToken
  return { name, token: made.token }
}
