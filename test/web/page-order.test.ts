import t from 'tap'
import { createLiveRuns } from '../../src/web/live.ts'
import { createApprovalCards } from '../../src/web/approval-cards.ts'
import type { PendingApproval, RunRecord, RunSummary } from '../../src/sdk/index.ts'

const run = (id: string, ended_at: string | null = null) => ({ id, ended_at }) as RunSummary
const approval = (id: string) => ({ id, run_id: `run-${id}` }) as PendingApproval
const ENDED = '2026-11-25T00:00:00.000Z'
const unanswered = (ended_at: string | null) => ({ ended_at }) as RunRecord
const denied = { outcome: 'denied', by: 'me', how: 'page', at: ENDED, scope: null } as const

/** A request that the test answers when it calls `respond`. */
function delayedRequest<Value>() {
  let respond!: (value: Value) => void
  const value = new Promise<Value>((resolve) => (respond = resolve))
  return { ask: () => value, respond }
}

t.test('events override a list of runs that was requested before them', async (t) => {
  const live = createLiveRuns()
  live.update(run('1'))
  live.update(run('2'))
  const list = delayedRequest<RunSummary[]>()
  const loading = live.load(list.ask)
  live.update(run('3'))
  live.update(run('2', ENDED))
  list.respond([run('2')])
  await loading
  t.same(
    live.runs.value.map(({ id }) => id),
    ['3'],
    'keeps a run that started since the request, drops one that ended and one that is not listed',
  )
})

t.test('the list that was requested last wins', async (t) => {
  const live = createLiveRuns()
  const [first, second] = [delayedRequest<RunSummary[]>(), delayedRequest<RunSummary[]>()]
  const loading = [live.load(first.ask), live.load(second.ask)]
  second.respond([run('2')])
  await loading[1]
  first.respond([run('1')])
  await loading[0]
  t.same(
    live.runs.value.map(({ id }) => id),
    ['2'],
  )
  const late = delayedRequest<RunSummary[]>()
  const loadingLate = live.load(late.ask)
  live.clear()
  late.respond([run('9')])
  await loadingLate
  t.same(live.runs.value, [], 'ignores the list of a phone that is no longer shown')
})

t.test('a cleared list also forgets the run that ended last, which belongs to the phone before', (t) => {
  const live = createLiveRuns()
  live.update(run('1', ENDED))
  live.clear()
  t.equal(live.ended.value, null)
  t.end()
})

t.test('events override a list of approvals that was requested before them', async (t) => {
  const cards = createApprovalCards()
  const records: string[] = []
  const recordOf = async ({ id }: { id: string }) => {
    records.push(id)
    return unanswered(id === 'gone' ? ENDED : null)
  }
  for (const id of ['gone', 'unsure', 'answered']) cards.requested(approval(id))
  const list = delayedRequest<{ approvals: PendingApproval[] }>()
  const loading = cards.load(list.ask, recordOf)
  cards.requested(approval('new'))
  cards.decided('answered', denied)
  cards.decided('quick', denied)
  list.respond({ approvals: [approval('answered'), approval('quick')] })
  await loading
  const endings = cards.cards.value.map(({ approval: { id }, ending }) => `${id} ${ending?.outcome ?? 'waits'}`)
  t.same(endings, ['gone withdrawn', 'unsure waits', 'answered denied', 'new waits'])
  t.same(records, ['gone', 'unsure'])

  cards.requested(approval('gone'))
  t.ok(
    cards.pending.value.some((card) => card.approval.id === 'gone'),
    'a withdrawn approval is pending again when an event says so',
  )
})

t.test('a decision that arrives while the record is being loaded wins', async (t) => {
  const cards = createApprovalCards()
  cards.requested(approval('q'))
  const record = delayedRequest<RunRecord>()
  const loading = cards.load(async () => ({ approvals: [] }), record.ask)
  await Promise.resolve()
  cards.decided('q', denied)
  record.respond(unanswered(ENDED))
  await loading
  t.match(cards.cards.value, [{ ending: { outcome: 'denied' } }])
})
