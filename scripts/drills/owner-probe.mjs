/** The owner of a service under attack (scripts/drills/drill-attack.ts). A separate process, which measures the time of GET /health repeatedly. */
import { Agent, request } from 'node:http'

const [port, token] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const EVERY_MS = 5
let times = []
let lost = 0
let began = 0

function probe() {
  began = performance.now()
  const headers = { authorization: `Bearer ${token}` }
  const done = (isServed) => {
    times.push(performance.now() - began)
    if (!isServed) lost++
    setTimeout(probe, EVERY_MS)
  }
  request({ host: '127.0.0.1', port, path: '/health', headers, agent }, (response) => {
    response.resume().on('end', () => done(response.statusCode === 200))
  })
    .on('error', () => done(false))
    .end()
}

process.on('message', () => {
  const waits = performance.now() - began
  if (times.every((time) => time < waits)) times.push(waits) // the pending request may be the longest
  const sorted = times.sort((a, b) => a - b)
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
  process.send({ count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1), lost })
  times = []
  lost = 0
})
process.on('disconnect', () => process.exit())
probe()
