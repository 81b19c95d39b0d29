import { UsageError, visible } from '../../shared/schema/index.ts'
import { type Column, styleOf, textTable } from '../print/index.ts'
import { PhoneError } from '../../sdk/client-node.ts'
import { agoText } from './ago-text.ts'
import { ClientError, connect, type ServiceLocation } from './connect-service.ts'

type Options = ReadonlyMap<string, string>

interface ListedToken {
  name: string
  role: string
  select: string
  created_at: string
}

/** `shellphone fleet tokens`: lists the tokens of the control plane. */
export async function fleetTokens(place: ServiceLocation, options: Options): Promise<void> {
  const { tokens } = await connect(place).request<{ tokens: ListedToken[] }>('GET', '/tokens')
  if (options.has('json')) return console.log(JSON.stringify({ tokens }))
  const nowMs = Date.now()
  const columns: Column<ListedToken>[] = [
    { title: 'NAME', text: ({ name }) => visible(name) },
    { title: 'ROLE', text: ({ role }) => role },
    { title: 'CREATED', text: ({ created_at }) => agoText(created_at, nowMs) },
    { title: 'PHONES', text: ({ select }) => visible(select === '*' ? 'all' : select) },
  ]
  console.log(tokens.length === 0 ? 'no tokens' : textTable(tokens, columns, styleOf(process.stdout)))
}

/** `shellphone fleet token NAME --role agent`: creates a token with which an agent or a person can use the fleet. */
export async function fleetToken(place: ServiceLocation, name: string, options: Options): Promise<void> {
  if (name === 'list') throw new UsageError('fleet token list: to list the tokens, run shellphone fleet tokens')
  const client = connect(place)
  if (options.has('revoke')) {
    await client.request('DELETE', `/tokens/${encodeURIComponent(name)}`)
    return console.log(`${name}: revoked`)
  }
  const body = { name, role: options.get('role') ?? 'agent', select: options.get('select') ?? '*' }
  const made = await client.request<{ link: string }>('POST', '/tokens', body).catch((error: Error) => {
    const isTaken = error.cause instanceof PhoneError && error.cause.type === 'conflict' && error.cause.field === 'name'
    if (!isTaken) throw error
    throw new ClientError(
      `fleet token ${name}: a token with this name exists; revoke it first with shellphone fleet token ${name} --revoke`,
    )
  })
  if (options.has('json')) return console.log(JSON.stringify(made))
  console.log(`shellphone remote add fleet '${made.link}'`)
}
