import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { PendingApproval } from '../../../src/shared/schema/index.ts'
import { noSandbox, noTerminals, openSocket, sandboxOf, startService, until } from '../../support/helper.ts'
import { modernMessage, post, tasks } from '../../support/mcp/raw.ts'
import { all, type Holder, holders, rightsOf, type Rule, strangers, type Whose, whose } from './holders.ts'
import { type Kind, makeToken, type Maker, objectsOf } from './objects.ts'
import { longLived, requestRow, statusOf } from './row-request.ts'
import { httpRows, mcpRows, type Row, socketRows } from './table.ts'

/**
 * Tests what each holder may do with each route, message, method and tool of its own service. Of the holders that expect the same result from
 * a row, it takes at most `alike`, different ones in each row.
 */
export async function eachRight(t: Test, alike: number): Promise<void> {
  const service = await startService({
    env: {
      ...longLived,
      SHELLPHONE_MAX_PENDING_APPROVALS: '500',
      SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100000',
      SHELLPHONE_TOKEN: 'the-token-of-the-owner-which-nobody-rotates',
    },
  })
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-rights-')))
  writeFileSync(join(folder, 'file'), 'text')
  t.teardown(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const table = httpRows(folder)
  const make = objectsOf(service, folder)
  const makers = {} as Record<Holder | 'another', Maker>
  let clones = 0
  const cloneOf = async (holder: Holder | 'another'): Promise<Maker> => {
    if (holder === 'owner') return { name: 'owner', token: service.token }
    const rights = holder === 'another' ? {} : holders[holder]
    const asks = holder === 'supervised' || holder === 'strict'
    return { ...(await makeToken(service, `t${++clones}`, rights)), asks }
  }
  t.before(async () => {
    for (const holder of [...all, 'another'] as const) makers[holder] = await cloneOf(holder)
    makers.nobody = { name: 'nobody', token: 'wrong' }
  })

  const made = new Map<string, Promise<string | null>>()
  /** The object of a cell, and the token that requests it. If success uses the object up, it is created for this cell only. */
  async function objectFor(kind: Kind, holder: Holder, of: Whose, isFresh: boolean): Promise<[string | null, Maker]> {
    const asker = kind === 'token' && !strangers.includes(holder) ? await cloneOf(holder) : makers[holder]
    const owner = of === 'own' ? asker : makers[of === "another's" ? 'another' : 'owner']
    if (kind === 'token') return [of === "another's" ? (await cloneOf('another')).name : owner.name, asker]
    if (isFresh) return [await make(kind, owner), asker]
    const key = `${kind} ${owner.name}`
    if (!made.has(key)) made.set(key, make(kind, owner))
    return [await made.get(key)!, asker]
  }

  let rows = 0
  let cells = 0
  /** The cells of a row: each holder, combined with each owner of the object if the row concerns one. An object that a holder cannot own has no cell. */
  async function cellsOf({ may, object, isFresh }: { may: Rule; object?: Kind; isFresh?: true }): Promise<Cell[]> {
    const found: Cell[] = []
    for (const { holder, of, expected } of sample(possible(may, object), rows++, alike)) {
      const mayUse = expected === 'ok' && isFresh === true
      const [id, asker] = object ? await objectFor(object, holder, of, mayUse) : ['', makers[holder]]
      if (id !== null) found.push({ holder, of, id, asker, expected })
    }
    cells += found.length
    return found
  }

  /** the approval requests that calls have caused; those of MCP stay pending until the service stops */
  const asked = new Set<string>()
  /** Waits for the approval request that a call of this token causes; null: the call was over before. */
  async function isAsked({ name }: Maker, signal: AbortSignal): Promise<'asks' | null> {
    while (!signal.aborted) {
      const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }
      const found = approvals.find(({ id, token, dialect }) => token === name && dialect === 'files' && !asked.has(id))
      if (!found) continue
      asked.add(found.id)
      return 'asks'
    }
    return null
  }

  async function outcomeOf(name: string, row: Row, { id, asker, expected }: Cell): Promise<number | string> {
    const over = new AbortController()
    const { signal } = over
    const request = requestRow(service, [name, row], { id, token: asker.token, signal }).catch(() => null)
    const first = expected === 'asks' ? await Promise.race([request, isAsked(asker, signal)]) : await request
    if (first === 'asks' || first === null) {
      over.abort()
      return first ?? 'no response'
    }
    const status = await statusOf(row, first, id)
    over.abort()
    return status
  }

  t.test('checks each right on each route', async (t) => {
    const noPad = await noSandbox(service, 'read-only') // only meka creates scratchpads, and its commands need this sandbox
    const noTerminal = await noTerminals(service)
    for (const [name, row] of Object.entries(table)) {
      if (noPad && row.object === 'pad') continue
      const ok = row.opensTerminal && noTerminal ? 503 : row.ok
      for (const cell of await cellsOf(row)) {
        const expected = cell.expected === 'ok' ? ok : cell.expected
        t.equal(await outcomeOf(name, row, cell), expected, `${name}: ${cell.holder}, ${cell.of}`)
      }
    }
  })

  t.test('checks each right for each WebSocket message', async (t) => {
    const sent = new Map<string, { cell: Cell; name: string }>()
    const rows = await Promise.all(
      Object.entries(socketRows).map(async ([name, row]) => ({ name, row, cells: await cellsOf(row) })),
    )
    for (const holder of all) {
      if (strangers.includes(holder)) {
        await t.rejects(openSocket(service.url, makers[holder].token), /401/, holder)
        continue
      }
      const socket = await openSocket(service.url, makers[holder].token)
      for (const { name, row, cells } of rows) {
        for (const cell of cells.filter((one) => one.holder === holder)) {
          const ref = `${name}: ${holder}, ${cell.of}`
          sent.set(ref, { cell, name })
          socket.send({ type: name, ref, ...row.send(cell.id) })
        }
      }
      await socket.exec('last', { command: 'true' })
      const errorOf = (ref: string) => {
        const found = socket.messages.find((message) => message.type === 'error' && message.ref === ref)
        return (found?.error as { type: string } | undefined)?.type ?? 'ok'
      }
      const types: Record<string, string> = { 403: 'forbidden', 404: 'not_found' }
      for (const [ref, { cell, name }] of sent) {
        if (cell.holder !== holder) continue
        const expected = cell.expected !== 'ok' ? types[cell.expected] : name === 'resize' ? 'conflict' : 'ok'
        await until(() => errorOf(ref) === expected)
        t.equal(errorOf(ref), expected, ref)
      }
      await socket.close()
    }
  })

  t.test('checks each right for each MCP method and tool', async (t) => {
    const { available } = await sandboxOf(service)
    const calls = mcpRows(folder)
    for (const [name, row] of Object.entries(calls)) {
      if (name.endsWith('exec_read_only') && !available.includes('read-only')) continue
      for (const { holder, of, id, asker, expected } of await cellsOf(row)) {
        const { message, headers } = modernMessage(name.split(' ')[0]!, row.send(id), tasks)
        const authorization = `Bearer ${asker.token}`
        const isOwnTool = holder === 'dialect' && /exec(_read_only)?$| file_/.test(name)
        const replied = post(service, message, { ...headers, authorization })
        replied.catch(() => {}) // a call that asks waits for approval until the service stops
        const over = new AbortController()
        const first = expected === 'asks' ? await Promise.race([replied, isAsked(asker, over.signal)]) : await replied
        over.abort()
        if (first === 'asks' || first === null) {
          t.equal(first, expected, `${name}: ${holder}`)
          continue
        }
        const { status, body } = first
        const said = JSON.stringify(body)
        const isDenied = name !== 'events/poll' && said.includes('"status":"denied"') // its result lists the runs of others
        const isForbidden = isDenied || /may not (use|read|change)/.test(said)
        const got = status === 401 ? 401 : /No such run/.test(said) ? 404 : isForbidden ? 403 : 'ok'
        if (isOwnTool) t.match(said, /Unknown tool/, `${name}: its own tool instead`)
        else t.equal(got, expected, `${name}: ${holder}, ${of}`)
        if (!isOwnTool && expected === 'ok' && row.error !== undefined)
          t.match(body, { error: { code: row.error } }, `${name}: ${holder}, ${of}`)
        else if (!isOwnTool && expected === 'ok')
          t.notMatch(said, /"error"|"isError":true/, `${name}: ${holder}, ${of}: a result`)
      }
    }
  })

  t.test('nobody has ended the runs of others', async (t) => {
    const ids = await Promise.all([...made].filter(([key]) => key.startsWith('live')).map(([, id]) => id))
    for (const id of ids) {
      const run = id?.split(' ').at(-1)
      if (run) t.match(await (await service.request(`/runs/${run}`)).json(), { status: 'running' }, run)
    }
    t.comment(
      `${Object.keys({ ...table, ...socketRows, ...mcpRows(folder) }).length} rows, ${cells} cells, ${all.length} holders`,
    )
  })
}

interface Case {
  holder: Holder
  of: Whose
  expected: ReturnType<Rule>
}

interface Cell extends Case {
  id: string
  asker: Maker
}

/** Each holder, combined with each owner of the object if the row concerns one. */
function possible(may: Rule, object: Kind | undefined): Case[] {
  return all.flatMap((holder) =>
    (object ? whose : (['own'] as const)).flatMap((of) => {
      if (object && holder === 'owner' && of === 'own') return [] // the owner's
      if (object && strangers.includes(holder) && of === 'own') return [] // it cannot create any
      const isOwn = of === 'own' || (holder === 'owner' && of === "the owner's")
      const expected = strangers.includes(holder) ? 401 : may(rightsOf(holder), isOwn ? 'own' : of, holder)
      return [{ holder, of, expected }]
    }),
  )
}

/** At most `alike` of the cases that expect the same result for the same owner, starting at the `turn`th. */
function sample(cases: Case[], turn: number, alike: number): Case[] {
  const groups = new Map<string, Case[]>()
  for (const one of cases) {
    const key = `${one.of} ${one.expected}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()].flatMap((group) =>
    group.filter((_, index) => (index + turn * alike) % group.length < alike),
  )
}
