import t from 'tap'
import type { Page, WebSocketRoute } from 'playwright-core'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { goTo, noBrowser, openBrowser, openPaired, settlesAt, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

type Message = string | Buffer

/** Holds back what the service sends about single runs, as a connection does that is slower than the output; the other messages pass. */
async function holdRuns(page: Page) {
  let isHolding = false
  const held: (() => void)[] = []
  await page.routeWebSocket(/\/ws/, (client: WebSocketRoute) => {
    let isOfRun = false
    const server = client.connectToServer()
    client.onMessage((message: Message) => {
      isOfRun ||= /"type":"(exec|attach)"/.test(String(message))
      server.send(message)
    })
    server.onMessage((message: Message) => {
      if (isHolding && isOfRun) held.push(() => client.send(message))
      else client.send(message)
    })
  })
  return {
    hold: () => void (isHolding = true),
    release(): void {
      isHolding = false
      for (const send of held.splice(0)) send()
    },
  }
}

t.test('shows the end of a run although its output still has to arrive', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const runs = await holdRuns(page)
  await page.reload()
  const command = 'echo first; read go; seq 1 100000; exit 3'
  const started = await service.post('/exec', { command, background: true, stdin: 'open' })
  const { id } = (await started.json()) as ExecRecord
  for (const view of ['runs', 'run']) {
    await goTo(page, `#/${view}/${id}`)
    await until(async () => (await shown(page)) === 'first\n')
  }
  runs.hold()
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await page.getByText('exit code 3').waitFor()
  t.equal(await page.locator('.run-card header .tag').textContent(), 'failed')
  t.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0, 'nothing is left to cancel')
  await page.getByText(/\d (kB|KiB) still have to arrive/).waitFor()
  t.equal(await shown(page), 'first\n')
  runs.release()
  t.ok(await until(async () => (await shown(page)).endsWith('\n100000\n')), 'the output arrives')
  await settlesAt(t, () => page.getByText('still have to arrive').count(), 0, 'nothing is missing')
  t.same(pageErrors, [])
  await context.close()
})
