import { useState } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import type { SessionInfo } from '../../sdk/index.ts'
import { access } from '../access.ts'
import { send } from '../api.ts'
import { Facts, Tag, Title } from '../parts/basics.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { toAgo, toDayAndTime } from '../parts/format.ts'
import { usePolled } from '../parts/poll.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { SureButton } from '../parts/sure-button.tsx'
import { hrefOf } from '../route.ts'
import { ask } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { labelOf, listOfTokens } from './own-and-others.ts'

const { sessions: texts } = rareWords
const POLL_MS = 10_000
/** From this number on, there is a field that searches them. */
const MANY = 7

/** The sessions of this browser's token, and of all tokens if it may read all runs: what each passes on to its next command. */
export function Sessions() {
  const listed = usePolled(listOfTokens<SessionInfo>('sessions'), POLL_MS)
  const [search, setSearch] = useState('')
  return (
    <>
      <Title>{words.views.sessions}</Title>
      <p class="dim">
        {texts.about} {listed.value && (listed.value.others ? texts.all : texts.mine(access.value?.name ?? null))}
      </p>
      <Loaded from={listed}>
        {({ own, others }) => {
          const sessions = [...own, ...(others ?? [])]
          if (sessions.length === 0) {
            return (
              <Empty icon="disk">
                {others ? texts.noneAtAll : texts.none} {texts.begins} <a href={hrefOf('run')}>{texts.openRun}</a>
              </Empty>
            )
          }
          const shown = sessions.filter((session) => isFound(session, search))
          return (
            <>
              {sessions.length >= MANY && <SearchField label={texts.search} value={search} set={setSearch} />}
              {shown.length === 0 && <Empty icon="search">{texts.noMatch}</Empty>}
              <div class="cards">
                {shown.map((session) => (
                  <Session
                    key={`${session.token} ${session.name}`}
                    session={session}
                    isOwn={own.includes(session)}
                    done={listed.again}
                  />
                ))}
              </div>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

const isFound = ({ name, token, cwd, set }: SessionInfo, search: string): boolean =>
  [name, token, cwd ?? '', ...set].some((text) => text.toLowerCase().includes(search.trim().toLowerCase()))

function Session({ session, isOwn, done }: { session: SessionInfo; isOwn: boolean; done(): void }) {
  const { name, token, cwd, set, unset, lost, busy, waiting, used_at: used, expires_at: expires } = session
  const names = (all: string[]) => all.length > 0 && texts.names(all.length, all.map(visible).join(', '))
  const end = () => ask(send('DELETE', `/sessions/${encodeURIComponent(name)}`)).finally(done)
  return (
    <article class="card" data-row tabIndex={-1} aria-label={labelOf(session, isOwn)}>
      <p class="spread">
        <strong>{name}</strong>
        {busy && (
          <Tag kind="info" icon="run">
            {texts.busy}
          </Tag>
        )}
        {waiting > 0 && <Tag icon="clock">{texts.waiting(waiting)}</Tag>}
      </p>
      <Facts
        rows={[
          [texts.token, token],
          [texts.directory, cwd === null ? texts.usual : <code key="cwd">{visible(cwd)}</code>],
          [texts.set, names(set) || texts.noNames],
          [texts.unset, names(unset)],
          [texts.lost, names(lost)],
          [texts.used, toAgo(used)],
          [texts.expires, texts.expiresAt(toDayAndTime(expires), toAgo(expires))],
        ]}
      />
      <div class="spread">
        <a href={hrefOf('runs', [], { session: name, token })}>
          {texts.runs}
          <span class="unseen"> {labelOf(session, isOwn)}</span>
        </a>
        {isOwn && <SureButton label={texts.end} of={name} sure={texts.sure(name)} act={end} />}
      </div>
    </article>
  )
}
