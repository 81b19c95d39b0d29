import { readFileSync } from 'node:fs'
import specs from '@asyncapi/specs'
import { Ajv } from 'ajv'
import t from 'tap'
import { parse } from 'yaml'
import { asyncapiDocument } from '../../scripts/docs/asyncapi-document.ts'
import { messageRows } from '../../src/server/routes/index.ts'
import { openSocket, root, startService } from '../support/helper.ts'

const text = readFileSync(`${root}/src/server/routes/asyncapi.yaml`, 'utf8')
const contract = parse(text)

t.test('asyncapi.yaml matches the messages of the WebSocket', async (t) => {
  t.equal(text, asyncapiDocument(), 'npm run docs has been run')
  t.same(
    Object.keys(contract.operations),
    ['auth', ...Object.keys(messageRows), 'stdin_piece'],
    'an operation for each message',
  )
})

t.test('is valid AsyncAPI 3', async (t) => {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  const isValid = ajv.compile(specs.schemasWithoutId['3.0.0'])
  t.ok(isValid(contract), JSON.stringify(isValid.errors?.slice(0, 3)))
  t.notOk(isValid({ ...contract, operations: { exec: { action: 'shout' } } }), 'an invalid one is found')
  for (const [, path] of text.matchAll(/\$ref: "?#\/([^"\n]+)/g)) {
    t.ok(
      path!.split('/').reduce((part, name) => part?.[name], contract),
      path!,
    )
  }
})

/** Whether the contract allows a message, or why not. */
function checker() {
  const ajv = new Ajv({ strict: false, validateFormats: false })
  ajv.addSchema(contract, 'contract')
  const fits = (name: string, message: object) =>
    ajv.validate({ $ref: `contract#/components/messages/${name}/payload` }, message)
  return { fits, why: () => ajv.errorsText() }
}

t.test('messages on a connection match it', async (t) => {
  const service = await startService({ env: { SHELLPHONE_AUTONOMY: 'supervised' } })
  t.teardown(() => service.stop())
  const { fits, why } = checker()
  let pieces = 0
  const socket = await openSocket(service.url, null, () => pieces++)
  const send = (message: { type: string } & Record<string, unknown>) => {
    t.ok(fits(message.type, message), `${message.type}: ${why()}`)
    socket.send(message)
  }
  const next = (type: string) => socket.next((message) => message.type === type)
  send({ type: 'auth', token: service.token })
  for (const type of ['watch_runs', 'watch_approvals', 'ping']) send({ type })
  await next('pong')

  send({ type: 'exec', ref: 'a', command: 'echo hello; cat', timeout_seconds: '600', stdin: 'open', background: true })
  const { id } = await next('accepted')
  await next('output')
  send({ type: 'resize', id, rows: 24, columns: 80, ref: 'no terminal' })
  await next('error')
  send({ type: 'frames', frames: 'binary' })
  send({ type: 'stdin', id, data: 'more\n' })
  await next('stdin_taken')
  send({ type: 'attach', ref: 'again', id, stdout: 0, stderr: 0 })
  send({ type: 'output_taken', id, stdout: 5 })
  send({ type: 'signal', id, signal: 'SIGCONT' })
  send({ type: 'cancel', id })
  await socket.next(({ type, ref }) => type === 'result' && ref === 'again')
  t.ok(pieces > 0)

  send({ type: 'exec', ref: 'asks', command: 'touch /tmp/shellphone-asyncapi' })
  const request = await next('approval_requested')
  const { id: approvalId } = request.approval as { id: string }
  await next('note')
  send({ type: 'approval', id: approvalId, decision: 'deny', scope: 'once' })
  await next('approval_decided')
  send({ type: 'exec', ref: 'tool', dialect: 'picoclaw', arguments: { command: 'true' } })
  await socket.next(({ ref, type }) => ref === 'tool' && type === 'result')
  await socket.close()

  const namesOf = (type: string) => (type === 'result' ? ['result', 'dialect_result'] : [type])
  for (const message of socket.messages) {
    t.ok(
      namesOf(message.type).some((name) => fits(name, message)),
      `${JSON.stringify(message).slice(0, 200)}: ${why()}`,
    )
  }
  const all = 'accepted approval_decided approval_requested error note output pong result run status stdin_taken'
  t.same([...new Set(socket.messages.map(({ type }) => type))].sort(), all.split(' '))
  t.notOk(fits('exec', { type: 'exec', comand: 'ls' }), 'an invalid one is found')
})
