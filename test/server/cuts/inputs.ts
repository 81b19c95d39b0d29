import { objectsOf, makeToken, type Maker } from '../rights/objects.ts'
import { httpRows, mcpRows, type Row } from '../rights/table.ts'
import { noSandbox, noTerminals, type Service } from '../../support/helper.ts'
import { initialize, modernMessage, tasks } from '../../support/mcp/raw.ts'

/** A request that is cut, and the status of the complete one. */
export interface Input {
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  ok: number
}

const json = { 'content-type': 'application/json' }
const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
}

type Public = Partial<Pick<Input, 'path' | 'headers' | 'body'>> & { ok: number }

/** Routes that need no token; the others are in the table of the rights tests. `code`: a pairing code. */
export const publicRows = (code: string): Record<string, Public> => ({
  'GET /ws': { headers: upgrade, ok: 101 },
  'GET /health': { ok: 200 },
  'POST /approvals/press/:nonce': { path: '/approvals/press/none', ok: 401 },
  'POST /pair': { headers: json, body: JSON.stringify({ code, name: 'a-device' }), ok: 201 },
  'GET /docs': { ok: 200 },
  'GET /': { ok: 200 },
  'GET /sw.js': { ok: 200 },
  'GET /manifest.webmanifest': { ok: 200 },
  'GET /icon.svg': { ok: 200 },
  'GET /page/:name': { path: '/page/none', ok: 404 },
})

/**
 * One request by the owner for each row of the rights tests, each public route and each MCP call. Creates the objects of these requests first.
 */
export async function inputsOf(service: Service, folder: string): Promise<Input[]> {
  const authorization = `Bearer ${service.token}`
  const owner: Maker = { name: 'owner', token: service.token }
  const make = objectsOf(service, folder)
  const noPad = await noSandbox(service, 'read-only')
  const noTerminal = await noTerminals(service)
  const idOf = async ({ object }: Pick<Row, 'object'>): Promise<string> => {
    if (object === undefined) return ''
    if (object === 'token') return (await makeToken(service, `token-${Math.random().toString(36).slice(2)}`, {})).name
    return (await make(object, owner))!
  }
  const { code } = (await (await service.post('/pairing', {})).json()) as { code: string }
  const inputs: Input[] = Object.entries(publicRows(code)).map(([name, row]) => {
    const [method, path] = name.split(' ') as [string, string]
    return { name, method, path, headers: {}, ...row }
  })
  for (const [name, row] of Object.entries(httpRows(folder))) {
    if (noPad && row.object === 'pad') continue
    const [method, route] = name.split(' ') as [string, string]
    const id = await idOf(row)
    const sent = row.send?.(id) ?? {}
    const { path = route.replace(':dialect', 'nullclaw').replace(/:\w+/, id), body, headers = {} } = sent
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const ok = row.opensTerminal && noTerminal ? 503 : row.ok
    inputs.push({ name, method, path, headers, ok, ...(text !== undefined && { body: text }) })
  }
  for (const [name, row] of Object.entries(mcpRows(folder))) {
    if (noPad && name.endsWith('exec_read_only')) continue
    const { message, headers } = modernMessage(name.split(' ')[0]!, row.send(await idOf(row)), tasks)
    inputs.push(mcpInput(name, message, headers))
  }
  inputs.push(mcpInput('initialize', initialize))
  return inputs.map(({ headers, ...input }) => ({
    ...input,
    headers: { authorization, ...headers },
  }))
}

const mcpInput = (name: string, message: object, headers: Record<string, string> = {}): Input => ({
  ...{
    name: `POST /mcp: ${name}`,
    method: 'POST',
    path: '/mcp',
    ok: 200,
    body: JSON.stringify(message),
  },
  headers: { ...json, accept: 'application/json, text/event-stream', ...headers },
})
