import { cancelRun, exec, getGetEventsUrl, getRun, type StreamedEvent } from './orval-client.js'

const [, , , token = ''] = process.argv
const headers = { authorization: `Bearer ${token}` }

const answer = await exec({ command: 'echo hello', timeout_seconds: 600 }, { headers })
if (answer.status !== 200) throw new Error(`expected a record, got ${answer.status}`)
const started = await exec({ command: 'seq 1 3; sleep 600.72', background: true, timeout_seconds: 600 }, { headers })
if (started.status !== 202) throw new Error(`expected a run, got ${started.status}`)
const { id } = started.data
let text = ''
for await (const event of eventsOf(await fetch(getGetEventsUrl(id), { headers }))) {
  if (event.type === 'output') text += event.data
  if (text.endsWith('3\n')) break
}
const canceled = await cancelRun(id, { headers })
const ended = await getRun(id, { wait_seconds: 10 }, { headers })
const refused = await exec({ command: 'true' }, { headers: { authorization: 'Bearer wrong' } })
console.log(
  answer.data.stdout,
  answer.data.decision.verdict,
  text,
  canceled.status === 200 && canceled.data.outcome,
  ended.status === 200 && ended.data.status,
  refused.status === 401 && refused.data.error.type,
)

/** orval does not generate readers of event streams, only the type of their data. */
async function* eventsOf({ body }: Response): AsyncGenerator<StreamedEvent> {
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
