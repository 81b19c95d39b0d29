import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import t from 'tap'
import { createButtons, createNotifier } from '../../../src/server/notify/index.ts'
import type { ToolEnd } from '../../../src/shared/schema/index.ts'
import { runTool } from '../../../src/server/spawn/index.ts'
import { type ApprovalQuestion, Approvals } from '../../../src/server/store/index.ts'
import { watchedService } from '../../support/ask.ts'
import { allProcessesWith, type Service, soon, until } from '../../support/helper.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-notifications-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const touch = (name: string) => `touch ${join(folder, name)}`
/** a sleep duration that no other process uses; the tools do not inherit the mark that processesWith searches for */
const SLEEP = `98${process.pid}`

type Mode = 'answers' | 'hangs' | 'fails'

/** A private $PREFIX with a fake Termux:API that records each call: the tool's name, then its arguments. */
function createPhone() {
  const prefix = mkdtempSync(join(folder, 'usr-'))
  mkdirSync(join(prefix, 'bin'))
  mkdirSync(join(prefix, 'calls'))
  for (const tool of ['sh', 'curl']) {
    symlinkSync(execFileSync('which', [tool], { encoding: 'utf8' }).trim(), join(prefix, 'bin', tool))
  }
  const script = [
    '#!/bin/sh',
    `note=$(mktemp ${prefix}/calls/.XXXXXX)`,
    `{ printf '%s\\0' "\${0##*/}"; printf '%s\\0' "$@"; } > "$note"`,
    `mv "$note" "${prefix}/calls/$(date +%s%N)"`,
    `case $(cat ${prefix}/mode) in hangs) sleep ${SLEEP} & sleep ${SLEEP} ;; fails) exit 1 ;; esac`,
  ].join('\n')
  for (const tool of ['termux-notification', 'termux-notification-remove']) {
    writeFileSync(join(prefix, 'bin', tool), script)
    chmodSync(join(prefix, 'bin', tool), 0o755)
  }
  const phone = {
    prefix,
    be: (mode: Mode) => writeFileSync(join(prefix, 'mode'), mode),
    calls: (): string[][] =>
      readdirSync(join(prefix, 'calls'))
        .filter((name) => !name.startsWith('.'))
        .sort()
        .map((name) =>
          readFileSync(join(prefix, 'calls', name), 'utf8')
            .split('\0')
            .slice(0, -1),
        ),
    /** the notification about this approval request, once it is shown */
    async shown(id: string): Promise<Notification> {
      const find = () =>
        phone.calls().find(([tool, , name]) => tool === 'termux-notification' && name === `shellphone-${id}`)
      await until(() => find() !== undefined)
      return toNotification(find()!)
    },
    removed: (id: string) =>
      until(() =>
        phone.calls().some(([tool, name]) => tool === 'termux-notification-remove' && name === `shellphone-${id}`),
      ),
    /** Runs a button's action as TermuxService does: a new task with the app's own environment. */
    press: (action: string) =>
      spawnSync('env', ['-i', `PREFIX=${prefix}`, `PATH=${prefix}/bin`, `${prefix}/bin/sh`, '-c', action], {
        encoding: 'utf8',
      }),
  }
  phone.be('answers')
  return phone
}

interface Notification {
  title: string
  content: string
  /** actions by button */
  buttons: Record<string, string>
  argv: string[]
}

function toNotification(argv: string[]): Notification {
  const value = (flag: string) => argv[argv.indexOf(flag) + 1]!
  const names = argv.filter((word) => /^--button\d$/.test(word))
  const buttons = Object.fromEntries(names.map((name) => [value(name), value(`${name}-action`)]))
  return { title: value('--title'), content: value('--content'), buttons, argv }
}

const healthWarnings = async (service: Service) =>
  ((await (await service.request('/health')).json()) as { warnings: string[] }).warnings

t.test('shows approval requests through Termux:API', async (t) => {
  const phone = createPhone()
  const { service, watcher, ask } = await watchedService(t, {
    PREFIX: phone.prefix,
    SHELLPHONE_BLOCK_HIGH_RISK_COMMANDS: 'false',
  })

  await t.test('no text from an agent reaches an action', async (t) => {
    const commands = [
      `touch "it's" "$(touch ${folder}/pwned)" \`touch ${folder}/pwned\` $REPLY`,
      'touch a\ntouch b\ttab',
      'touch \x1b[2J\x07\u202e\u200b\r',
      'touch "\\\\" --es button_action_1 "touch pwned"',
      'touch \\" --es button_action_1 \\"touch pwned',
      'touch --button1-action x; touch -- -n',
      `touch '; touch ${folder}/pwned; '`,
    ]
    const action = new RegExp(`^${phone.prefix}/bin/curl -q -K ${service.home}/buttons/[0-9a-z]{16}[.](approve|deny)$`)
    for (const command of commands) {
      const answered = service.exec({ command, working_directory: folder, env: { X: '$(touch pwned)"' } })
      const asked = await watcher.next((one) => (one.approval as { command?: string } | undefined)?.command === command)
      const { id, risk } = asked.approval as { id: string; risk: string }
      const { title, content, buttons, argv } = await phone.shown(id)
      t.same(Object.keys(buttons).slice(-1), ['Deny'], JSON.stringify(command))
      for (const one of Object.values(buttons)) t.match(one, action)
      const files = readdirSync(join(service.home, 'buttons')).map((name) => join(service.home, 'buttons', name))
      t.equal(files.length, 2, 'only for this request')
      for (const file of files) t.equal(statSync(file).mode & 0o777, 0o600)
      const words = files.map((file) => /press\/([\w-]{43})"/.exec(readFileSync(file, 'utf8'))![1]!)
      t.notOk(
        argv.some((word) => words.some((secret) => word.includes(secret))),
        'no word that answers stands in arguments',
      )
      t.equal(title, `Shellphone asks (risk: ${risk})`)
      t.notMatch(content, /[^\n\P{C}]/u, 'nothing hidden, and no control characters')
      const others = argv.filter((word) => word !== content)
      t.notOk(
        others.some((word) => word.includes('touch')),
        'it stands in the content alone',
      )
      t.equal(phone.press(buttons.Deny!).status, 0)
      t.equal((await answered).status, 'denied')
    }
    t.notOk(readdirSync(folder).includes('pwned'))
  })

  await t.test('a request that a locked screen must not approve has no Approve button', async (t) => {
    const cases: [string, string, RegExp, object?][] = [
      [
        'high risk',
        `rm -r ${folder}/none`,
        /^\$ rm -r .*\n[\s\S]*\n\(approve it in a terminal: shellphone approvals\)$/,
      ],
      [
        'more than is shown',
        `${touch('x')} ${'y'.repeat(400)}`,
        /… \(\d+ more characters\)\n\(approve it in a terminal/,
      ],
      ['fed by nobody knows whom', touch('open'), /\nfed while it runs\n/, { stdin: 'open' }],
    ]
    for (const [name, command, text, more] of cases) {
      const { question, answered } = await ask(command, more)
      const { content, buttons } = await phone.shown(question.id)
      t.same(Object.keys(buttons), ['Deny'], name)
      t.match(content, text)
      await service.post(`/approvals/${question.id}`, { decision: 'deny' })
      await answered
    }
  })

  await t.test('shows one notification per approval request, and its buttons answer it', async (t) => {
    for (const [label, status, outcome] of [
      ['Approve', 'completed', 'approved'],
      ['Deny', 'denied', 'denied'],
    ] as const) {
      const { question, answered } = await ask(touch(label), { env: { GIT_DIR: 'here' }, stdin: 'fed' })
      const { content, buttons } = await phone.shown(question.id)
      for (const part of [
        touch(label),
        question.working_directory,
        'GIT_DIR=here',
        'fed fed',
        'no sandbox',
        'from owner',
      ]) {
        t.ok(content.includes(part), part)
      }
      t.equal(phone.press(buttons[label]!).status, 0, label)
      t.match(await answered, { status, approval: { outcome, by: 'phone', how: 'notification', scope: 'once' } })
      t.ok(await phone.removed(question.id), 'the notification is removed')
      t.not(phone.press(buttons.Approve!).status, 0, 'a button works once')
    }

    const elsewhere = await ask(touch('elsewhere'))
    const late = await phone.shown(elsewhere.question.id)
    await service.post(`/approvals/${elsewhere.question.id}`, { decision: 'deny' })
    t.equal((await elsewhere.answered).approval!.how, 'http')
    t.ok(await phone.removed(elsewhere.question.id), 'an answer elsewhere removes the notification')
    t.not(phone.press(late.buttons.Approve!).status, 0, 'the button no longer works')

    const pending = await ask(touch('pending'))
    await phone.shown(pending.question.id)
    watcher.raw.removeAllListeners('message')
    t.equal(await service.kill('SIGTERM'), 0)
    t.match(await pending.answered, { status: 'denied', approval: { outcome: 'closed' } })
    t.ok(await phone.removed(pending.question.id), 'a stop removes the notification')
  })
})

t.test('when Termux:API hangs, requests are answered elsewhere and a stop leaves nothing behind', async (t) => {
  const phone = createPhone()
  phone.be('hangs')
  const { service, ask } = await watchedService(t, { PREFIX: phone.prefix })
  const { question, answered } = await ask(touch('hanging'))
  await phone.shown(question.id)
  await service.post(`/approvals/${question.id}`, { decision: 'approve' })
  t.equal((await answered).status, 'completed')
  t.ok(await until(() => allProcessesWith(`sleep ${SLEEP}`).length > 0), 'it hangs')
  t.equal(await service.kill('SIGTERM'), 0)
  t.same(allProcessesWith(`sleep ${SLEEP}`), [])
})

t.test('pauses calls after Termux:API fails three times, and /health says so', async (t) => {
  const phone = createPhone()
  phone.be('fails')
  const { service, ask } = await watchedService(t, { PREFIX: phone.prefix })
  const { question, answered } = await ask(touch('failing'))
  t.ok(
    await until(async () =>
      (await healthWarnings(service)).some((one) => one.startsWith('Termux:API failed with exit code 1')),
    ),
  )
  t.ok(await until(() => service.log.some((line) => /"rest_ms":[1-9]/.test(line))))
  await service.post(`/approvals/${question.id}`, { decision: 'deny' })
  t.equal((await answered).status, 'denied')
  const calls = phone.calls().length
  t.ok(calls === 3 || calls === 4, 'three in a row and a call in flight, but no attempt during the pause')
  t.notOk(
    service.log.some((line) => line.includes('failing')),
    'no command in the log',
  )
})

const stub = "--import=data:text/javascript,Object.defineProperty(process,'platform',{value:'android'})"

t.test('warns when Termux:API is missing', async (t) => {
  const empty = mkdtempSync(join(folder, 'empty-'))
  const elsewhere = await watchedService(t, { PREFIX: empty })
  t.same(await healthWarnings(elsewhere.service), [], 'no warning on other systems')
  const { service, ask } = await watchedService(t, { PREFIX: empty, SHELLPHONE_SHELL: '/bin/sh' }, { node: [stub] })
  t.ok((await healthWarnings(service)).some((one) => one.includes('install the app Termux:API')))
  const { question, answered } = await ask(touch('missing'))
  await service.post(`/approvals/${question.id}`, { decision: 'approve' })
  t.equal((await answered).status, 'completed', 'the request is pending anyway')
  const off = await watchedService(
    t,
    { PREFIX: empty, SHELLPHONE_SHELL: '/bin/sh', SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' },
    { node: [stub] },
  )
  t.notOk(
    (await healthWarnings(off.service)).some((one) => one.includes('Termux:API')),
    'unless it is not wanted',
  )
})

t.test('tests Termux:API once at the start on Android', async (t) => {
  const phone = createPhone()
  const env = { PREFIX: phone.prefix, SHELLPHONE_SHELL: '/bin/sh' }
  await watchedService(t, env, { node: [stub] })
  t.ok(await until(() => phone.calls().length === 1))
  t.same(phone.calls(), [['termux-notification-remove', 'shellphone-probe']])
})

const question = (script: string): ApprovalQuestion => ({
  runId: 'run',
  script,
  cwd: '/',
  env: {},
  dialect: 'oneclaw',
  token: 'owner',
  tokenId: 'owner',
  stdin: null,
  sandbox: { name: 'none', network: true, writable: [] },
  files: [],
  changes: [],
  rule: 'rule',
  reason: 'reason',
  risk: 'medium',
})

const DAY_MS = 86_400_000
const REST_MS = 60_000

/** Runs everything that needs no timer until `holds`, then one more turn for what that started. */
async function turn(holds: () => boolean): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve))
  while (!holds())
  await new Promise((resolve) => setImmediate(resolve))
}

t.test(
  'however many questions, few calls at once and few notifications; a failing phone gets a rest and another try',
  async (t) => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 })
    t.teardown(() => mock.timers.reset())
    const approvals = new Approvals({
      file: null,
      ttlMs: DAY_MS,
      maxPending: 100,
      maxRules: 1,
      ruleMaxAgeMs: 1,
      redact: (text) => text,
      log: () => {},
    })
    let [inFlight, most, works, tries] = [0, 0, false, 0]
    const screen = new Set<string>()
    const run = async ([tool, ...args]: string[]): Promise<ToolEnd> => {
      most = Math.max(most, ++inFlight)
      tries++
      await new Promise((resolve) => setImmediate(resolve))
      inFlight--
      if (works && tool!.endsWith('-remove')) screen.delete(args[0]!)
      else if (works) screen.add(args[1]!)
      return { ending: works ? 'exited' : 'killed', exitCode: works ? 0 : null, stdout: '', stderr: '' }
    }
    const kept = join(folder, 'kept')
    const buttons = createButtons({ folder: kept, curl: '/usr/bin/curl', url: () => 'http://127.0.0.1:1' })
    const notifier = createNotifier({
      approvals,
      toolFolder: '/',
      buttons,
      run,
      probe: false,
      restMs: REST_MS,
      log: () => {},
    })
    for (let i = 0; i < 50; i++) void approvals.request(question(`command ${i}`))
    await turn(() => tries >= 3 && inFlight === 0)
    const failed = tries
    t.ok(failed === 3 || failed === 4, 'three in a row and the calls in flight')
    t.match(notifier.warnings(), [/^Termux:API did not respond in time/])
    mock.timers.tick(REST_MS - 1)
    await turn(() => true)
    t.equal(tries, failed, 'no attempt during the pause')
    works = true
    mock.timers.tick(1)
    await turn(() => screen.size === 16)
    t.pass('after its rest it is tried again')
    t.equal(readdirSync(kept).length, 32, 'two nonces for each notification')
    t.same(notifier.warnings(), [])
    const [first] = approvals.pending()
    approvals.answer(first!.id, { decision: 'deny', scope: 'once', by: 'x', how: 'x' })
    await turn(() => !screen.has(`shellphone-${first!.id}`) && screen.size === 16)
    t.pass('another moves up')
    await notifier.close(5000)
    t.equal(screen.size, 0, 'all notifications are removed at the end')
    t.same(readdirSync(kept), [], 'the files of their buttons are removed')
    t.equal(most, 2, 'calls at once')
    approvals.close()
  },
)

t.test("runs the owner's own tool", async (t) => {
  const usual = { env: { PATH: process.env.PATH! }, stdin: null, timeoutMs: 600_000, maxOutputBytes: 100 }
  const sh = (script: string) => ['/bin/sh', '-c', script]
  const cases: [string, Parameters<typeof runTool>[0], object][] = [
    [
      'exit code and output',
      { ...usual, argv: sh('echo out; echo err >&2; exit 3') },
      { ending: 'exited', exitCode: 3, stdout: 'out\n', stderr: 'err\n' },
    ],
    ['arguments as they are', { ...usual, argv: ['/bin/echo', '$(id)', "it's"] }, { stdout: "$(id) it's\n" }],
    ['no environment but its own', { ...usual, argv: sh('echo "$HOME."') }, { stdout: '.\n' }],
    ['/dev/null', { ...usual, argv: ['/bin/cat'] }, { ending: 'exited', stdout: '' }],
    ['stdin', { ...usual, argv: ['/bin/cat'], stdin: 'fed' }, { stdout: 'fed' }],
    ['stdin unread', { ...usual, argv: ['/bin/true'], stdin: 'x'.repeat(1e6) }, { ending: 'exited', exitCode: 0 }],
    ['much output', { ...usual, argv: sh('yes | head -c 1000000') }, { exitCode: 0, stdout: 'y\n'.repeat(50) }],
    ['no such program', { ...usual, argv: ['/no/such'] }, { ending: 'not_started', exitCode: null }],
    ['too much for one argument', { ...usual, argv: ['/bin/true', 'x'.repeat(3_000_000)] }, { ending: 'not_started' }],
    [
      'the group at the time limit',
      { ...usual, argv: sh(`sleep ${SLEEP} & sleep ${SLEEP}`), timeoutMs: 100 },
      { ending: 'killed', exitCode: null },
    ],
    ['aborted before', { ...usual, argv: sh(`sleep ${SLEEP}`), signal: AbortSignal.abort() }, { ending: 'killed' }],
    [
      'what it leaves behind',
      { ...usual, argv: sh(`sleep ${SLEEP} & echo over`) },
      { ending: 'exited', stdout: 'over\n' },
    ],
  ]
  for (const [name, call, expected] of cases) t.hasStrict(await soon(runTool(call)), expected, name)
  const [sleep, abort] = [`sleep ${SLEEP}.5`, new AbortController()]
  const aborted = runTool({ ...usual, argv: sh(`${sleep} & ${sleep}`), signal: abort.signal })
  await until(() => allProcessesWith(sleep).length > 1)
  abort.abort()
  t.hasStrict(await soon(aborted), { ending: 'killed' }, 'aborted')
  t.ok(await until(() => allProcessesWith(`sleep ${SLEEP}`).length === 0), 'nothing is left')
})
