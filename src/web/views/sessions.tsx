import { visible } from '../../shared/schema/index.ts'
import type { SessionInfo } from '../../sdk/index.ts'
import { get, send } from '../api.ts'
import { Facts, Tag, Title } from '../parts/basics.tsx'
import { toAgo, toDayAndTime } from '../parts/format.ts'
import { usePolled } from '../parts/poll.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { SureButton } from '../parts/sure-button.tsx'
import { ask } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'

const { sessions: texts } = rareWords
const POLL_MS = 10_000

/** The sessions of this browser's token: what each passes on to its next command. */
export function Sessions() {
  const listed = usePolled(get<{ sessions: SessionInfo[] }>('/sessions'), POLL_MS)
  return (
    <>
      <Title>{words.views.sessions}</Title>
      <p class="dim">{texts.about}</p>
      <Loaded from={listed}>
        {({ sessions }) =>
          sessions.length === 0 ? (
            <Empty icon="disk">{texts.none}</Empty>
          ) : (
            sessions.map((session) => <Session key={session.name} session={session} done={listed.again} />)
          )
        }
      </Loaded>
    </>
  )
}

function Session({ session, done }: { session: SessionInfo; done(): void }) {
  const { name, cwd, set, unset, lost, busy, waiting, used_at: used, expires_at: expires } = session
  const names = (all: string[]) => all.length > 0 && texts.names(all.length, all.map(visible).join(', '))
  const end = () => ask(send('DELETE', `/sessions/${encodeURIComponent(name)}`)).finally(done)
  return (
    <article class="card" data-row tabIndex={-1} aria-label={name}>
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
          [texts.directory, cwd === null ? texts.usual : <code key="cwd">{visible(cwd)}</code>],
          [texts.set, names(set) || texts.noNames],
          [texts.unset, names(unset)],
          [texts.lost, names(lost)],
          [texts.used, toAgo(used)],
          [texts.expires, `${toDayAndTime(expires)} (${toAgo(expires)})`],
        ]}
      />
      <SureButton label={texts.end} of={name} sure={texts.sure(name)} act={end} />
    </article>
  )
}
