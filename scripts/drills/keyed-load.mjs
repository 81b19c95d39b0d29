/**
 * Runs clients that retry each command with its idempotency key until they get a response. Then compares every response with the run's record and
 * with the lines that the commands appended to MARKS. Prints the result as JSON.
 *
 *     node scripts/drills/keyed-load.mjs URL TOKEN WORKERS SECONDS MARKS
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'

const [url, token, workers, seconds, marks] = process.argv.slice(2)
const ENDINGS = ['completed', 'canceled', 'failed']
const CUT_OFF = ['SERVICE_STOPPING', 'SERVICE_STOPPED', 'CANCELED_BEFORE_START']
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const answers = new Map()
const faults = []
let retries = 0
let answeredAt = performance.now()
let awayMs = 0

async function runKeyed(key, command) {
  for (let attempt = 0; attempt < 300; attempt++) {
    try {
      const init = {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': key },
        body: JSON.stringify({ command }),
      }
      const reply = await fetch(`${url}/exec`, init)
      const body = await reply.json()
      awayMs = Math.max(awayMs, performance.now() - answeredAt)
      answeredAt = performance.now()
      if (reply.status === 200) return answers.set(key, body)
      if (body.error?.type !== 'pool_full') faults.push(`${key}: HTTP ${reply.status} ${JSON.stringify(body.error)}`)
    } catch {
      // the service has stopped
    }
    retries++
    await pause(100)
  }
  faults.push(`${key}: never answered`)
}

/** Runs short and long commands in turn. Each command appends a line to MARKS when it starts. */
async function work(worker, endMs) {
  for (let i = 0; performance.now() < endMs; i++) {
    const key = `${basename(marks)}-${worker}-${i}`
    await runKeyed(key, `echo ${key} >>'${marks}'; ${i % 3 === 0 ? 'sleep 2' : 'sleep 0.05'}; echo ${key}`)
  }
}

/** Reads the record of a run. Retries, because on a slow machine the load can end before the service has restarted. */
async function recordOf(id) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await (await fetch(`${url}/runs/${id}`, { headers })).json()
    } catch (error) {
      if (attempt > 300) throw error
      await pause(100)
    }
  }
}

/** Returns the errors in one response. `starts`: how many times its command started; `stored`: its record. */
function faultsOf(key, record, starts, stored) {
  const isCutOff = record.status !== 'completed'
  const saysWhy = record.notes.some(({ code }) => CUT_OFF.includes(code))
  return [
    !ENDINGS.includes(record.status) && record.status,
    isCutOff && !saysWhy && `does not say why it ended: ${JSON.stringify(record.notes)}`,
    !isCutOff && (record.stdout !== `${key}\n` || starts !== 1) && `completed, but started ${starts} times`,
    starts > 1 && `ran ${starts} times`,
    (stored.id !== record.id || stored.status !== record.status) && `its record says ${stored.status}`,
  ].filter((fault) => fault)
}

const endMs = performance.now() + seconds * 1000
await Promise.all(Array.from({ length: Number(workers) }, (_, worker) => work(worker, endMs)))
const begun = new Map()
for (const line of readFileSync(marks, 'utf8').trim().split('\n')) begun.set(line, (begun.get(line) ?? 0) + 1)
for (const [key, record] of answers) {
  const stored = await recordOf(record.id)
  faults.push(...faultsOf(key, record, begun.get(key) ?? 0, stored).map((fault) => `${key}: ${fault}`))
}
const unanswered = [...begun.keys()].filter((key) => !answers.has(key))
if (unanswered.length > 0) faults.push(`commands ran without a response: ${unanswered}`)
const cutOff = [...answers.values()].filter(({ status }) => status !== 'completed').length
if (cutOff === 0) faults.push('no run was interrupted, so the load was too light to prove anything')
console.log(JSON.stringify({ runs: answers.size, cutOff, retries, awayMs: Math.round(awayMs), faults }))
