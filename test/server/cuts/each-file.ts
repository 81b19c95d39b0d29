import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import type { Test } from 'tap'
import { SettingError } from '../../../src/shared/schema/index.ts'
import { cutsOf } from '../../support/cut-bytes.ts'
import { openSocket, type Service, soon, startService, until } from '../../support/helper.ts'
import { CONFIG, homeFiles, SECRETS, tokensText } from './home-files.ts'

/** Each start replaces these and reads no earlier content; or they consist of lines with checksums, which test/server/store/damage cuts. */
const notRead = ['buttons', 'history', 'pipes', 'runs', 'tmp']

/** Shorter files are always cut at every tenth byte. */
const SHORT = 200

/** The text, cut at different lengths, starting with 0; a text that lacks only its last line break counts as complete. */
const cutTexts = (whole: string, every: number, turn: number) =>
  [0, ...cutsOf(whole.trimEnd().length, whole.length < SHORT ? 1 : every, turn)].map((length) => whole.slice(0, length))

/** A folder for one test, removed after it. */
function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-cut-files-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Cuts every file of the home at every tenth byte (`every` 3: at every third of those), before a start and while a service runs. */
export async function eachFileCut(t: Test, every: number): Promise<void> {
  await t.test('handles a file that was cut before the start', (t) => atStart(t, every))
  // each cut waits until the service notices the change
  await t.test('handles a file that is cut while the service runs', (t) => whileItRuns(t, every === 1 ? 1 : every * 3))
}

/** The service refuses to start, with one line that names the file, or it starts, grants nobody more than before, and reports the damage. */
async function atStart(t: Test, every: number): Promise<void> {
  const [cuts, refused] = [new Map<string, number>(), new Map<string, number>()]
  const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const [turn, [name, file]] of Object.entries(homeFiles).entries()) {
    const openIn = async (text: string) => {
      const home = mkdtempSync(join(tmpdir(), 'shellphone-cut-files-'))
      try {
        writeFileSync(join(home, name), text)
        return await file.open(home)
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    }
    const whole = await openIn(file.whole)
    const faults: string[] = []
    for (const cut of cutTexts(file.whole, every, turn)) {
      count(cuts, name)
      try {
        const { holds, said } = await openIn(cut)
        if (!file.isNoLess(holds, whole.holds, cut)) faults.push(`${cut.length} bytes give ${JSON.stringify(holds)}`)
        const isSaid = file.mayBeSilent?.(cut) || said.some((line) => line.includes(name))
        if (!isSaid) faults.push(`${cut.length} bytes: nothing is said, but ${JSON.stringify(said)}`)
      } catch (error) {
        count(refused, name)
        const { message } = error as Error
        const isClear = error instanceof SettingError && message.includes(file.setting ?? name) && !/\n/.test(message)
        if (!isClear) faults.push(`${cut.length} bytes: ${message}`)
      }
    }
    t.same(faults, [], `${name}: ${cuts.get(name)} cuts, ${refused.get(name) ?? 0} refused`)
  }
}

/** The files of the home that a running service reads again when they change, and those that it reads on SIGHUP. */
const watched = {
  'config.yaml': CONFIG,
  'tokens.json': tokensText(SECRETS),
  'fleet.json': homeFiles['fleet.json']!.whole,
}
const owns = ['own.pem', 'own-key.pem', 'own-ca.pem'] as const

/** The contents that it read before stay in force, and its log and /health report why. */
async function whileItRuns(t: Test, every: number): Promise<void> {
  const home = folderOf(t)
  const elsewhere = folderOf(t)
  for (const [name, text] of Object.entries(watched)) writeFileSync(join(home, name), text)
  for (const name of owns) writeFileSync(join(elsewhere, name), homeFiles[name]!.whole)
  const service = await startService({
    home,
    flags: owns.flatMap((name) => [`--${homeFiles[name]!.setting!.replaceAll('_', '-')}`, join(elsewhere, name)]),
  })
  t.teardown(() => service.stop())
  const sockets = await Promise.all(SECRETS.map((token) => openSocket(service.url, token)))
  const isWarned = (name: string, from = 0) => service.log.slice(from).some((line) => isWarningOf(line, name))
  await until(() => isWarned('cannot connect to the fleet'))
  const before = await stateOf(service)
  t.match(before, { status: 'ok', fleet: 'phone', tokens: ['agent-0', 'agent-1'] })

  const rows = [
    ...Object.entries(watched).map(([name, text]) => ({
      name,
      path: join(home, name),
      text,
      said: name,
    })),
    ...owns.map((name) => {
      const { whole, setting } = homeFiles[name]!
      return { name, path: join(elsewhere, name), text: whole, said: setting! }
    }),
  ]
  for (const [turn, { name, path, text, said }] of rows.entries()) {
    const isWatched = name in watched
    // an editor that deletes lines leaves such a text, so the service accepts it
    const isEdit = (cut: string) => name === 'config.yaml' && cut.endsWith('\n')
    const damaged = ` ${text.slice(0, 40)}\n` // not a prefix of the previous text
    const cuts = [...cutTexts(text, every, turn).filter((cut) => !isEdit(cut)), damaged]
    for (const cut of cuts) {
      const from = service.log.length
      writeFileSync(path, cut)
      if (!isWatched) service.process.kill('SIGHUP')
      t.ok(
        await until(() => isWarned(said, from)),
        `${name}: ${cut.length} of ${text.length} bytes, which the log reports`,
      )
      const others = service.log.slice(from).filter((line) => isWarningOf(line, '') && !isWarningOf(line, said))
      t.same([others, await stateOf(service)], [[], before], 'and nothing changes')
      if (isWatched)
        t.ok(
          (await warningsOf(service)).some((line) => line.includes(said)),
          'as /health does',
        )
    }
    writeFileSync(path, text)
    if (isWatched) t.ok(await until(async () => !(await warningsOf(service)).some((line) => line.includes(said))))
    t.comment(`${name}: ${cuts.length} cuts`)
  }
  for (const socket of sockets) {
    socket.send({ type: 'ping', ref: 'last' })
    t.ok(await soon(socket.next((message) => message.type === 'pong')), 'its connection is open')
    await socket.close()
  }
  const unknown = readdirSync(home).filter((name) => !(name in homeFiles) && !notRead.includes(name))
  t.same(unknown, [], 'no file of its home has no row in home-files.ts')
}

const isWarningOf = (line: string, text: string) => JSON.parse(line).level >= 40 && line.includes(text)

const jsonOf = async ({ request }: Service, path: string) => (await request(path)).json() as Promise<any>
const warningsOf = async (service: Service): Promise<string[]> => (await jsonOf(service, '/health')).warnings

/** The contents of the files, as the service reports them. */
async function stateOf(service: Service) {
  const { status, fleet } = await jsonOf(service, '/health')
  const { settings } = await jsonOf(service, '/settings')
  const { tokens } = await jsonOf(service, '/tokens')
  const names = (tokens as { name: string }[]).map(({ name }) => name)
  return {
    status,
    fleet: fleet?.name,
    settings,
    tokens: names,
    certificate: await shownBy(service),
  }
}

/** The certificate that the service presents in a handshake. */
function shownBy({ port }: Service): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!.fingerprint256)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
