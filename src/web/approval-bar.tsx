import { Icon } from './parts/icon.tsx'
import { visible } from '../shared/schema/index.ts'
import { hrefOf, route } from './route.ts'
import { approvals, mayAnswer } from './wire.ts'
import { toCount } from './parts/format.ts'
import { words } from './words.ts'

const MAX_COMMAND_CHARACTERS = 120

/** The pending approvals, shown on every view except Approvals and that of the run that waits. */
export function ApprovalBar() {
  const { view, rest } = route.value
  const pending = approvals.pending.value.filter(({ approval }) => approval.run_id !== rest[0])
  const [first] = pending
  if (!first || view === 'approvals') return null
  const { token, command, phone } = first.approval
  return (
    <aside aria-label={words.views.approvals}>
      <a class="approval-bar" href={hrefOf('approvals')}>
        <Icon name="approvals" />
        <span class="grow">
          <strong>{words.frame.waiting(toCount(pending.length))}</strong>
          <span class="clip">
            {[phone, token].filter(Boolean).join(' · ')} {words.frame.asks}{' '}
            <code>{visible(command.slice(0, MAX_COMMAND_CHARACTERS))}</code>
          </span>
        </span>
        {mayAnswer.value && <b class="button main">{words.frame.review}</b>}
      </a>
    </aside>
  )
}
