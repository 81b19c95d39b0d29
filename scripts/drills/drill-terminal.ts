import { spawn } from 'node:child_process'
import { startService } from '../../test/support/helper.ts'

/**
 * Measures the echo delay of a key in a terminal of the service over its WebSocket, compared with `script` of util-linux (a bare pty behind two
 * pipes) and with `ping` on the same connection. The three take turns, so that they run under the same conditions.
 *
 *     npx tsx scripts/drills/drill-terminal.ts [keys]       exit code 1 if a bound is exceeded
 */
const KEYS = Number(process.argv[2] ?? 2000)
/** The maximum ratio to the bare pty, on a busy machine; a person notices 50 ms. */
const MAX_RATIO = 10

/** A program or connection that echoes a key. */
interface Terminal {
  press(key: string): void
  /** called with the output */
  echo: (data: string) => void
}

function bare(): Terminal & { end(): void } {
  const child = spawn('script', ['-qfec', 'cat', '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const terminal = {
    press: (key: string) => child.stdin.write(key),
    echo: (_data: string) => {},
    end: () => child.kill(),
  }
  child.stdout.on('data', (data: Buffer) => terminal.echo(data.toString()))
  return terminal
}

/** The milliseconds until the echo arrives. */
function timed(terminal: Terminal, key: string): Promise<number> {
  return new Promise((resolve) => {
    const from = performance.now()
    terminal.echo = (data) => data.includes(key) && resolve(performance.now() - from)
    terminal.press(key)
  })
}

const service = await startService({ env: { SHELLPHONE_TERMINAL: 'on' } })
const socket = await service.socket()
const ours: Terminal = { press: (data) => socket.send({ type: 'stdin', id, data }), echo: () => {} }
const ping: Terminal = { press: () => socket.send({ type: 'ping' }), echo: () => {} }
socket.raw.on('message', (bytes: Buffer) => {
  const message = JSON.parse(bytes.toString()) as { type: string; data?: string }
  if (message.type === 'output') ours.echo(message.data!)
  if (message.type === 'pong') ping.echo('pong')
})
socket.send({ type: 'exec', command: 'cat', tty: { rows: 24, columns: 80 } })
const { id } = await socket.next(({ type }) => type === 'accepted')
await socket.next(({ type, status }) => type === 'status' && status === 'running')
const pty = bare()

const rows: [string, Terminal, number[]][] = [
  ['a bare pty (script)', pty, []],
  ['a terminal of the service', ours, []],
  ['ping on its connection', ping, []],
]
for (let round = 0; round < KEYS + 100; round++) {
  for (const [name, terminal, times] of rows) {
    // starts a new line now and then, because a terminal buffers at most 4096 characters per line
    const key = terminal === ping ? 'pong' : String.fromCharCode(97 + (round % 26))
    const ms = await timed(terminal, key)
    if (round % 50 === 49 && terminal !== ping) await timed(terminal, '\n')
    if (round >= 100) times.push(ms)
    if (ms > 5000) throw new Error(`${name}: an echo took ${ms} ms`)
  }
}
const at = (times: number[], part: number) => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)]!
const yardstick = at(rows[0]![2], 0.5)
for (const [name, , times] of rows) {
  const [p50, p99] = [at(times, 0.5), at(times, 0.99)]
  console.log(`  ${name}: echo p50 ${p50.toFixed(3)} ms, ×${(p50 / yardstick).toFixed(2)}; p99 ${p99.toFixed(3)} ms`)
}
const ratio = at(rows[1]![2], 0.5) / yardstick
console.log(`${ratio <= MAX_RATIO ? '  ' : '! '}echo p50 ×${ratio.toFixed(2)} of a bare pty's (at most ×${MAX_RATIO})`)
pty.end()
socket.raw.terminate()
await service.stop()
process.exitCode = ratio <= MAX_RATIO ? 0 : 1
