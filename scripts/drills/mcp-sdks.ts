import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { processesWith, type Service, until, becomes } from '../../test/support/helper.ts'
import { type Answers, connect, type Way, ways } from '../../test/slow/mcp/clients.ts'
import { check } from './mcp-checks.ts'

const SLEEP_SECONDS = 120

/** Answers after 1.2 s, as a person would. Declines commands that contain "-no", and approves all others. */
const answers: Answers = (message) => ({
  afterMs: 1200,
  answer: message.includes('-no') ? { action: 'decline' } : { action: 'accept', content: { answer: 'once' } },
})

/** Tests the SDK's clients v1 and v2 with the revisions of 2025 and 2026, over HTTP and over `shellphone mcp`. `folder`: the working directory of commands. */
export async function drillSdks(service: Service, folder: string): Promise<void> {
  await Promise.all(ways.map((way, index) => drillWay(service, folder, way, index)))
}

async function drillWay(service: Service, folder: string, way: Way, index: number): Promise<void> {
  const name = `SDK ${way.sdk} over ${way.over}`
  const client = await connect(service, way, answers)
  check(`${name}: list`, JSON.stringify(await client.list()), /"exec_cancel"/)

  let progress = ''
  const onprogress = ({ message = '' }) => void (progress += message)
  const { structuredContent: ran } = await client.call(
    'exec',
    { command: 'echo one; sleep 3; echo two' },
    { onprogress },
  )
  check(`${name}: run`, JSON.stringify(ran), /"stdout":"one\\ntwo\\n"/)
  check(`${name}: progress`, progress, /^one\n/)

  const [mark, gone] = [`sleep 8${index}.5`, new AbortController()]
  const left = client.call('exec', { command: mark }, { signal: gone.signal }).catch((error: Error) => error)
  await until(() => processesWith(mark).length > 0)
  gone.abort()
  await left
  const isGone = await becomes(() => processesWith(mark).length === 0)
  check(`${name}: cancel`, isGone ? 'no process is left' : 'a process is left', /no process/)

  const [yes, no] = [`way-${index}-yes`, `way-${index}-no`]
  const approved = await client.call('exec', { command: `touch ${yes}` })
  check(`${name}: approve`, JSON.stringify(approved.structuredContent), /"status":"completed"/)
  const declined = await client.call('exec', { command: `touch ${no}` })
  const denied = JSON.stringify(declined.structuredContent) + (existsSync(join(folder, no)) ? ' and it ran' : '')
  check(`${name}: decline`, denied, /approval was refused[^]*"}$/)

  const startedAt = performance.now()
  let { structuredContent: long } = await client.call('exec', {
    command: `sleep ${SLEEP_SECONDS}; echo end`,
    timeout_seconds: 180,
  })
  let handles = 0
  for (; long.status === 'running'; handles++) {
    long = (await client.call('exec_wait', { id: long.id })).structuredContent
  }
  const took = `${Math.round((performance.now() - startedAt) / 1000)} s, after ${handles} calls of exec_wait`
  check(`${name}: a run of two minutes by handle, ${took}`, JSON.stringify(long), /"stdout":"end\\n"/)
  await client.close()
}
