import { cancelRun, exec, getEvents, getRun } from './hey-api-client/index.js'
import { client } from './hey-api-client/client.gen.js'

const [, , url = '', token = ''] = process.argv
client.setConfig({ baseUrl: url, auth: token })

const { data: record } = await exec({ body: { command: 'echo hello', timeout_seconds: 600 } })
if (!record || !('exit_code' in record)) throw new Error('expected a record')
const { data: started } = await exec({
  body: { command: 'seq 1 3; sleep 600.71', background: true, timeout_seconds: 600 },
})
if (!started) throw new Error('expected a run')
const { stream } = await getEvents({ path: { id: started.id } })
let text = ''
for await (const event of stream) {
  if (!event) continue
  if (event.type === 'output') text += event.data
  if (text.endsWith('3\n')) break
}
const { data: canceled } = await cancelRun({ path: { id: started.id } })
const { data: ended } = await getRun({ path: { id: started.id }, query: { wait_seconds: 10 } })
const { error } = await exec({ body: { command: 'true' }, auth: 'wrong' })
console.log(
  record.stdout,
  record.decision.verdict,
  text,
  canceled?.outcome,
  ended?.status,
  error && 'error' in error && error.error.type,
)
