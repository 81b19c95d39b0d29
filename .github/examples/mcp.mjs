// Runs commands over MCP. Usage: npm i @modelcontextprotocol/client && URL=http://127.0.0.1:8029 TOKEN=… node mcp.mjs
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const { URL: url, TOKEN: token } = process.env

async function connect(path) {
  const client = new Client({ name: 'example', version: '1.0.0' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url + path), { requestInit }))
  return client
}

const own = await connect('/mcp')
console.log((await own.listTools()).tools.map(({ name }) => name).join(' '))
const { structuredContent } = await own.callTool({ name: 'exec', arguments: { command: 'echo hello from MCP' } })
console.log(structuredContent.stdout.trim(), structuredContent.exit_code)

const agent = await connect('/mcp/agent-world')
let { content, structuredContent: run } = await agent.callTool({
  name: 'shell_cmd',
  arguments: { command: 'echo', parameters: ['hello', 'tool'], output_format: 'json' },
})
// a long command returns a handle first; exec_wait returns its result in the same format
while (run.output === undefined)
  ({ content, structuredContent: run } = await agent.callTool({ name: 'exec_wait', arguments: { id: run.id } }))
console.log(JSON.parse(content[0].text).stdout.trim())
await Promise.all([own.close(), agent.close()])
