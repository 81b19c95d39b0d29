import { createHash } from 'node:crypto'
import t from 'tap'
import { isConnected, lostErrors, noBrowser, openBrowser, openPaired, runIn, shown } from './browser.ts'
import { cuttingProxy } from '../support/cutting-proxy.ts'
import { freePort, type Service, startService, until, wants } from '../support/helper.ts'
import { suspendedProcesses, suspendDuringRun } from './page-suspend.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

t.test('shows every byte once after ten dropped connections', async (t) => {
  let limit = Number.POSITIVE_INFINITY
  const proxy = await cuttingProxy(service.port, () => limit, 10)
  t.teardown(proxy.close)
  const visit = await openPaired(browser, { ...service, url: `http://127.0.0.1:${proxy.port}` } as Service, {
    expected: lostErrors,
  })
  const { page } = visit
  limit = 150_000 // larger than a run record
  const id = await runIn(visit.page, `i=0; while [ $i -lt 4900 ]; do i=$((i + 1)); printf '%0400d\\n' $i; done`)
  const record = (await (await service.request(`/runs/${id}`)).json()) as { stdout_sha256: string }
  const isSame = async () => sha256(await shown(page)) === record.stdout_sha256
  t.ok(await until(isSame), "the page shows the record's bytes")
  t.ok(proxy.cuts() >= 10, `${proxy.cuts()} cuts`)
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('reconnects after the service was killed and restarted, without lost or repeated lines', async (t) => {
  const flags = ['--port', String(await freePort())]
  const first = await startService({ flags, env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => first.stop())
  const visit = await openPaired(browser, first, {
    expected: lostErrors,
  })
  const { page } = visit
  await page.getByLabel('Command', { exact: true }).fill('for i in $(seq 1 600); do echo line $i; sleep 0.05; done')
  await page.keyboard.press('Enter')
  await page.getByText('line 20', { exact: false }).first().waitFor()
  await first.kill('SIGKILL')
  await page
    .getByText(/no connection/)
    .first()
    .waitFor()
  const second = await startService({ home: first.home, flags, env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => second.stop())
  await isConnected(page)
  await page.locator('.run-end').waitFor()
  const id = /\w{26}$/.exec(page.url())![0]
  const stored = await (await second.request(`/runs/${id}/output`)).text()
  t.ok(await until(async () => (await shown(page)).startsWith(stored)), 'shows everything that is stored')
  const lines = (await shown(page)).trimEnd().split('\n')
  t.same(
    lines,
    lines.map((_line, index) => `line ${index + 1}`),
    'shows each line once',
  ) // the killed service may have sent more than it stored
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

/** The drill suspends for a minute. */
const SUSPENDED_MS = 6_000

t.test('shows every byte once, and a new approval, after being suspended during a run', async (t) => {
  const careful = await startService({ env: { SHELLPHONE_POLICY: 'supervised' } })
  t.teardown(() => careful.stop())
  for (const [name, kind] of Object.entries(suspendedProcesses)) {
    const suspended = await openBrowser()
    t.teardown(() => suspended.close())
    t.same(await suspendDuringRun(suspended, careful, kind, SUSPENDED_MS), [], name)
    await suspended.close()
  }
})
