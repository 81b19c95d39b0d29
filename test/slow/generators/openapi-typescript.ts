import type { components, operations } from './openapi-typescript-client.js'

type Json<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : never
type Given<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? Body
  : undefined

const [, , url = '', token = ''] = process.argv
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

/** A minimal client with these types: the operation determines the body, and the response by its status. */
async function ask<Id extends keyof operations, Status extends keyof operations[Id]['responses'] & number>(
  _operation: Id,
  [method, path]: [method: string, path: string],
  wanted: Status,
  body?: Given<operations[Id]>,
): Promise<Json<operations[Id]['responses'][Status]>> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const answer = await fetch(url + path, { method, headers, ...sent })
  if (answer.status !== wanted) throw new Error(`expected ${wanted}, got ${answer.status}`)
  return answer.json()
}

const record = await ask('exec', ['POST', '/exec'], 200, { command: 'echo hello', timeout_seconds: '600' })
const { id } = await ask('exec', ['POST', '/exec'], 202, {
  command: 'seq 1 3; sleep 600.73',
  background: true,
  timeout_seconds: 600,
})
let text = ''
for await (const event of eventsOf(await fetch(`${url}/runs/${id}/events`, { headers }))) {
  if (event.type === 'output') text += event.data
  if (text.endsWith('3\n')) break
}
const { outcome } = await ask('cancelRun', ['DELETE', `/runs/${id}`], 200)
const { status } = await ask('getRun', ['GET', `/runs/${id}?wait_seconds=10`], 200)
headers.authorization = 'Bearer wrong'
const { error } = await ask('getRun', ['GET', `/runs/${id}`], 401)
console.log(record.stdout, record.decision.verdict, text, outcome, status, error.type)

async function* eventsOf({ body }: Response): AsyncGenerator<components['schemas']['StreamedEvent']> {
  let rest = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data !== undefined) yield JSON.parse(data)
    }
  }
}
