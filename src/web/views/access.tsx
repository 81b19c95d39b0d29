import { useState } from 'preact/hooks'
import type { Connection, NamedToken } from '../../sdk/index.ts'
import { access, signOut } from '../access.ts'
import { get, send } from '../api.ts'
import { Button, Card, Facts, Tag, Title, ErrorText } from '../parts/basics.tsx'
import { toAgo, toDayAndTime } from '../parts/format.ts'
import { usePolled } from '../parts/poll.tsx'
import { type Loadable, Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { ask, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { NewToken } from './new-token.tsx'
import { PairAnother } from './pair-another.tsx'

const { access: texts } = words

const CONNECTIONS_MS = 10_000

/** The tokens, the current connections, and how to pair another device. */
export function Access() {
  const tokens = useAnswer(get<{ tokens: NamedToken[] }>('/tokens'))
  const connections = usePolled(get<{ connections: Connection[] }>('/connections'), CONNECTIONS_MS)
  return (
    <>
      <Title>{words.views.access}</Title>
      <ThisBrowser />
      <PairAnother done={tokens.again} />
      <Card title={texts.tokens}>
        <p class="hint">{texts.tokensHint}</p>
        <Tokens from={tokens} />
      </Card>
      <NewToken done={tokens.again} />
      <Card title={texts.connections}>
        <Loaded from={connections}>{(value) => <Connections all={value.connections} />}</Loaded>
      </Card>
    </>
  )
}

const ThisBrowser = () => (
  <Card title={texts.thisBrowser}>
    <Facts rows={[[texts.name, access.value?.name ?? texts.pasted]]} />
    <p class="hint">{texts.forgetHint}</p>
    <div class="buttons">
      <Button kind="danger" icon="trash" onClick={() => signOut(words.pair.forgotten)}>
        {texts.forget}
      </Button>
    </div>
  </Card>
)

const Tokens = ({ from }: { from: Loadable<{ tokens: NamedToken[] }> }) => (
  <Loaded from={from}>
    {({ tokens }) =>
      tokens.length === 0 ? (
        <Empty icon="access">{texts.noTokens}</Empty>
      ) : (
        <ul class="lines">
          {tokens.map((token) => (
            <TokenRow key={token.name} token={token} done={from.again} />
          ))}
        </ul>
      )
    }
  </Loaded>
)

function TokenRow({ token, done }: { token: NamedToken; done(): void }) {
  const { name, approves, read, shell, policy, addresses, created_at, expires_at } = token
  const isOwn = name === access.value?.name
  return (
    <li>
      <p class="spread">
        <strong dir="auto">{name}</strong>
        {isOwn && <Tag kind="info">{texts.current}</Tag>}
      </p>
      <p class="tags">
        <Tag>{texts.approves[approves]}</Tag>
        <Tag>{texts.reads[read]}</Tag>
        {shell && <Tag>{texts.shell}</Tag>}
        {policy && <Tag>{texts.policy(policy)}</Tag>}
        {addresses.length > 0 && <Tag>{addresses.join(', ')}</Tag>}
      </p>
      <p class="hint">
        {[
          lastUse(token),
          texts.created(toDayAndTime(created_at)),
          expires_at ? texts.until(toDayAndTime(expires_at)) : texts.noExpiry,
        ].join(' · ')}
      </p>
      <Revoke name={name} done={done} />
    </li>
  )
}

const lastUse = ({ last_used_at: at, last_used_from: from }: NamedToken) =>
  at === null ? texts.unused : texts.used(toAgo(at), from ?? '')

/** Asks for confirmation, because revoking a token closes its connections immediately. */
function Revoke({ name, done }: { name: string; done(): void }) {
  const [isSure, setSure] = useState(false)
  const [errorText, setErrorText] = useState('')
  const revoke = () =>
    ask(send('DELETE', `/tokens/${encodeURIComponent(name)}`)).then(done, (error) => setErrorText(messageOf(error)))
  return (
    <div class="buttons">
      {isSure ? (
        <>
          <Button kind="danger" icon="trash" onClick={revoke}>
            {texts.revokeSure(name)}
          </Button>
          <Button onClick={() => setSure(false)}>{words.cancel}</Button>
        </>
      ) : (
        <Button kind="danger" onClick={() => setSure(true)}>
          {texts.revoke}
          <span class="unseen"> {name}</span>
        </Button>
      )}
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}

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
