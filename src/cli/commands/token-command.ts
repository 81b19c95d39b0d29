import { type NewToken, OWNER, type Token, type TokenInput, UsageError, visible } from '../../shared/schema/index.ts'
import { type Column, styleOf, textTable } from '../print/index.ts'
import { type Client, connect, refuseInsideRun, type ServiceLocation } from './connect-service.ts'
import { agoText } from './ago-text.ts'

type Options = ReadonlyMap<string, string>

const DAY_MS = 86_400_000

/** `shellphone token [list|create|rotate|revoke] [NAME]`: manages named tokens. Throws ClientError and UsageError. */
export async function token(place: ServiceLocation, operands: string[], options: Options): Promise<void> {
  const [action = 'list', name = ''] = operands
  refuseInsideRun(place, 'token: only a person may manage tokens')
  const answer = await actions[action]!(connect(place), name, options)
  console.log(options.has('json') ? JSON.stringify(answer) : describe(answer))
  // on stderr, so that $(shellphone token create NAME) expands to the token alone
  if ('token' in answer && !options.has('json')) console.error(`(the token of ${answer.name}; it is shown only once)`)
}

type TokenResponse = { tokens: Token[] } | NewToken | { revoked: string | string[] }
type TokenAction = (client: Client, name: string, options: Options) => Promise<TokenResponse>

const pathOf = (name: string) => `/tokens/${encodeURIComponent(name)}`
const list = (client: Client) => client.request<{ tokens: Token[] }>('GET', '/tokens')

const actions: Record<string, TokenAction> = {
  list,
  create: (client, name, options) => client.request('POST', '/tokens', { name, ...rightsIn(options) }),
  rotate: (client, name) => client.request('POST', `${pathOf(name)}/rotate`),
  async revoke(client, name, options) {
    const days = options.get('unused-days')
    if ((name === '') === (days === undefined)) {
      throw new UsageError('token revoke: expected either NAME or --unused-days; see shellphone token revoke --help')
    }
    if (days === undefined) {
      if (name === OWNER.name) {
        throw new UsageError(
          "token revoke: the owner's token cannot be revoked; replace it with shellphone token rotate owner",
        )
      }
      await client.request('DELETE', pathOf(name))
      return { revoked: name }
    }
    const unused = unusedFor(days, (await list(client)).tokens, Date.now())
    for (const { name } of unused) await client.request('DELETE', pathOf(name))
    return { revoked: unused.map(({ name }) => name) }
  },
}

/** The tokens that were not used for this many days; a token that was never used counts from its creation. */
function unusedFor(days: string, tokens: Token[], nowMs: number): Token[] {
  const afterMs = Number(days) * DAY_MS
  return tokens.filter(({ last_used_at: used, created_at: created }) => nowMs - Date.parse(used ?? created) >= afterMs)
}

/** Reads the rights of a token from the options. The service validates the values. */
export function rightsIn(options: Options): Partial<Record<keyof TokenInput, unknown>> {
  const addresses = options.get('addresses')?.split(',')
  const numbers = ['expires-in-days', 'idle-days'].filter((name) => options.has(name))
  return {
    ...(options.has('shell') ? { shell: true } : {}),
    ...(options.has('instant-answers') ? { instant_answers: true } : {}),
    ...Object.fromEntries(numbers.map((name) => [name.replaceAll('-', '_'), options.get(name)])),
    ...(addresses === undefined ? {} : { addresses }),
    ...Object.fromEntries(
      ['approves', 'read', 'files', 'policy', 'dialect'].flatMap((name) =>
        options.has(name) ? [[name, options.get(name)]] : [],
      ),
    ),
  }
}

function describe(answer: TokenResponse): string {
  if ('revoked' in answer) {
    const names = [answer.revoked].flat()
    return names.map((name) => `${name}: revoked; its connections are closed`).join('\n') || 'no unused tokens'
  }
  if ('token' in answer) return answer.token
  return answer.tokens.length === 0 ? 'no named tokens' : textTable(answer.tokens, columns, styleOf(process.stdout))
}

/** The rights that differ from the default, besides those with a column. */
const moreRights = ({ shell, policy, dialect, instant_answers, addresses }: Token): string =>
  [
    ...(shell ? ['terminal'] : []),
    ...(instant_answers ? ['answers at once'] : []),
    ...(policy ? [`policy ${policy}`] : []),
    ...(dialect ? [`dialect ${visible(dialect)}`] : []),
    ...(addresses.length > 0 ? [`from ${addresses.join(' ')}`] : []),
  ].join(', ')

const columns: Column<Token>[] = [
  { title: 'NAME', text: ({ name }) => name },
  { title: 'LAST USED', text: ({ last_used_at: used }) => (used === null ? 'never' : agoText(used, Date.now())) },
  { title: 'EXPIRES', text: ({ expires_at }) => expires_at?.slice(0, 10) ?? 'never' },
  { title: 'APPROVES', text: ({ approves }) => approves },
  { title: 'READS', text: ({ read }) => read },
  { title: 'FILES', text: ({ files }) => files },
  { title: 'MORE', text: moreRights },
]
