/** The attacks of scripts/drills/drill-attack.ts by agents with few rights. Each of them once succeeded. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecRecord, PendingApproval } from '../../src/shared/schema/index.ts'
import { type Service, startService, until, becomes } from '../../test/support/helper.ts'
import { initialize, modernMessage, post as postMcp } from '../../test/support/mcp/raw.ts'
import type { Outcome } from './attacks.ts'
import { SHELL_TRICKS } from './shell-tricks.ts'

const SECRET = 'once upon a secret'

/** The working directory of commands. An agent with the preset strict must not reach the files beside this directory. */
const ground = mkdtempSync(join(tmpdir(), 'shellphone-agents-'))
process.once('exit', () => rmSync(ground, { recursive: true, force: true }))
const workspace = join(ground, 'work')
const beside = join(ground, 'beside.sh')
mkdirSync(workspace)

const settings = {
  SHELLPHONE_WORKING_DIRECTORY: workspace,
  SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '2',
  SHELLPHONE_MAX_FAILED_LOGINS_PER_MINUTE: '20',
}

/** Settings for code that only bash runs; the service denies approval requests at once. */
const bashSettings = {
  SHELLPHONE_WORKING_DIRECTORY: workspace,
  SHELLPHONE_SHELL: '/bin/bash',
  SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '0',
}

interface Agent {
  name: string
  headers: { authorization: string }
  request(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }>
}

let count = 0

async function makeAgent(service: Service, rights: object = {}, name = `agent${(count += 1)}`): Promise<Agent> {
  const made = await service.post('/tokens', { name, ...rights })
  const { token } = (await made.json()) as { token: string }
  const headers = { authorization: `Bearer ${token}` }
  const request: Agent['request'] = async (method, path, body) => {
    const more = body === undefined ? {} : { body: JSON.stringify(body) }
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await service.request(path, { method, headers: { ...headers, ...type }, ...more })
    return { status: reply.status, text: await reply.text() }
  }
  return { name, headers, request }
}

/** Tries the commands or requests. Returns those that succeeded. */
type Attack = (service: Service) => Promise<string[]>

/** An attack by an agent with these rights. */
const byAgent =
  (rights: object, attempt: (agent: Agent, service: Service) => Promise<string[]>): Attack =>
  async (service) => {
    rmSync(workspace, { recursive: true, force: true })
    mkdirSync(workspace)
    writeFileSync(beside, `${SECRET}\nrm -rf / # ${SECRET}\n`)
    const agent = await makeAgent(service, rights)
    const got = await attempt(agent, service)
    await service.request(`/tokens/${agent.name}`, { method: 'DELETE' })
    return got
  }

/** The names of the attempts that succeeded. */
async function succeeding<One>(
  all: readonly One[],
  gets: (one: One) => Promise<boolean>,
  name = (one: One) => `${one}`,
) {
  const got: string[] = []
  for (const one of all) if (await gets(one)) got.push(name(one))
  return got
}

const readsByCheck = byAgent({}, async ({ request }) => {
  const assumed = { policy: 'open', allowed_commands: ['sh'], custom_deny_patterns: ['once'] }
  const bodies = [
    { command: `sh ${beside}` },
    { command: `sh ${beside}`, policy: assumed },
    { command: `. ${beside}`, policy: { policy: 'strict' } },
    { command: 'true', policy: { policy: 'open' } },
  ]
  return succeeding(
    bodies,
    async (body) => {
      const { status, text } = await request('POST', '/policy/check', body)
      return text.includes(SECRET) || (status === 200 && 'policy' in body)
    },
    (body) => JSON.stringify(body),
  )
})

const SPLIT_STRINGS = ['-S', '-vS', '-iS', '-u X -S', '--split-string=', '--split-string ', '--s=', '-S ', '--debug -S']

const deletesBySplitString = byAgent({ policy: 'strict' }, async ({ request }, { home }) => {
  const victim = join(workspace, 'victim')
  const prefixes = ['', 'busybox ', 'toybox ', '/usr/bin/']
  const commands = prefixes.flatMap((prefix) =>
    SPLIT_STRINGS.flatMap((option) => [
      `${prefix}env ${option}'rm -rf' victim`,
      `${prefix}env ${option}'cat ${home}/token'`,
      `${prefix}env ${option}cat ${home}/token`,
    ]),
  )
  return succeeding(commands, async (command) => {
    mkdirSync(victim, { recursive: true })
    const { text } = await request('POST', '/exec', { command, timeout_seconds: 2 })
    const { stdout = '' } = JSON.parse(text) as Partial<ExecRecord>
    return !existsSync(victim) || stdout.trim().length > 20
  })
})

const leavesWorkspace = byAgent({ policy: 'strict' }, async ({ request }) => {
  const rows: [string, string, object][] = [
    ['cat beside.sh in the folder above', '/exec', { command: 'cat beside.sh', working_directory: ground }],
    ['cat in /', '/exec', { command: `cat ${beside}`, working_directory: '/' }],
    ['the same by picoclaw', '/exec/picoclaw', { command: `cat ${beside}`, working_dir: '/' }],
    ['the same by nullclaw', '/exec/nullclaw', { command: `cat ${beside}`, cwd: '/' }],
    ['artifact_paths', '/exec', { command: 'ls', artifact_paths: [beside] }],
  ]
  return succeeding(
    rows,
    async ([, path, body]) => {
      const { text } = await request('POST', path, body)
      return text.includes(SECRET) || text.includes(`"sha256":"`)
    },
    ([name]) => name,
  )
})

const OBEYING = [
  'sh',
  'bash -i',
  'newgrp',
  'sg root',
  'm4',
  'lftp',
  'cu x',
  'chpasswd',
  'stranger',
  'ed',
  'dc',
  'script',
  'python3 -i',
  'sftp h',
  'busybox sh',
  'timeout 5 sh',
]

const feedsCommands = byAgent({ policy: 'strict' }, async ({ request }) => {
  const mark = join(workspace, 'fed')
  const code = `touch ${mark}\n!touch ${mark}\nsyscmd(touch ${mark})\nimport os; os.system("touch ${mark}")\n`
  return succeeding(OBEYING, async (command) => {
    const { text } = await request('POST', '/exec', { command, stdin: 'open', background: true, timeout_seconds: 1 })
    const { id, status } = JSON.parse(text) as ExecRecord
    await request('POST', `/runs/${id}/stdin`, { data: code, end: true })
    await request('GET', `/runs/${id}?wait_seconds=2`)
    return existsSync(mark) || status === 'running'
  })
})

const approvesItself: Attack = async (service) => {
  const got: string[] = []
  const { code } = (await (await service.post('/pairing', {})).json()) as { code: string }
  await service.post('/pair', { code, name: 'paired' })
  const { tokens } = (await (await service.request('/tokens')).json()) as {
    tokens: { name: string; approves: string }[]
  }
  if (tokens.find(({ name }) => name === 'paired')?.approves !== 'none')
    got.push('a paired token answers approval requests')
  for (const approves of ['none', 'own']) {
    const agent = await makeAgent(service, { policy: 'supervised', approves })
    const waits = agent.request('POST', '/exec', { command: 'touch approved-by-itself' })
    const listed = async () =>
      ((await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }).approvals
    await until(async () => (await listed()).length > 0)
    const [question] = await listed()
    for (const decision of ['approve', 'deny']) {
      const { status } = await agent.request('POST', `/approvals/${question!.id}`, { decision, scope: 'always' })
      if (status < 400) got.push(`${approves}: it said ${decision}`)
    }
    await waits
    got.push(...(await elicits(service, agent, approves)))
    await service.request(`/tokens/${agent.name}`, { method: 'DELETE' })
  }
  await service.request('/tokens/paired', { method: 'DELETE' })
  if (existsSync(join(workspace, 'approved-by-itself'))) got.push('its command ran')
  return got
}

// over MCP: an answer with scope always, or one that is too fast for a person
async function elicits(service: Service, { headers: mine }: Agent, approves: string): Promise<string[]> {
  const call = async (more: object) => {
    const params = { name: 'exec', arguments: { command: 'touch approved-by-itself' }, ...more }
    const { message, headers } = modernMessage('tools/call', params, { elicitation: {} })
    return (await postMcp(service, message, { ...headers, ...mine })).body.result as Record<string, any> | undefined
  }
  const { requestState, inputRequests } = (await call({})) ?? {}
  if (inputRequests === undefined) return []
  if (approves === 'none') return ['none: its client gets approval requests']
  const got: string[] = []
  for (const answer of ['always', 'once']) {
    const inputResponses = { approve: { action: 'accept', content: { answer } } }
    const { structuredContent } = (await call({ requestState, inputResponses })) ?? {}
    if (structuredContent?.status === 'completed') got.push(`own: it answered ${answer} at once`)
  }
  return got
}

const readsThePhone = byAgent({}, ({ request }, { home }) =>
  succeeding(
    [
      ...'termux-contact-list|termux-sms-list|termux-sms-inbox|termux-call-log|termux-location|termux-clipboard-get'.split(
        '|',
      ),
      ...'termux-notification-list|termux-api ContactList|screencap -p|termux-sms-send -n 1 hi|termux-telephony-call 1'.split(
        '|',
      ),
      'termux-api SmsSend --esa recipients 1',
      'am broadcast -n com.termux.api/.TermuxApiReceiver --es api_method SmsSend',
      "sh rish -c 'pm uninstall com.termux'",
      "rish -c 'pm uninstall com.termux'",
      `termux-share -c 'text/plain --es file ${home}/token' x`,
      `termux-toast -c "red --es file ${home}/token" hi`,
      'content query --uri content://sms/inbox',
      'dumpsys notification',
    ],
    async (command) => {
      const { text } = await request('POST', '/policy/check', { command })
      return (JSON.parse(text) as { verdict: string }).verdict === 'allow'
    },
  ),
)

const holdsDigests = byAgent({}, async ({ request, headers }, service) => {
  const endless = join(workspace, 'endless')
  writeFileSync(endless, '')
  truncateSync(endless, 2 ** 40)
  const path = `/files?path=${encodeURIComponent(endless)}`
  const all = Array.from({ length: 60 }, () => service.request(path, { method: 'HEAD', headers }).catch(() => null))
  const live = async () =>
    (JSON.parse((await request('GET', '/runs?status=live&limit=100')).text) as { runs: { id: string }[] }).runs
  await until(async () => (await live()).length > 0)
  const { status } = await service.exec({ command: 'true' })
  const ended = await becomes(async () => {
    for (const { id } of await live()) await request('DELETE', `/runs/${id}`)
    return (await live()).length === 0
  })
  await Promise.all(all)
  return [
    ...(status === 'completed' ? [] : ['the owner has no slot']),
    ...(ended ? [] : ['the runs cannot be canceled']),
  ]
})

const locksOut: Attack = async (service) => {
  const agent = await makeAgent(service)
  for (let n = 0; n < 100; n++) {
    await service.request('/runs', { headers: { authorization: `Bearer ${'wrong'.repeat(8)}${n}` } })
  }
  const owner = await service.request('/runs')
  const { status } = await agent.request('GET', '/runs')
  await service.request(`/tokens/${agent.name}`, { method: 'DELETE' })
  return [
    ...(owner.status === 200 ? [] : ['the owner is locked out']),
    ...(status === 200 ? [] : ['a token is locked out']),
  ]
}

const takesEverything = byAgent({}, async ({ request, headers }, service) => {
  const other = await makeAgent(service)
  const got: string[] = []
  for (let n = 0; n < 64; n++) await postMcp(service, initialize, headers)
  if ((await postMcp(service, initialize, other.headers)).session === null) got.push('every MCP session')
  const held = Array.from({ length: 80 }, () =>
    request('POST', '/exec', { command: 'cat', stdin: 'open', timeout_seconds: 8 }),
  )
  await until(async () => (await request('GET', '/runs?status=running')).text.includes('"id"'))
  const started = await other.request('POST', '/exec', { command: 'true', timeout_seconds: 2 })
  if (started.status !== 200) got.push(`every slot: ${started.status}`)
  const ids = () =>
    request('GET', '/runs?status=live&limit=100').then(
      ({ text }) => (JSON.parse(text) as { runs: { id: string }[] }).runs,
    )
  await until(async () => {
    for (const { id } of await ids()) await request('DELETE', `/runs/${id}`)
    return (await ids()).length === 0
  })
  await Promise.all(held)
  await service.request(`/tokens/${other.name}`, { method: 'DELETE' })
  return got
})

const reusesName: Attack = async (service) => {
  const first = await makeAgent(service, {}, 'reborn')
  const { id } = JSON.parse((await first.request('POST', '/exec', { command: `echo ${SECRET}` })).text) as ExecRecord
  await service.request('/tokens/reborn', { method: 'DELETE' })
  const second = await makeAgent(service, {}, 'reborn')
  const got = await succeeding([`/runs/${id}`, `/runs/${id}/output`, '/runs'], async (path) =>
    (await second.request('GET', path)).text.includes(SECRET),
  )
  await service.request('/tokens/reborn', { method: 'DELETE' })
  return got
}

const widensItself = byAgent({ approves: 'all', policy: 'strict', files: 'read', expires_in_days: 1 }, ({ request }) =>
  succeeding(
    [
      { shell: true },
      { read: 'all' },
      { files: 'write' },
      { policy: 'open' },
      { policy: null },
      { expires_in_days: 9 },
    ],
    async (rights) => (await request('POST', '/tokens', { name: `wide${(count += 1)}`, ...rights })).status < 400,
    (rights) => JSON.stringify(rights),
  ),
)

const showsPasswords: Attack = async (service) => {
  const commands = [
    'mysql -pHUNTER2 x',
    'mysql --password=HUNTER2 x',
    'curl -u a:HUNTER2 http://127.0.0.1:1',
    'sshpass -p HUNTER2 true',
  ]
  for (const command of commands) await service.exec({ command, timeout_seconds: 2 })
  const { runs } = (await (await service.request('/runs?limit=20')).json()) as { runs: { command: string }[] }
  return runs.map(({ command }) => command).filter((command) => command.includes('HUNTER2'))
}

const swapsScripts: Attack = async (service) => {
  const agent = await makeAgent(service, { policy: 'supervised' })
  const got: string[] = []
  for (const outer of ['. ./inner.sh', 'sh inner.sh', '. "$(dirname "$0")/inner.sh"']) {
    writeFileSync(join(workspace, 'outer.sh'), `${outer}\n`)
    writeFileSync(join(workspace, 'inner.sh'), 'touch judged\n')
    const waits = agent.request('POST', '/exec', { command: 'sh outer.sh' })
    const listed = async () =>
      ((await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }).approvals
    await until(async () => (await listed()).length > 0)
    writeFileSync(join(workspace, 'inner.sh'), 'touch swapped\n')
    await service.post(`/approvals/${(await listed())[0]!.id}`, { decision: 'approve' })
    await waits
    if (existsSync(join(workspace, 'swapped'))) got.push(outer)
    rmSync(join(workspace, 'swapped'), { force: true })
  }
  await service.request(`/tokens/${agent.name}`, { method: 'DELETE' })
  return got
}

const escapesSandbox: Attack = async (service) => {
  const agent = await makeAgent(service)
  const file = join(ground, 'flagged')
  writeFileSync(file, '')
  // file_setattr(AT_FDCWD, path, attributes, 24, 0)
  const setattr = `import ctypes; l = ctypes.CDLL(None); a = (ctypes.c_uint64 * 3)(0x10); print(l.syscall(469, -100, b"${file}", a, 24, 0))`
  const commands: [string, (stdout: string) => boolean][] = [
    [`python3 -c '${setattr}'`, (stdout) => stdout.trim() === '0'],
    ['touch s; chmod 4755 s; stat -c %a s', (stdout) => stdout.trim() === '4755'],
    [`chmod 755 ${service.home}; stat -c %a ${service.home}`, (stdout) => stdout.trim() === '755'],
    [`echo x > ${file}; cat ${file}`, (stdout) => stdout.trim() === 'x'],
  ]
  const got: string[] = []
  for (const [command, gets] of commands) {
    const { text } = await agent.request('POST', '/exec', { command, sandbox: 'workspace-write', timeout_seconds: 5 })
    if (gets((JSON.parse(text) as Partial<ExecRecord>).stdout ?? '')) got.push(command)
  }
  await service.request(`/tokens/${agent.name}`, { method: 'DELETE' })
  return got
}

// `guarded` lets an agent run code; there the code copies a file of the service's own directory
const tricksShells = (policy: string) =>
  byAgent({ policy }, ({ request }, { home }) => {
    const mark = join(workspace, 'ran')
    const own = join(home, 'config.yaml')
    writeFileSync(own, `# ${SECRET}\n`)
    const toCommand = (trick: string) =>
      (policy === 'guarded' ? trick.replaceAll('touch MARK', `cp ${own} MARK`) : trick).replaceAll('MARK', mark)
    return succeeding(SHELL_TRICKS, async (trick) => {
      rmSync(mark, { force: true })
      await request('POST', '/exec', { command: toCommand(trick), timeout_seconds: 2 })
      return existsSync(mark) && (policy !== 'guarded' || readFileSync(mark, 'utf8').includes(SECRET))
    })
  })

/** Ways to read a file of the service's own directory; OWN is the file, ABOVE the directory that contains the service's, HOME the service's. */
const HOME_READS = [
  'cat OWN',
  'grep -rh . ABOVE --include=config.yaml',
  'rg -uu . ABOVE -g config.yaml',
  'find ABOVE -maxdepth 2 -name config.yaml -exec cat {} +',
  'cat $(find ABOVE -maxdepth 2 -name config.yaml)',
  'find ABOVE -maxdepth 2 -name config.yaml | xargs cat',
  'find ABOVE -maxdepth 2 -name config.yaml | while read -r f; do cat "$f"; done',
  'cd HOME; cat config.yaml',
  'cd HOME; cat /proc/self/cwd/config.yaml',
  'cat /proc/self/root/OWN',
  'cat ABOVE/*/config.yaml',
  'exec 3< OWN; cat <&3',
  'read -r x < OWN; echo "$x"',
  'tar -cf - -C HOME .',
  'cp -r HOME copy; cat copy/config.yaml',
  'ln OWN hard; cat hard',
  'ln -s HOME link; cat link/config.yaml',
  "sh -c 'cat OWN'",
  "env -S 'cat OWN'",
  'python3 -c \'print(open("OWN").read())\'',
  'echo "cat OWN" > q; sh q',
  'curl -s file://OWN',
  'git diff --no-index /dev/null OWN',
]
/** Expected to succeed: the guards do not see what a program does with a name that it puts together. Only a sandbox prevents that. */
const UNSEEN_READ = `printf 'import glob\nfor f in glob.glob("ABOVE/*/con" + "fig.yaml"): print(open(f).read())' > q.py; python3 q.py`

const readsHome = (policy: string) =>
  byAgent({ policy }, ({ request }, { home }) => {
    const own = join(home, 'config.yaml')
    const fill = (text: string) =>
      text.replaceAll('OWN', own).replaceAll('ABOVE', join(home, '..')).replaceAll('HOME', home)
    writeFileSync(own, `# ${SECRET}\n`)
    return succeeding(policy === 'guarded' ? [...HOME_READS, UNSEEN_READ] : HOME_READS, async (command) => {
      const { text } = await request('POST', '/exec', { command: fill(command), timeout_seconds: 5 })
      return (JSON.parse(text) as Partial<ExecRecord>).stdout?.includes(SECRET) === true
    })
  })

type AttackRow = [name: string, attack: Attack, expected?: readonly string[]]

const attacks: AttackRow[] = [
  ['1: POST /policy/check reads a file', readsByCheck],
  ['2: env -S deletes and reads', deletesBySplitString],
  ['3: a working directory outside the workspace', leavesWorkspace],
  ['4: programs that obey an open stdin', feedsCommands],
  ['5: the service’s own directory, guarded', readsHome('guarded'), [UNSEEN_READ]],
  ['5: the service’s own directory, supervised', readsHome('supervised')],
  ['6: an agent approves itself', approvesItself],
  ['7: private data of the phone', readsThePhone],
  ['8: endless digests', holdsDigests],
  ['9: wrong tokens lock others out', locksOut],
  ['11: one token takes everything', takesEverything],
  ['13: a new token with the name of a revoked one', reusesName],
  ['13: a person’s token creates one with more rights', widensItself],
  ['13: passwords in history', showsPasswords],
  ['13: a script that an approved script reads is swapped', swapsScripts],
  ['13: workspace-write', escapesSandbox],
]

const bashAttacks: AttackRow[] = [
  ['12: code that only bash finds, guarded', tricksShells('guarded')],
  ['12: code that only bash finds, supervised', tricksShells('supervised')],
  ['12: code that only bash finds, strict', tricksShells('strict')],
]

/** An attack that has not ended within this time counts as successful. */
const ATTACK_MS = 120_000

/** Runs the attacks whose name contains `wanted`, on a separate service. */
export async function* agentAttacks(checkout: string, wanted: string): AsyncGenerator<Outcome> {
  for (const [rows, env] of [
    [attacks, settings],
    [bashAttacks, bashSettings],
  ] as const) {
    const tried = rows.filter(([name]) => name.includes(wanted))
    if (tried.length === 0) continue
    const service = await startService({ checkout, env })
    for (const [name, attack, expected = []] of tried) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<string[]>((resolve) => {
        timer = setTimeout(resolve, ATTACK_MS, [`the attack did not end within ${ATTACK_MS / 1000} s`])
      })
      yield { name, got: await Promise.race([attack(service), late]), expected }
      clearTimeout(timer)
    }
    await service.stop()
  }
}
