// Runs commands with the typed client. Usage: npm i PATH-OF-THIS-CLONE && URL=http://127.0.0.1:8029 TOKEN=… node client.mjs
import { connect } from 'shellphone/client'

const phone = connect({ url: process.env.URL, token: process.env.TOKEN })

const { stdout, exit_code } = await phone.exec('echo hello from the client')
console.log(stdout.trim(), exit_code)

// a run that is followed, and resumed after a dropped connection
const run = await phone.run('echo streamed; exit 3')
for await (const { stream, bytes } of run.output()) console.log(stream, Buffer.from(bytes).toString().trim())
console.log((await run.result).exit_code)

// the tool of another agent
console.log((await phone.dialects()).map(({ name }) => name).join(' '))
const { is_error, output } = await phone.execDialect('nullclaw', { command: 'echo hello tool' })
console.log(is_error, output.trim())

try {
  await phone.exec('echo', { comand: 'typo' })
} catch (error) {
  console.log(error.type, error.field)
}
