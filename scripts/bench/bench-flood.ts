import { spawn } from 'node:child_process'
import WebSocket from 'ws'
import { type Service, startService } from '../../test/support/helper.ts'
import { median } from './bench-latency.ts'

const FLOOD = 'head -c 268435456 /dev/zero | tr "\\0" "x"'
const FLOOD_BYTES = 268_435_456
const FIRST_BYTES = 200
/** settings of a service that stores this much output */
export const floodable = { SHELLPHONE_MAX_RUN_SPOOL_BYTES: '536870912' }
const mib = (bytes: number) => (bytes / 1_048_576).toFixed(0)

type Once = () => Promise<unknown>

const cat: Once = () =>
  new Promise((resolve) => spawn('sh', ['-c', `${FLOOD} | cat > /dev/null`]).once('close', resolve))

/** Measures the baseline and then `once`, five times. Returns the median of the ratios. */
async function against(yardstick: Once, once: Once): Promise<string> {
  const ratios: number[] = []
  for (let i = 0; i < 5; i++) {
    const from = performance.now()
    await yardstick()
    const between = performance.now()
    await once()
    ratios.push((performance.now() - between) / (between - from))
  }
  return `×${median(ratios).toFixed(2)}`
}

/** Measures 256 MiB of output over POST /exec, with the memory use, and then streamed over WebSocket. */
export async function flood(server: Service): Promise<void> {
  const body = { command: FLOOD, timeout_seconds: 120 }
  const once = () => server.exec(body)
  const idle = server.rssBytes()
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, server.rssBytes())
  }, 20)
  console.log(`256 MiB of output, POST /exec: ${await against(cat, once)} of \`sh -c … | cat\``)
  console.log(`resident memory: ${mib(idle)} MiB before, at most ${mib(peak)} MiB during`)
  clearInterval(watch)
  const other = await startService({ env: { ...floodable, SHELLPHONE_SPAWNER: 'child_process' } })
  const ratio = await against(() => other.exec(body), once)
  console.log(`256 MiB of output, POST /exec through the launcher: ${ratio} of the same through child_process`)
  await other.stop()
  console.log(`256 MiB streamed over WebSocket: ${await against(cat, () => streamed(server))} of \`sh -c … | cat\``)
}

async function streamed({ port, token }: Service): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  await new Promise((resolve) => socket.once('open', resolve))
  let bytes = 0
  const ended = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString())
      if (message.type === 'output') bytes += message.data.length
      if (message.type === 'result') resolve()
    })
  })
  socket.send(JSON.stringify({ type: 'exec', command: FLOOD, timeout_seconds: 120 }))
  await ended
  socket.close()
  if (bytes !== FLOOD_BYTES) throw new Error(`expected ${FLOOD_BYTES} bytes, got ${bytes}`)
}

/** Measures the time from the request to the first byte of output over WebSocket, compared with the first byte of a bare spawn. */
export async function firstByte({ port, token }: Service): Promise<void> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { headers: { authorization: `Bearer ${token}` } })
  await new Promise((resolve) => socket.once('open', resolve))
  const nextMessage = (type: string) =>
    new Promise<void>((resolve) => {
      const check = (data: WebSocket.RawData) => {
        if (!data.toString().startsWith(`{"type":"${type}"`)) return
        socket.off('message', check)
        resolve()
      }
      socket.on('message', check)
    })
  const bareTimes: number[] = []
  const times: number[] = []
  for (let i = 0; i < FIRST_BYTES; i++) {
    const from = performance.now()
    const child = spawn('sh', ['-c', 'echo x'])
    await new Promise((resolve) => child.stdout.once('data', resolve))
    bareTimes.push(performance.now() - from)
    await new Promise((resolve) => child.once('close', resolve))
    const between = performance.now()
    const result = nextMessage('result')
    const output = nextMessage('output')
    socket.send('{"type":"exec","command":"echo x"}')
    await output
    times.push(performance.now() - between)
    await result
  }
  socket.close()
  const [own, bare] = [median(times), median(bareTimes)]
  console.log(
    `first streamed byte over WebSocket: p50 ${own.toFixed(2)} ms, ×${(own / bare).toFixed(2)} of a bare spawn's first byte`,
  )
}
