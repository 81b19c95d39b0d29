import { visible } from '../../shared/schema/index.ts'
import type { Webhook, WebhookDelivery } from '../../sdk/index.ts'
import { access } from '../access.ts'
import { send } from '../api.ts'
import { Facts, Tag, Title } from '../parts/basics.tsx'
import { toAgo, toDayAndTime } from '../parts/format.ts'
import type { IconName } from '../parts/icon.tsx'
import { usePolled } from '../parts/poll.tsx'
import { RunLink } from '../parts/run-link.tsx'
import { Loaded } from '../parts/states.tsx'
import { SureButton } from '../parts/sure-button.tsx'
import { ask } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { labelOf, listOfTokens } from './own-and-others.ts'

const { webhooks: texts } = rareWords
const POLL_MS = 10_000

const styles: Record<WebhookDelivery['status'], [kind: string, icon: IconName]> = {
  waiting: ['warn', 'clock'],
  delivered: ['good', 'ok'],
  failed: ['bad', 'close'],
}

/** The webhooks of this browser's token, and of all tokens if it may read all runs, each with its last deliveries. */
export function Webhooks() {
  const listed = usePolled(listOfTokens<Webhook>('webhooks'), POLL_MS)
  return (
    <>
      <Title>{words.views.webhooks}</Title>
      <p class="dim">
        {texts.about} {listed.value && (listed.value.others ? texts.all : texts.mine(access.value?.name ?? null))}
      </p>
      <Loaded from={listed}>
        {({ own, others }) => {
          const webhooks = [...own, ...(others ?? [])]
          if (webhooks.length === 0) return <NoWebhooks text={others ? texts.noneAtAll : texts.none} />
          return webhooks.map((webhook) => (
            <OneWebhook
              key={`${webhook.token} ${webhook.name}`}
              webhook={webhook}
              isOwn={own.includes(webhook)}
              done={listed.again}
            />
          ))
        }}
      </Loaded>
    </>
  )
}

const NoWebhooks = ({ text }: { text: string }) => (
  <section class="card">
    <p>
      {text} {texts.creates}
    </p>
    <pre class="file-text mono" tabIndex={0} role="region" aria-label={texts.creates}>
      {texts.example(location.origin)}
    </pre>
    <p class="hint">{texts.noneHint}</p>
  </section>
)

function OneWebhook({ webhook, isOwn, done }: { webhook: Webhook; isOwn: boolean; done(): void }) {
  const {
    name,
    token,
    url,
    types,
    session,
    created_at: created,
    expires_at: expires,
    status,
    waiting,
    dropped,
    deliveries,
  } = webhook
  const remove = () => ask(send('DELETE', `/webhooks/${encodeURIComponent(name)}`)).finally(done)
  return (
    <article class="card" data-row tabIndex={-1} aria-label={labelOf(webhook, isOwn)}>
      <p class="spread">
        <strong>{name}</strong>
        {status === 'gone' && (
          <Tag kind="bad" icon="stop">
            {texts.gone}
          </Tag>
        )}
        {waiting > 0 && <Tag icon="clock">{texts.waiting(waiting)}</Tag>}
      </p>
      <Facts
        rows={[
          [texts.token, token],
          [texts.url, <code key="url">{visible(url)}</code>],
          [texts.events, types.map((type) => texts.types[type]).join(', ')],
          [texts.session, session],
          [texts.created, toDayAndTime(created)],
          [texts.expires, expires && toDayAndTime(expires)],
          [texts.dropped, dropped > 0 && texts.droppedCount(dropped)],
        ]}
      />
      <h2>{texts.deliveries}</h2>
      {deliveries.length === 0 && <p class="dim">{texts.noDeliveries}</p>}
      <ul class="lines">
        {deliveries.map((delivery) => (
          <Delivery key={delivery.id} delivery={delivery} />
        ))}
      </ul>
      {isOwn && <SureButton label={texts.remove} of={name} sure={texts.sure(name)} act={remove} />}
    </article>
  )
}

function Delivery({ delivery }: { delivery: WebhookDelivery }) {
  const {
    status,
    type,
    run_id: run,
    tries,
    response_status: response,
    error,
    tried_at: tried,
    next_at: next,
  } = delivery
  return (
    <li>
      <p class="spread">
        <span>
          {texts.types[type]} <RunLink id={run} />
        </span>
        <Tag kind={styles[status][0]} icon={styles[status][1]}>
          {texts.status[status]}
        </Tag>
      </p>
      <p class="hint breaks">
        {[
          texts.tries(tries),
          tried && texts.tried(toDayAndTime(tried)),
          error === null && response !== null && texts.response(response),
          error !== null && visible(error),
          next !== null && texts.next(toAgo(next)),
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  )
}
