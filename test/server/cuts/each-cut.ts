import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { cutsOf, sendAndEnd, sendAndReset, sendCutFrame, statusOf, wireText } from '../../support/cut-bytes.ts'
import { noSessions, openSocket, type Service, soon, startService, until } from '../../support/helper.ts'
import { frame, MiB } from '../../support/raw-client.ts'
import { socketRows } from '../rights/table.ts'
import { type Input, inputsOf } from './inputs.ts'

const LONG_SECONDS = '86400'
/** Connections and their descriptors close a moment after their clients have disconnected. */
const MAX_MORE_DESCRIPTORS = 8
const MAX_GROWTH_BYTES = 96 * MiB

/**
 * Cuts every request, WebSocket message and MCP call at every tenth byte (`every` 3: at every third of those), and checks the service's health
 * after each cut. At the end, no cut request has had an effect, and the service accepts each complete one.
 */
export async function eachCut(t: Test, every: number): Promise<void> {
  const service = await startService({
    env: {
      SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: LONG_SECONDS,
      SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '1000',
      SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '100000',
      SHELLPHONE_MAX_RUNNING: '50',
      SHELLPHONE_MAX_TIMEOUT_SECONDS: LONG_SECONDS,
      SHELLPHONE_TIMEOUT_SECONDS: LONG_SECONDS,
    },
  })
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'shellphone-cuts-')))
  t.teardown(async () => {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await service.exec({ command: `echo text > ${folder}/file` })
  const inputs = await inputsOf(service, folder)
  const before = await stateOf(service, folder)
  const connectionsOf = async () =>
    ((await (await service.request('/connections')).json()) as Listed).connections.length
  const connections = await connectionsOf()
  const descriptors = service.descriptors().length
  const rss = service.rssBytes()

  let cuts = 0
  const isWell = async (t: Test, what: string) => {
    cuts++
    const { status, warnings } = (await (await service.request('/health')).json()) as Health
    if (status !== 'ok' || warnings.length > before.warnings.length) t.fail(what, { status, warnings })
  }

  t.test('survives requests whose connection ends early', async (t) => {
    for (const [turn, input] of inputs.entries()) {
      const text = wireText(input)
      for (const length of cutsOf(text.length, every, turn)) {
        for (const send of [sendAndEnd, sendAndReset]) {
          await send(service.port, text.slice(0, length))
          await isWell(t, `${input.name}: ${send.name} after ${length} of ${text.length} bytes`)
        }
      }
      t.pass(input.name)
    }
    t.comment(`${inputs.length} requests, ${cuts} cuts`)
  })

  t.test('rejects truncated bodies', async (t) => {
    const [cutsBefore, bodies] = [cuts, inputs.filter(isJson)]
    for (const [turn, input] of bodies.entries()) {
      const refused = new Set<number>()
      for (const length of cutsOf(input.body.length, every, turn)) {
        refused.add(await statusOf(service.port, { ...input, body: input.body.slice(0, length) }))
        await isWell(t, `${input.name}: ${length} of ${input.body.length} bytes`)
      }
      t.same(
        [...refused].filter((status) => status !== 400),
        [],
        input.name,
      )
    }
    t.comment(`${bodies.length} bodies, ${cuts - cutsBefore} cuts`)
  })

  t.test('rejects truncated WebSocket messages', async (t) => {
    const cutsBefore = cuts
    const socket = await openSocket(service.url, service.token)
    for (const [turn, [type, { send }]] of Object.entries(socketRows).entries()) {
      const text = JSON.stringify({ type, ref: 'cut', ...send('none') })
      const receivedBefore = socket.messages.length
      const lengths = cutsOf(text.length, every, turn)
      for (const length of lengths) {
        socket.send(text.slice(0, length))
        await isWell(t, `${type}: ${length} of ${text.length} bytes`)
      }
      await until(() => socket.messages.length >= receivedBefore + lengths.length)
      const refused = socket.messages
        .slice(receivedBefore)
        .map((one) => (one.error as { type: string } | undefined)?.type)
      t.same(
        refused,
        lengths.map(() => 'validation_error'),
        `${type}, cut before it was sent`,
      )

      for (const length of cutsOf(frame(1, text).length, every, turn)) {
        await sendCutFrame(service, text, length)
        await isWell(t, `${type}: ${length} bytes of a frame`)
      }
      t.pass(`${type}, whose connection ends early`)
    }
    socket.send({ type: 'ping', ref: 'last' })
    t.ok(await soon(socket.next((message) => message.type === 'pong')), 'the connection lives')
    await socket.close()
    t.comment(`${Object.keys(socketRows).length} messages, ${cuts - cutsBefore} cuts`)
  })

  t.test('no cut request had an effect or left anything behind', async (t) => {
    const after = () => stateOf(service, folder)
    t.ok(await until(async () => JSON.stringify(await after()) === JSON.stringify(before)))
    // fewer if the test's own client has closed idle ones
    t.ok(await until(async () => (await connectionsOf()) <= connections), 'no connection is left')
    const metrics = await (await service.request('/metrics')).text()
    t.match(metrics, /^shellphone_unhandled_rejections_total 0$/m)
    const errors = service.log.filter((line) => JSON.parse(line).level >= 50)
    t.same(errors, [], 'no fault of its own is in its log')
    t.ok(await until(() => service.descriptors().length <= descriptors + MAX_MORE_DESCRIPTORS))
    t.ok(service.rssBytes() - rss < MAX_GROWTH_BYTES, `grown by ${service.rssBytes() - rss} bytes`)
  })

  t.test('accepts each complete request', async (t) => {
    const missing = await noSessions(service)
    for (const input of inputs) {
      if (missing !== null && input.name.includes('/sessions/')) t.pass(input.name, { skip: missing })
      else t.equal(await statusOf(service.port, input), input.ok, input.name)
    }
  })
}

interface Listed {
  connections: unknown[]
}

interface Health {
  status: string
  warnings: string[]
}

const isJson = (input: Input): input is Input & { body: string } =>
  input.body !== undefined && input.headers['content-type'] === 'application/json'

/** The state that commands, files and people have left behind, by name. */
async function stateOf(service: Service, folder: string) {
  const get = async (path: string) => (await service.request(path)).json() as Promise<any>
  const { runs } = await get('/runs?limit=1000')
  const { tokens } = await get('/tokens')
  const { approvals, rules } = await get('/approvals')
  const { pool, warnings } = await get('/health')
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort()
  return {
    runs: ids(runs),
    tokens: (tokens as { name: string }[]).map(({ name }) => name),
    ...{ approvals: ids(approvals), rules: ids(rules), warnings: warnings as string[] },
    running: pool.running,
    files: readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort(),
    home: readdirSync(service.home, { recursive: true, encoding: 'utf8' }).sort(),
  }
}
