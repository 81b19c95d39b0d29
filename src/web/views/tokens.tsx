import { useState } from 'preact/hooks'
import type { NamedToken } from '../../sdk/index.ts'
import { access } from '../access.ts'
import { send } from '../api.ts'
import { Card, Tag } from '../parts/basics.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { toAgo } from '../parts/format.ts'
import { ShortTime } from '../parts/short-time.tsx'
import { type Loadable, Empty, Loaded } from '../parts/states.tsx'
import { SureButton } from '../parts/sure-button.tsx'
import { ask } from '../wire.ts'
import { rareWords } from '../words/rare-words.ts'

const { access: texts } = rareWords

/** Above this many tokens, the list has a search field. */
const FEW_TOKENS = 5
/** A token is unused if nobody has used it for this long. */
const UNUSED_MS = 30 * 86_400_000

const lastUseMs = ({ last_used_at, created_at }: NamedToken): number => Date.parse(last_used_at ?? created_at)
const isOwn = ({ name }: NamedToken): boolean => name === access.value?.name
const isUnused = (token: NamedToken): boolean => !isOwn(token) && Date.now() - lastUseMs(token) > UNUSED_MS
/** Revokes a token. Throws PhoneError. */
export const revokeToken = (name: string) => ask(send('DELETE', `/tokens/${encodeURIComponent(name)}`))

/** The named tokens, the one that was used last at the top. */
export const Tokens = ({ from }: { from: Loadable<{ tokens: NamedToken[] }> }) => (
  <Card title={texts.tokens}>
    <p class="hint">{texts.tokensHint}</p>
    <Loaded from={from}>{({ tokens }) => <List all={tokens} done={from.again} />}</Loaded>
  </Card>
)

function List({ all, done }: { all: NamedToken[]; done(): void }) {
  const [search, setSearch] = useState('')
  const shown = all
    .filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()))
    .sort((one, other) => lastUseMs(other) - lastUseMs(one))
  const unused = all.filter(isUnused).map(({ name }) => name)
  if (all.length === 0) return <Empty icon="access">{texts.noTokens}</Empty>
  return (
    <>
      {unused.length > 0 && <Revoke names={unused} label={texts.revokeUnused(unused.length)} done={done} />}
      {all.length > FEW_TOKENS && <SearchField label={texts.search} value={search} set={setSearch} />}
      <ul class="lines">
        {shown.map((token) => (
          <TokenRow key={token.name} token={token} done={done} />
        ))}
      </ul>
      {shown.length === 0 && <p class="dim">{texts.noMatch}</p>}
    </>
  )
}

function TokenRow({ token, done }: { token: NamedToken; done(): void }) {
  const { name, approves, read, files, shell, policy, addresses, created_at, expires_at } = token
  return (
    <li>
      <p class="spread">
        <strong dir="auto">{name}</strong>
        {isOwn(token) && <Tag kind="info">{texts.current}</Tag>}
        <span class="dim">{lastUse(token)}</span>
      </p>
      <p class="tags">
        <Tag>{texts.approves[approves]}</Tag>
        <Tag>{texts.reads[read]}</Tag>
        <Tag>{texts.files[files]}</Tag>
        {shell && <Tag>{texts.shell}</Tag>}
        {policy && <Tag>{texts.policy(policy)}</Tag>}
        {addresses.length > 0 && <Tag>{addresses.join(', ')}</Tag>}
      </p>
      <p class="hint">
        {texts.created} <ShortTime when={created_at} /> ·{' '}
        {expires_at ? (
          <>
            {texts.until} <ShortTime when={expires_at} />
          </>
        ) : (
          texts.noExpiry
        )}
      </p>
      <Revoke names={[name]} done={done} />
    </li>
  )
}

const lastUse = ({ last_used_at: at, last_used_from: from }: NamedToken) =>
  at === null ? texts.unused : texts.used(toAgo(at), from ?? '')

/** Revoking a token closes its connections immediately. */
function Revoke({ names, label, done }: { names: string[]; label?: string; done(): void }) {
  const act = async () => {
    for (const name of names) await revokeToken(name)
  }
  return (
    <SureButton
      label={label ?? texts.revoke}
      {...(!label && { of: names[0]! })}
      sure={texts.revokeSure(names.join(', '))}
      act={() => act().finally(done)}
    />
  )
}
