/** The conversations of scripts/drills/drill-same.ts: each is drawn from the seed once, and then held with both services. */
import { pick, type Random } from '../../test/support/random.ts'
import type { Side } from './same-side.ts'
import * as requests from './same-requests.ts'

/** What is asked, in words; how many requests that is; and the asking, which returns the answers. */
interface Conversation {
  about: string
  asked: unknown
  requests: number
  hold(side: Side): Promise<unknown>
}

type Maker = (random: Random, n: number) => Conversation

const one = (about: string, asked: unknown, hold: Conversation['hold']): Conversation => ({
  about,
  asked,
  requests: 1,
  hold,
})

const exec: Maker = (random, n) => {
  const body = requests.goodBody(random, n)
  const accept = pick(random, ['*/*', '*/*', 'application/json', 'text/plain'])
  return one('POST /exec', body, (side) => side.http('POST', '/exec', body, { accept }))
}

const stream: Maker = (random, n) => {
  const body = requests.goodBody(random, n)
  return one('POST /exec as SSE', body, (side) => side.events('POST', '/exec', body))
}

const bad: Maker = (random) => {
  const body = random() < 0.8 ? requests.badBody(random) : requests.badText(random)
  return one('POST /exec, bad', body, (side) => side.http('POST', '/exec', body))
}

const odd: Maker = (random) => {
  const [method, path, headers, body] = pick(random, requests.oddRequests)
  return one(`${method} ${path}`, headers, (side) => side.http(method, path, body, headers))
}

const wsExec: Maker = (random, n) => {
  const body = random() < 0.9 ? requests.goodBody(random, n) : (requests.badBody(random) as object)
  return one('ws exec', body, (side) => side.frames({ type: 'exec', ref: `r${n}`, ...Object(body) }))
}

const wsOdd: Maker = (random) => {
  const frame = pick(random, requests.oddFrames)
  return one('ws frame', frame, (side) => side.frames(frame))
}

const dialect: Maker = (random, n) => {
  const name = pick(random, requests.dialectNames)
  const given = requests.dialectArguments(random, name, n) as object
  const headers = { accept: pick(random, ['*/*', 'application/json', 'text/plain']) }
  return one(`POST /exec/${name}`, given, (side) => side.http('POST', `/exec/${name}`, given, headers))
}

const wsDialect: Maker = (random, n) => {
  const name = pick(random, requests.dialectNames)
  const given = requests.dialectArguments(random, name, n) as object
  const frame = { type: 'exec', ref: `r${n}`, dialect: name, ...(random() < 0.5 ? { arguments: given } : given) }
  return one(`ws ${name}`, given, (side) => side.frames(frame))
}

const timeout: Maker = (random) => {
  const command = pick(random, [
    'echo before; sleep 30',
    'seq 1 3000; sleep 30 & sleep 30',
    "trap '' TERM; echo deaf; sleep 30",
  ])
  const body = { command, timeout_seconds: 1 }
  return one('a timeout', body, (side) => side.http('POST', '/exec', body))
}

/** Starts it in the background, waits for its end, and reads what is kept of it. */
const background: Maker = (random, n) => {
  const body = { ...requests.goodBody(random, n), background: true }
  const offset = Math.floor(random() * 3000)
  return {
    about: 'background',
    asked: body,
    requests: 7,
    hold: async (side) => {
      const { id, answer } = await side.start(body)
      if (id === null) return answer
      return [
        answer,
        await side.http('GET', `/runs/${id}?wait_seconds=60`),
        await side.http('GET', `/runs/${id}/output`),
        await side.http('GET', `/runs/${id}/output?stream=stderr&offset=${offset}&limit=100`),
        await side.events('GET', `/runs/${id}/events`),
        await side.frames({ type: 'attach', ref: 'a', id }),
        await side.http('DELETE', `/runs/${id}`),
      ]
    },
  }
}

/** A run that reads what it is fed, or is signalled, or cancelled. */
const fed: Maker = (random, n) => {
  const ending = pick(random, ['end', 'INT', 'sigusr1', 'cancel', 'FLY'])
  const command = `echo run ${n}; while read -r line; do echo "got $line"; done; echo over`
  return {
    about: `fed, then ${ending}`,
    asked: command,
    requests: 8,
    hold: async (side) => {
      const { id, answer } = await side.start({ command, stdin: 'open', background: true })
      const feed = (body: object) => side.http('POST', `/runs/${id}/stdin`, body)
      const answers = [answer, await feed({ data: 'one\n' }), await feed({ data: 'dHdvCg==', encoding: 'base64' })]
      await side.outputOf(id!, 'got two')
      if (ending === 'cancel') answers.push(await side.http('DELETE', `/runs/${id}`))
      else if (ending !== 'end') answers.push(await side.http('POST', `/runs/${id}/signal`, { signal: ending }))
      if (ending === 'end' || ending === 'FLY') answers.push(await feed({ end: true }))
      answers.push(await side.http('GET', `/runs/${id}?wait_seconds=60`))
      return [
        ...answers,
        await feed({ data: 'late' }),
        await side.http('POST', `/runs/${id}/signal`, { signal: 'INT' }),
      ]
    },
  }
}

/** One key: used, replayed, used for something else. */
const keyed: Maker = (random, n) => {
  const body = requests.goodBody(random, n)
  const headers = { 'idempotency-key': `key-${n}-${Math.floor(random() * 1e9)}` }
  return {
    about: 'Idempotency-Key',
    asked: body,
    requests: 4,
    hold: async (side) => [
      await side.http('POST', '/exec', body, headers),
      await side.http('POST', '/exec', body, headers),
      await side.http('POST', '/exec', body, { ...headers, accept: 'text/plain' }),
      await side.http('POST', '/exec', { command: 'echo other' }, headers),
    ],
  }
}

/** Three runs, listed. */
const listed: Maker = (_random, n) => ({
  about: 'GET /runs',
  asked: n,
  requests: 6,
  hold: async (side) => {
    for (const code of [0, 1, 2]) await side.http('POST', '/exec', { command: `: listed-${n}; exit ${code}` })
    return [
      await side.http('GET', `/runs?q=listed-${n}`),
      await side.http('GET', `/runs?q=listed-${n}&status=failed&limit=1`),
      await side.http('GET', `/runs?q=listed-${n}&before=0`),
    ]
  },
})

/** A question, and the answer that a person gives or does not give. */
const asked: Maker = (random, n) => {
  const decision = pick(random, ['approve', 'deny', 'always', 'silence'])
  const command = `git push origin branch-${n}`
  return {
    about: `asked, then ${decision}`,
    asked: command,
    requests: 5,
    hold: async (side) => {
      const { id, answer } = await side.start({ command, background: true })
      const answers: unknown[] = [answer]
      if (decision !== 'silence' && id !== null) {
        const question = await side.questionOf(id)
        const body = {
          decision: decision === 'deny' ? 'deny' : 'approve',
          ...(decision === 'always' && { scope: 'always' }),
        }
        const path = `/approvals/${question?.id}`
        answers.push(
          question,
          await side.http('POST', path, { ...body, by: 'ann' }),
          await side.http('POST', path, body),
        )
      }
      return [...answers, await side.http('GET', `/runs/${id}?wait_seconds=60`)]
    },
  }
}

type Weights = [weight: number, maker: Maker][]

const usual: Weights = [
  [40, exec],
  [6, stream],
  [6, bad],
  [6, odd],
  [12, wsExec],
  [4, wsOdd],
  [18, dialect],
  [6, wsDialect],
  [0.8, timeout],
  [2.5, background],
  [1.5, fed],
  [1.5, keyed],
  [0.7, listed],
]

/** What is said under two settings: the usual ones, and ones that ask. */
export const profiles: Record<string, { share: number; env: Record<string, string>; weights: Weights }> = {
  usual: { share: 0.75, env: {}, weights: usual },
  supervised: {
    share: 0.25,
    env: {
      SHELLPHONE_POLICY: 'supervised',
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '2',
      SHELLPHONE_ENVIRONMENT: 'minimal',
      SHELLPHONE_MAX_LENGTH: '2000',
      SHELLPHONE_DIALECTS_PICOCLAW_RESTRICT_TO_WORKSPACE: 'true',
      SHELLPHONE_DIALECTS_NULLCLAW_MAX_OUTPUT_BYTES: '1000',
      SHELLPHONE_DIALECTS_NULLCLAW_AUTONOMY: 'full',
      SHELLPHONE_DIALECTS_AGENT_WORLD_TOOL_PERMISSION: 'read',
      SHELLPHONE_DIALECTS_MEKA_PERMISSION: 'write',
    },
    weights: [...usual, [6, asked]],
  },
}

/** Conversations of at least `total` requests in all. */
export function conversations(random: Random, weights: Weights, total: number): Conversation[] {
  const sum = weights.reduce((all, [weight]) => all + weight, 0)
  const drawn: Conversation[] = []
  for (let count = 0; count < total; count += drawn.at(-1)!.requests) {
    let left = random() * sum
    const [, maker] = weights.find(([weight]) => (left -= weight) < 0) ?? weights[0]!
    drawn.push(maker(random, drawn.length))
  }
  return drawn
}
