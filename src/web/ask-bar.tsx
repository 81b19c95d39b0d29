import { Icon } from './parts/icon.tsx'
import { visible } from '../shared/schema/index.ts'
import { hrefOf, route } from './route.ts'
import { questions } from './wire.ts'
import { toCount } from './parts/format.ts'
import { words } from './words.ts'

const MAX_SHOWN = 120

/** What waits for an answer, on every view but the one where it is given. */
export function AskBar() {
  const [first] = questions.waiting.value
  if (!first || route.value.view === 'approvals') return null
  const { token, command, phone } = first.question
  return (
    <aside aria-label={words.views.approvals}>
      <a class="ask-bar" href={hrefOf('approvals')}>
        <Icon name="approvals" />
        <span class="grow">
          <strong>{words.frame.waiting(toCount(questions.waiting.value.length))}</strong>
          <span class="clip">
            {[phone, token].filter(Boolean).join(' · ')} {words.frame.asks}{' '}
            <code>{visible(command.slice(0, MAX_SHOWN))}</code>
          </span>
        </span>
        <b class="button main">{words.frame.look}</b>
      </a>
    </aside>
  )
}
