import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import t from 'tap'
import {
  type ApprovalEvent,
  type ApprovalQuestion,
  type ApprovalsOptions,
  bindingDigest,
  Approvals,
  type HumanAnswer,
} from '../../../src/server/store/index.ts'
import { privateFile } from '../../../src/server/host/index.ts'
import { home } from './world.ts'
import { soon } from '../../support/helper.ts'
import { createMovedClock } from '../../support/moved-clock.ts'

const question = (changes: Partial<ApprovalQuestion> = {}): ApprovalQuestion => ({
  runId: 'run',
  script: 'rm -r build',
  cwd: '/home/me',
  env: {},
  dialect: 'canonical',
  token: 'owner',
  tokenId: 'owner',
  stdin: null,
  sandbox: { name: 'none', network: true, writable: [] },
  files: [],
  changes: [],
  rule: 'file-delete',
  reason: 'deletes files',
  risk: 'medium',
  ...changes,
})

const options = (changes: Partial<ApprovalsOptions> = {}): ApprovalsOptions => ({
  file: null,
  ttlMs: 60_000,
  maxPending: 8,
  maxRules: 5,
  ruleMaxAgeMs: 1000,
  redact: (text) => text,
  log: () => undefined,
  ...changes,
})

const person: HumanAnswer = { decision: 'approve', scope: 'once', by: 'ann', how: 'http' }

t.test('the digest changes with everything that an approval is bound to, and with nothing else', async (t) => {
  const sandbox = { name: 'workspace-write' as const, network: true, writable: ['/home/me'] }
  const files = [{ path: '/home/me/x.sh', sha256: 'aa' }]
  const base = question({ env: { A: '1', B: '2' }, stdin: Buffer.from('id\n'), sandbox, files })
  t.equal(bindingDigest({ ...base, env: { B: '2', A: '1' } }), bindingDigest(base))
  const others: Partial<ApprovalQuestion>[] = [
    { script: 'rm -r build ' },
    { cwd: '/home/me/' },
    { env: { A: '1' } },
    { env: { A: '12', B: '' } },
    { dialect: 'picoclaw' },
    { tokenId: 'codex' },
    { script: 'rm -r', cwd: 'build/home/me' },
    { stdin: null },
    { stdin: 'open' },
    { stdin: Buffer.from('id') },
    { stdin: Buffer.from('open') },
    { sandbox: { ...sandbox, name: 'read-only' } },
    { sandbox: { ...sandbox, network: false } },
    { sandbox: { ...sandbox, writable: ['/home'] } },
    { files: [] },
    { files: [{ path: '/home/me/y.sh', sha256: 'aa' }] },
    { files: [{ path: '/home/me/x.sh', sha256: 'ab' }] },
  ]
  for (const other of others) t.not(bindingDigest({ ...base, ...other }), bindingDigest(base), JSON.stringify(other))
})

t.test('a person answers once, and every subscriber is notified', async (t) => {
  const approvals = new Approvals(options())
  const events: ApprovalEvent[] = []
  const stop = approvals.subscribe((event) => events.push(event))
  approvals.subscribe(() => {
    throw new Error('a broken listener harms nobody')
  })
  const [first, second] = [approvals.request(question()), approvals.request(question({ script: 'reboot' }))]
  const [a, b] = approvals.pending()
  t.match(a, {
    run_id: 'run',
    command: 'rm -r build',
    working_directory: '/home/me',
    rule: 'file-delete',
    always: { covers: /exactly this command, in \/home\/me/ },
  })
  t.throws(() => approvals.answer(b!.id, { ...person, decision: 'deny', scope: 'always' }), {
    code: 'VALIDATION_ERROR',
  })
  approvals.answer(a!.id, person)
  approvals.answer(b!.id, { ...person, decision: 'deny', how: 'cli' })
  t.match(await first, {
    approved: true,
    outcome: 'approved',
    by: 'ann',
    how: 'http',
    scope: 'once',
    saved_rule: null,
    at: /Z$/,
  })
  t.match(await second, { approved: false, outcome: 'denied', how: 'cli' })
  t.throws(() => approvals.answer(a!.id, person), { code: 'CONFLICT' })
  t.throws(() => approvals.answer('nobody', person), { code: 'NOT_FOUND' })
  t.same(approvals.pending(), [])
  stop()
  void approvals.request(question())
  t.same(
    events.map(({ type }) => type),
    ['approval_requested', 'approval_requested', 'approval_decided', 'approval_decided'],
  )
  approvals.close()
})

t.test('after a "once" answer the same request needs approval again', async (t) => {
  const approvals = new Approvals(options())
  const first = approvals.request(question())
  approvals.answer(approvals.pending()[0]!.id, person)
  t.ok((await first).approved)
  void approvals.request(question())
  t.equal(approvals.pending().length, 1)
  approvals.close()
})

t.test(
  'denies a request without an answer, when cancelled, beyond the limit and at the end of the service',
  async (t) => {
    const quick = new Approvals(options({ ttlMs: 20 }))
    t.match(await soon(quick.request(question())), { approved: false, outcome: 'timeout', by: null })
    const approvals = new Approvals(options({ maxPending: 2 }))
    const cancel = new AbortController()
    const cancelled = approvals.request(question(), cancel.signal)
    const stopped = approvals.request(question())
    t.match(await soon(approvals.request(question())), { approved: false, outcome: 'full' })
    cancel.abort()
    t.match(await cancelled, { approved: false, outcome: 'withdrawn' })
    t.match(await approvals.request(question(), cancel.signal), { outcome: 'withdrawn' })
    approvals.close()
    t.match(await stopped, { approved: false, outcome: 'closed' })
  },
)

t.test('an answer after `expires_at` is too late even if the machine was suspended until then', async (t) => {
  const clock = createMovedClock()
  /** a clock whose timers are late, like timers that expire while the machine is suspended */
  const late = { ...clock, startTimer: (work: () => void, ms: number) => clock.startTimer(work, ms + 30_000) }
  const approvals = new Approvals(options({ ttlMs: 60_000, clock: late }))
  const [first, second] = [approvals.request(question()), approvals.request(question({ script: 'reboot' }))]
  const [id, other] = approvals.pending().map((one) => one.id)
  const { approve } = approvals.buttons(other!)!
  clock.move(59_999)
  t.equal(approvals.pending().length, 2)
  clock.move(1)
  t.throws(() => approvals.answer(id!, person), { code: 'CONFLICT' })
  t.throws(() => approvals.press(approve, 'ann', 'button'), { code: 'NOT_FOUND' })
  t.same(approvals.pending(), [])
  t.match(await Promise.all([first, second]), [{ outcome: 'timeout' }, { outcome: 'timeout' }])
  t.equal(clock.waiting(), 0)
  void approvals.request(question())
  clock.move(90_000)
  t.same(approvals.pending(), [], 'silence ends by the timer, too')
})

t.test('a button works once and only for its own request', async (t) => {
  const approvals = new Approvals(options())
  const [yes, no] = [approvals.request(question()), approvals.request(question())]
  const buttons = approvals.pending().map(({ id }) => approvals.buttons(id)!)
  t.equal(new Set(buttons.flatMap(({ approve, deny }) => [approve, deny])).size, 4)
  for (const nonce of ['', 'approve', approvals.pending()[0]!.id]) {
    t.throws(() => approvals.press(nonce, 'x', 'notification'), { code: 'NOT_FOUND' })
  }
  approvals.press(buttons[0]!.approve, 'phone', 'notification')
  approvals.press(buttons[1]!.deny, 'phone', 'notification')
  t.match([await yes, await no], [{ approved: true, how: 'notification' }, { approved: false }])
  for (const { approve, deny } of buttons) {
    for (const nonce of [approve, deny]) t.throws(() => approvals.press(nonce, 'x', 'x'), { code: 'NOT_FOUND' })
  }
  t.equal(approvals.buttons('gone'), null)
})

t.test('an "always" rule covers exactly what was shown, survives a restart, expires and can be revoked', async (t) => {
  const file = path.join(home(t), 'approvals.json')
  let nowMs = 1_000_000
  const changes = {
    file: privateFile(file),
    now: () => nowMs,
    redact: (text: string) => text.replace('hunter22', '[redacted]'),
  }
  const approvals = new Approvals(options(changes))
  const secret = question({ script: 'login hunter22', env: { B: 'b', A: 'a' } })
  const [asked, same, other] = [approvals.request(secret), approvals.request(secret), approvals.request(question())]
  const { id, always } = approvals.pending()[0]!
  t.match(always, { covers: /exactly this command, in \/home\/me/ })
  const answer = approvals.answer(id, { ...person, scope: 'always' })
  t.match(await asked, { approved: true, scope: 'always', saved_rule: answer.saved_rule })
  t.match(
    await same,
    { approved: true, how: 'rule', saved_rule: answer.saved_rule },
    'the same question that waited is answered too',
  )
  t.equal(approvals.pending().length, 1, 'another one is not')
  t.equal(fs.statSync(file).mode & 0o777, 0o600)
  t.notMatch(fs.readFileSync(file, 'utf8'), 'hunter22')

  const restarted = new Approvals(options(changes))
  t.same(restarted.pending(), [], 'what waited is forgotten, so it is denied')
  t.match(restarted.rules(), [
    { command: 'login [redacted]', env_names: ['A', 'B'], by: 'ann', expires_at: always!.expires_at },
  ])
  t.match(await restarted.request(secret), { approved: true, by: 'ann', how: 'rule' })
  for (const change of [{ script: 'login hunter23' }, { cwd: '/' }, { env: {} }, { dialect: 'meka' }]) {
    void restarted.request({ ...secret, ...change })
  }
  t.equal(restarted.pending().length, 4, 'whatever differs is asked')
  nowMs += 1000
  void restarted.request(secret)
  t.equal(restarted.pending().length, 5, 'the rule has expired')
  t.same(restarted.rules(), [])

  restarted.answer(restarted.pending()[4]!.id, { ...person, scope: 'always' })
  const [rule] = restarted.rules()
  restarted.revoke(rule!.id)
  t.throws(() => restarted.revoke(rule!.id), { code: 'NOT_FOUND' })
  t.same(new Approvals(options(changes)).rules(), [])
  restarted.close()
  approvals.close()
  t.notOk((await other).approved)
})

t.test('the number of saved rules is limited, and a damaged file approves nothing', async (t) => {
  const file = path.join(home(t), 'approvals.json')
  const approvals = new Approvals(options({ file: privateFile(file), ruleMaxAgeMs: 60_000 }))
  for (let index = 0; index < 8; index++) {
    const asked = approvals.request(question({ script: `run ${index}` }))
    approvals.answer(approvals.pending()[0]!.id, { ...person, scope: 'always' })
    await asked
  }
  t.equal(approvals.rules().length, 5)
  const whole = fs.readFileSync(file, 'utf8')
  const { rules } = JSON.parse(whole)
  const damaged = [
    '',
    '{',
    'null',
    '7',
    '{"rules":{}}',
    '{"rules":[null,7,{"digest":"x"}]}',
    JSON.stringify({ rules: [{ ...rules[0], expires_at: 'soon' }] }),
    whole.slice(0, -5),
  ]
  for (const text of damaged) {
    fs.writeFileSync(file, text)
    t.same(new Approvals(options({ file: privateFile(file) })).rules(), [], text.slice(0, 40))
  }
})

t.test('when the disk refuses, the rule is lost but the answer counts', async (t) => {
  const folder = path.join(home(t), 'file')
  fs.writeFileSync(folder, '')
  const file = privateFile(path.join(folder, 'approvals.json'))
  const facts: string[] = []
  const approvals = new Approvals(options({ file, log: (_, message) => facts.push(message) }))
  const asked = approvals.request(question())
  approvals.answer(approvals.pending()[0]!.id, { ...person, scope: 'always' })
  t.ok((await asked).approved)
  t.ok(facts.includes('a saved approval cannot be written: it is in force until the service stops'))
  t.equal((await approvals.request(question())).how, 'rule')
})

t.test('shows the start of stdin and identifies it by its digest', async (t) => {
  const approvals = new Approvals(options())
  const long = Buffer.from('ä'.repeat(3000))
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const rows: [ApprovalQuestion['stdin'], unknown][] = [
    [null, null],
    ['open', 'open'],
    [Buffer.from('open'), { text: 'open', bytes: 4, sha256: sha256(Buffer.from('open')) }],
    [Buffer.from(''), { text: '', bytes: 0, sha256: sha256(Buffer.from('')) }],
    [long, { text: 'ä'.repeat(2048), bytes: 6000, sha256: sha256(long) }],
    [
      Buffer.concat([Buffer.from('x'), long]),
      { text: `x${'ä'.repeat(2047)}`, bytes: 6001, sha256: sha256(Buffer.concat([Buffer.from('x'), long])) },
    ],
  ]
  for (const [stdin] of rows) void approvals.request(question({ stdin }))
  t.same(
    approvals.pending().map(({ stdin }) => stdin),
    rows.map(([, shown]) => shown),
  )
  approvals.close()
})

t.test('saves no rule for open stdin', async (t) => {
  const file = path.join(home(t), 'approvals.json')
  const approvals = new Approvals(options({ file: privateFile(file), maxPending: 2 }))
  const open = question({ stdin: 'open' })
  const asked = approvals.request(open)
  const [{ id, always } = { id: '', always: undefined }] = approvals.pending()
  t.equal(always, null)
  t.throws(() => approvals.answer(id, { ...person, scope: 'always' }), { code: 'VALIDATION_ERROR' })
  approvals.answer(id, person)
  t.match(await asked, { approved: true, saved_rule: null })
  t.same(approvals.rules(), [])
  // not even a rule that was written into the file by hand
  const [first] = [approvals.request(question())]
  approvals.answer(approvals.pending()[0]!.id, { ...person, scope: 'always' })
  await first
  const { rules } = JSON.parse(fs.readFileSync(file, 'utf8'))
  fs.writeFileSync(file, JSON.stringify({ rules: [{ ...rules[0], digest: bindingDigest(open) }] }))
  const next = new Approvals(options({ file: privateFile(file) }))
  t.equal(next.rules().length, 1)
  void next.request(open)
  t.equal(next.pending().length, 1)
  next.close()
})

t.test('names can be typed on a command line', async (t) => {
  const approvals = new Approvals(options({ maxPending: 500, maxRules: 500 }))
  for (let index = 0; index < 300; index++) void approvals.request(question({ script: `run ${index}` }))
  for (const { id } of approvals.pending()) approvals.answer(id, { ...person, scope: 'always' })
  const names = approvals.rules().map(({ id }) => id)
  void approvals.request(question())
  names.push(approvals.pending()[0]!.id)
  t.equal(new Set(names).size, 301)
  t.same(
    names.filter((name) => !/^[0-9a-z]{16}$/.test(name)),
    [],
  )
  approvals.close()
})
