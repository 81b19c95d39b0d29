import t from 'tap'
import { createLive } from '../../src/web/live.ts'
import { createQuestions } from '../../src/web/questions.ts'
import type { PendingApproval, RunRecord, RunSummary } from '../../src/sdk/index.ts'

const run = (id: string, ended_at: string | null = null) => ({ id, ended_at }) as RunSummary
const question = (id: string) => ({ id, run_id: `run-${id}` }) as PendingApproval
const ENDED = '2026-11-25T00:00:00.000Z'
const unanswered = (ended_at: string | null) => ({ ended_at }) as RunRecord
const denied = { outcome: 'denied', by: 'me', how: 'page', at: ENDED, scope: null } as const

/** An answer that comes when this test says so. */
function later<Value>() {
  let come!: (value: Value) => void
  const value = new Promise<Value>((resolve) => (come = resolve))
  return { ask: () => value, come }
}

t.test('a list of runs that is older than the events', async (t) => {
  const live = createLive()
  live.is(run('1'))
  live.is(run('2'))
  const list = later<RunSummary[]>()
  const loading = live.load(list.ask)
  live.is(run('3'))
  live.is(run('2', ENDED))
  list.come([run('2')])
  await loading
  t.same(
    live.runs.value.map(({ id }) => id),
    ['3'],
    'a run that began since stays, one that ended since is gone, one that is not listed is gone',
  )
})

t.test('of two lists the one that was asked for later counts', async (t) => {
  const live = createLive()
  const [first, second] = [later<RunSummary[]>(), later<RunSummary[]>()]
  const loading = [live.load(first.ask), live.load(second.ask)]
  second.come([run('2')])
  await loading[1]
  first.come([run('1')])
  await loading[0]
  t.same(
    live.runs.value.map(({ id }) => id),
    ['2'],
  )
  const late = later<RunSummary[]>()
  const loadingLate = live.load(late.ask)
  live.forget()
  late.come([run('9')])
  await loadingLate
  t.same(live.runs.value, [], 'the list of a phone that is no longer shown')
})

t.test('a list of questions that is older than the events', async (t) => {
  const questions = createQuestions()
  const records: string[] = []
  const runOf = async ({ id }: { id: string }) => {
    records.push(id)
    return unanswered(id === 'gone' ? ENDED : null)
  }
  for (const id of ['gone', 'unsure', 'answered']) questions.asked(question(id))
  const list = later<{ approvals: PendingApproval[] }>()
  const loading = questions.load(list.ask, runOf)
  questions.asked(question('new'))
  questions.answered('answered', denied)
  questions.answered('quick', denied)
  list.come({ approvals: [question('answered'), question('quick')] })
  await loading
  const endings = questions.cards.value.map(({ question: { id }, ending }) => `${id} ${ending?.outcome ?? 'waits'}`)
  t.same(endings, ['gone withdrawn', 'unsure waits', 'answered denied', 'new waits'])
  t.same(records, ['gone', 'unsure'])

  questions.asked(question('gone'))
  t.ok(
    questions.waiting.value.some((card) => card.question.id === 'gone'),
    'what waits after all can be answered',
  )
})

t.test('an answer that comes while the run is asked for stays', async (t) => {
  const questions = createQuestions()
  questions.asked(question('q'))
  const record = later<RunRecord>()
  const loading = questions.load(async () => ({ approvals: [] }), record.ask)
  await Promise.resolve()
  questions.answered('q', denied)
  record.come(unanswered(ENDED))
  await loading
  t.match(questions.cards.value, [{ ending: { outcome: 'denied' } }])
})
