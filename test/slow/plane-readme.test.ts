import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { goTo, isConnected, noBrowser, openBrowser, openVisit } from './browser.ts'
import { freePort, HANG_MS, root, until, wants } from '../support/helper.ts'
import { natsServer, noBroker } from '../support/nats.ts'

wants(t, noBroker)

/** The lines of the README's code blocks. */
const blocks = [...readFileSync(join(root, 'src/fleet/plane/README.md'), 'utf8').matchAll(/```sh\n(.*?)```/gs)].map(
  ([, text]) => text!,
)
/** The lines before the phones join, those with which they join, with them, and those of the phone that loses its records. */
const [prepare, joinBoth, manage, firstCalls, longJob, loseRecords, untilUnknown] = blocks
/** A line that sets what a reader may change; the test has values of its own. */
const CHOICES = /^(FLEET=.*|PIXEL_PORT=.*|NEXUS_HOME=.*)\n/

t.test('every variable is set before it is used', async (t) => {
  const set = new Set(['HOME', 'PATH', '1'])
  for (const line of blocks.join('').split('\n')) {
    for (const [, name] of line.matchAll(/\$(\w+)/g)) t.ok(set.has(name!), `${name}: ${line}`)
    for (const [, name] of line.matchAll(/(?:^| )([A-Z_]+)(?==)/g)) set.add(name!)
  }
})

t.test('sets up a plane and two phones with the commands of the README', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-ten-minutes-'))
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(natsServer(), join(bin, 'nats-server'))
  writeFileSync(join(bin, 'shellphone'), `#!/bin/sh\nexec ${process.execPath} ${root}/dist/main.js "$@"\n`, {
    mode: 0o755,
  })
  const [broker, plane] = [await freePort(), await freePort()]
  const env = {
    ...{
      ...process.env,
      PATH: `${bin}:${process.env.PATH}`,
      FLEET: join(folder, 'fleet'),
      URL: `http://127.0.0.1:${plane}`,
    },
    ...{ BROKER_PORT: String(broker), PLANE_PORT: String(plane), SHELLPHONE_HOME: join(folder, 'laptop') },
    ...{ SHELLPHONE_PLANE_DIRECTORY: join(folder, 'fleet/plane'), SHELLPHONE_PLANE_PORT: String(plane) },
  }
  const sh = (script: string, more: Record<string, string> = {}) =>
    promisify(execFile)('sh', ['-ec', script], { env: { ...env, ...more }, timeout: 10 * HANG_MS })
  // its background processes form a process group, which is killed at the end of the test
  const server: ChildProcess = spawn('sh', ['-ec', `${prepare!.replace(CHOICES, '')}; wait`], {
    ...{ env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  })
  const locks = ['pixel', 'nexus'].map((name) => join(folder, name, 'lock'))
  t.teardown(async () => {
    for (const lock of locks.filter((path) => existsSync(path))) {
      process.kill(Number(readFileSync(lock, 'utf8').split(' ')[0]), 'SIGTERM')
    }
    await until(() => !locks.some((lock) => existsSync(lock)))
    process.kill(-server.pid!, 'SIGTERM')
    await until(() => server.exitCode !== null || server.signalCode !== null)
    rmSync(folder, { recursive: true, force: true })
  })
  let said = ''
  for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (chunk) => (said += chunk))
  t.ok(await until(() => said.match(/fleet join '/g)?.length === 2), said)
  t.match(said, `' SHELLPHONE_PLANE_PORT=${plane}\n`, 'init names the port')
  t.match(said, /[▀▄█]{20}/, 'as a QR code too')
  const links = [...said.matchAll(/shellphone fleet join ('[^']+')/g)].map(([, link]) => link!)
  const withLinks = links.reduce((lines, link) => lines.replace("'LINK'", link), joinBoth!.replace(CHOICES, ''))
  const joined = await sh(withLinks, { HOME: folder, PIXEL_PORT: '0', NEXUS_PORT: '0' })
  t.equal(joined.stdout.match(/joined the fleet/g)?.length, 2, joined.stdout)
  for (const link of links) {
    await t.rejects(
      sh(`shellphone fleet join ${link}`, { SHELLPHONE_HOME: join(folder, 'nobody') }),
      /The invitation is invalid/,
    )
  }
  t.match(await (await fetch(`http://127.0.0.1:${plane}/`)).text(), /<title>Shellphone/, 'the page is served')
  t.ok(await until(async () => ((await sh('shellphone fleet phones')).stdout.match(/ online /g) ?? []).length === 2))
  const used = await sh(manage!)
  t.match(used.stdout, /pixel +ended 0/)
  t.match(used.stdout, /shellphone fleet job \S+/)
  t.match(used.stdout, /^\w{32} .* 2 +\d +apt list/m)
  t.match(used.stdout, /shellphone remote add fleet 'http/)
  t.match(used.stdout, /no pending approvals/)
  t.match(used.stdout, /nats-server \d/)
  t.match(used.stdout, /pixel: revoked, \d+ ms/)
  t.comment(/pixel: revoked.*/.exec(used.stdout)![0])
  const add = /shellphone remote add fleet '[^']+'/.exec(used.stdout)![0]
  await sh(add, { XDG_CONFIG_HOME: folder })
  await t.rejects(
    sh('shellphone history --on fleet/nexus', { XDG_CONFIG_HOME: folder }),
    /This token can see no phone with the name nexus/,
  )
  await sh(
    'shellphone fleet token helper --role person --json | sed \'s/.*"token":"\\([^"]*\\)".*/\\1/\' > "$FLEET/token"',
  )
  await sh(`shellphone remote add all "$URL/#token=$(cat $FLEET/token)"; shellphone history --on all/nexus`, {
    XDG_CONFIG_HOME: folder,
  })

  const called = await sh(firstCalls!)
  t.match(called.stdout, /"stdout":"first\\n"/, "an agent's first call")
  t.match(called.stdout, /nexus.*cat todo \| sh/s, 'its second command waits')
  const person = await sh('shellphone fleet token ann --role person --json')
  const link = `${env.URL}/#token=${JSON.parse(person.stdout).token}`
  if (noBrowser === null) {
    await approveOnPage(t, link)
  } else {
    const [asked] = JSON.parse((await sh('shellphone fleet approvals --json')).stdout).approvals
    await sh(`shellphone fleet approvals approve nexus ${asked.id}`)
  }
  const answered = async () => /no pending approvals/.test((await sh('shellphone fleet approvals')).stdout)
  t.ok(await until(answered), 'answered on the page of the plane')

  const { stdout: started } = await sh(`${longJob}echo "job $JOB"`)
  const [, JOB] = /^job (.*)$/m.exec(started)!
  await sh(loseRecords!.replace(CHOICES, ''), { NEXUS_HOME: join(folder, 'nexus'), NEXUS_PORT: '0' })
  t.match((await sh(untilUnknown!, { JOB: JOB! })).stdout, /nexus +unknown/, 'wiped: the result stays unknown')
  const history = await sh('shellphone history --on all/nexus', { XDG_CONFIG_HOME: folder })
  t.notMatch(history.stdout, /sleep 300/, 'the command is never sent again')
})

/** Approves the request on the page, like a person. */
async function approveOnPage(t: Test, link: string) {
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { page, pageErrors } = await openVisit(browser, { expected: [/status of 40[34]/] })
  await page.goto(link)
  await isConnected(page)
  await goTo(page, '#/approvals')
  const card = page.locator('.approval-card', { hasText: 'cat todo | sh' })
  await card.getByRole('button', { name: 'Approve once' }).click()
  await page.getByText('Approved', { exact: true }).waitFor()
  t.same(pageErrors, [])
}
