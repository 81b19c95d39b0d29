import type { Connection, NamedToken } from '../../sdk/index.ts'
import { access, signOut } from '../access.ts'
import { get } from '../api.ts'
import { Card, Facts, Title } from '../parts/basics.tsx'
import { toAgo } from '../parts/format.ts'
import { usePolled } from '../parts/poll.tsx'
import { Loaded, useAnswer } from '../parts/states.tsx'
import { SureButton } from '../parts/sure-button.tsx'
import { hrefOf } from '../route.ts'
import { mayAnswer } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { NewToken } from './new-token.tsx'
import { PairAnother } from './pair-another.tsx'
import { revokeToken, Tokens } from './tokens.tsx'

const { access: texts } = rareWords

const CONNECTIONS_MS = 10_000

/** The tokens, the current connections, and how to pair another device. */
export function Access() {
  return (
    <>
      <Title>{words.views.access}</Title>
      {mayAnswer.value && (
        <p class="hint">
          <a href={hrefOf('access-log')}>{rareWords.accessLog.link}</a>
        </p>
      )}
      <ThisBrowser />
      {mayAnswer.value ? <AllAccess /> : <p class="notice">{texts.limited}</p>}
    </>
  )
}

/** What only a token that approves everything may see and change. */
function AllAccess() {
  const tokens = useAnswer(get<{ tokens: NamedToken[] }>('/tokens'))
  const connections = usePolled(get<{ connections: Connection[] }>('/connections'), CONNECTIONS_MS)
  return (
    <>
      <PairAnother mayShell={mayShell(tokens.value?.tokens)} done={tokens.again} />
      <Tokens from={tokens} />
      <NewToken done={tokens.again} />
      <Card title={texts.connections}>
        <Loaded from={connections}>{(value) => <Connections all={value.connections} />}</Loaded>
      </Card>
    </>
  )
}

/** Whether the token of this browser may open terminals. The owner's token, which is not listed, may. */
const mayShell = (tokens: NamedToken[] = []): boolean =>
  tokens.find(({ name }) => name === access.value?.name)?.shell ?? true

/** Signs out and revokes the token of this browser, so that no unused token is left. A pasted token may be in use elsewhere. */
async function forget(): Promise<void> {
  const name = access.value?.name
  if (name) revokeToken(name).catch(() => {}) // it expires if nobody uses it
  signOut(texts.forgotten)
}

const ThisBrowser = () => (
  <Card title={texts.thisBrowser}>
    <Facts rows={[[texts.name, access.value?.name ?? texts.pasted]]} />
    <p class="hint">
      {texts.forgetHint} {!mayAnswer.value && texts.revokeHint}
    </p>
    <SureButton label={texts.forget} sure={texts.forgetSure} act={forget} />
  </Card>
)

/** Groups connections by token and address, because a browser opens several connections to the same service. */
function grouped(all: Connection[]): Connection[][] {
  const groups = new Map<string, Connection[]>()
  for (const one of all) {
    const key = `${one.token} ${one.address}`
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups.values()]
}

const Connections = ({ all }: { all: Connection[] }) => (
  <ul class="lines">
    {grouped(all).map(([first, ...others]) => (
      <li key={`${first!.token} ${first!.address}`} class="here">
        <span dir="auto">{first!.token}</span>
        <code>{first!.address}</code>
        <span class="hint">
          {texts.openCount(others.length + 1, [first!, ...others].filter(({ kind }) => kind === 'websocket').length)} ·{' '}
          {toAgo(first!.opened_at)}
        </span>
      </li>
    ))}
  </ul>
)
