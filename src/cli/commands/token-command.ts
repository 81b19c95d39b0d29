import { type NewToken, type Token, type TokenInput, visible } from '../../shared/schema/index.ts'
import { actionOf, type Client, connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'

type Options = ReadonlyMap<string, string>

/** `shellphone token [list|create|rotate|revoke] [NAME]`: manages named tokens. Throws ClientError. */
export async function token(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  const [action = 'list', ...names] = operands
  const { act } = actionOf('token', actions, action, names)
  refuseInsideRun(place, 'token: only a person may manage tokens')
  const answer = await act(connect(place), names[0] ?? '', options)
  console.log(options.has('json') ? JSON.stringify(answer) : describe(answer))
  // on stderr, so that $(shellphone token create NAME) expands to the token alone
  if ('token' in answer && !options.has('json')) console.error(`(the token of ${answer.name}; it is shown only once)`)
}

type TokenResponse = { tokens: Token[] } | NewToken | { revoked: string }
type TokenAction = (client: Client, name: string, options: Options) => Promise<TokenResponse>

const pathOf = (name: string) => `/tokens/${encodeURIComponent(name)}`

const actions: Record<string, { needs: 'name' | null; act: TokenAction }> = {
  list: { needs: null, act: (client) => client.request('GET', '/tokens') },
  create: {
    needs: 'name',
    act: (client, name, options) => client.request('POST', '/tokens', { name, ...rightsIn(options) }),
  },
  rotate: { needs: 'name', act: (client, name) => client.request('POST', `${pathOf(name)}/rotate`) },
  revoke: {
    needs: 'name',
    async act(client, name) {
      await client.request('DELETE', pathOf(name))
      return { revoked: name }
    },
  },
}

/** Reads the rights of a token from the options. The service validates the values. */
export function rightsIn(options: Options): Partial<Record<keyof TokenInput, unknown>> {
  const days = options.get('expires-in-days')
  const addresses = options.get('addresses')?.split(',')
  return {
    ...(options.has('shell') ? { shell: true } : {}),
    ...(options.has('instant-answers') ? { instant_answers: true } : {}),
    ...(days === undefined ? {} : { expires_in_days: days }),
    ...(addresses === undefined ? {} : { addresses }),
    ...Object.fromEntries(
      ['approves', 'read', 'files', 'policy', 'dialect'].flatMap((name) =>
        options.has(name) ? [[name, options.get(name)]] : [],
      ),
    ),
  }
}

function describe(answer: TokenResponse): string {
  if ('revoked' in answer) return `${answer.revoked}: revoked; its connections are closed`
  if ('token' in answer) return answer.token
  return answer.tokens.length === 0 ? 'no named tokens' : answer.tokens.map(describeToken).join('\n')
}

function describeToken(token: Token): string {
  const { name, approves, read, shell, files, policy, dialect, expires_at, last_used_at } = token
  const rights = [
    `approves ${approves}`,
    `reads ${read}`,
    ...(shell ? ['terminal'] : []),
    ...(files === 'write' ? [] : [`files ${files}`]),
    ...(token.instant_answers ? ['answers at once'] : []),
    ...(policy ? [`policy ${policy}`] : []),
    ...(dialect ? [`dialect ${visible(dialect)}`] : []),
    ...(expires_at ? [`until ${expires_at}`] : []),
    last_used_at ? `last used ${last_used_at}` : 'never used',
  ]
  return `${name.padEnd(24)} ${rights.join(', ')}`
}
