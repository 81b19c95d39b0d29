/**
 * The measuring process. It is small and uses no packages, so that a bare spawn is as fast as possible and a request costs little.
 *
 *     node scripts/bench/bench-client.mjs '{"contenders": [{"name", "port"?, "message"?, "token"?}], "phases": [{"rounds", "perBlock", "atOnce", "gapMs"}]}'
 *
 * A contender with a port gets `message` after each response, with a new value for UNIQUE (over WebSocket if it has a token). A contender without
 * a port is a bare child_process.spawn('sh', ['-c', 'true']) until 'close'. In each round, the contenders take turns to run one block, with a pause
 * of `gapMs` before each command. Prints the milliseconds of each command, and of all blocks, for each phase and contender.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import WebSocket from 'ws'

const LENGTH = /content-length: (\d+)/i

const bare = () =>
  new Promise((resolve) => spawn('sh', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] }).once('close', resolve))

/** A keep-alive HTTP/1.1 connection that sends the same message repeatedly. */
async function createConnection({ name, port, message }) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let received = ''
  let done = () => {}
  socket.on('close', () => {
    throw new Error(`${name} closed the connection`)
  })
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const head = received.indexOf('\r\n\r\n')
    const length = head < 0 ? null : LENGTH.exec(received)
    if (length === null || received.length < head + 4 + Number(length[1])) return
    if (received.slice(9, 12) !== '200') throw new Error(`${name}: ${received.slice(0, 300)}`)
    received = ''
    done()
  })
  const run = () =>
    new Promise((resolve) => {
      done = resolve
      socket.write(message.replace('UNIQUE', () => randomUUID()))
    })
  const close = () => void socket.removeAllListeners('close').destroy()
  return { run, close }
}

/** A WebSocket connection that runs one command at a time. */
async function createSocket({ port, token, message }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  await once(socket, 'open')
  let done = () => {}
  socket.on('message', (data) => {
    if (data.toString('latin1', 0, 16) === '{"type":"result"') done()
  })
  const run = () =>
    new Promise((resolve) => {
      done = resolve
      socket.send(message)
    })
  return { run, close: () => socket.terminate() }
}

const open = (contender) => (contender.token ? createSocket(contender) : createConnection(contender))
const openWorkers = (contender, atOnce) =>
  Promise.all(Array.from({ length: atOnce }, () => (contender.port ? open(contender) : { run: bare, close: () => {} })))

async function runBlock(workers, { perBlock, gapMs }, into) {
  let left = perBlock
  const work = async ({ run }) => {
    while (left-- > 0) {
      if (gapMs) await sleep(gapMs)
      const began = performance.now()
      await run()
      into.times.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(workers.map(work))
  into.wallMs += performance.now() - began
}

const { contenders, phases } = JSON.parse(process.argv[2])
const results = []
for (const phase of phases) {
  const lanes = await Promise.all(contenders.map((contender) => openWorkers(contender, phase.atOnce)))
  const result = contenders.map(({ name }) => ({ name, times: [], wallMs: 0 }))
  for (let round = 0; round < phase.rounds; round++) {
    for (let i = 0; i < lanes.length; i++) {
      const turn = (i + round) % lanes.length
      await runBlock(lanes[turn], phase, result[turn])
    }
  }
  for (const worker of lanes.flat()) worker.close()
  results.push(result)
}
process.stdout.write(JSON.stringify(results), () => process.exit())
