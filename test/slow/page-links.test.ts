import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { goTo, isInView, noBrowser, openBrowser, openPaired, settlesAt, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

/** Asserts that an address shows the line with this text, and highlights it and no other. */
async function linksTo(t: Test, page: Page, address: string, text: string): Promise<void> {
  await goTo(page, '#/phone')
  await goTo(page, address)
  const linked = () => page.locator('.blocks .linked').allTextContents()
  const isLinked = async () => (await isInView(page, text)) && (await linked()).join() === `${text}\n`
  t.ok(await until(isLinked), `${address} shows ${text}`)
}

/** The address of the third numbered line. */
const thirdLink = (page: Page) => page.locator('.number').nth(2).getAttribute('href')

t.test('a link to a line shows it, also if the page does not load it at first', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = await service.exec({ command: 'seq -f line-%.0f-end 20000' })
  for (const line of [12345, 100, 19000, 1]) await linksTo(t, page, `#/runs/${id}?line=${line}`, `line-${line}-end`)
  await settlesAt(
    t,
    () => thirdLink(page),
    `#/runs/${id}?line=3`,
    'once all output has arrived, the part around line 1 is shown',
  )
  await goTo(page, `#/runs/${id}?line=99999`)
  await page.getByText('The output has no line 99,999').waitFor()
  const long = await service.exec({ command: 'seq -f line-%.0f-end 500000' }) // the page loads the last 4 MB
  for (const line of [200_000, 499_000]) await linksTo(t, page, `#/runs/${long.id}?line=${line}`, `line-${line}-end`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('a link to a line of a run with both streams shows it', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = await service.exec({ command: 'seq -f out-%.0f-end 20000; sleep 0.5; seq -f err-%.0f-end 9 >&2' })
  await linksTo(t, page, `#/runs/${id}?line=2000`, 'out-2000-end')
  await linksTo(t, page, `#/runs/${id}?line=20003`, 'err-3-end')
  await page.getByRole('button', { name: 'Go to the beginning' }).click()
  await until(async () => (await shown(page)).startsWith('out-1-end\n'))
  await settlesAt(t, () => thirdLink(page), `#/runs/${id}?line=3`, 'the third line of both streams')
  await linksTo(t, page, `#/runs/${id}?line=3&stream=stdout`, 'out-3-end')
  await linksTo(t, page, `#/runs/${id}?line=3&stream=stderr`, 'err-3-end')
  t.equal(await page.getByLabel('Streams').inputValue(), 'stderr', 'that stream alone')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a linked line stays in view while a live run writes more than the page keeps', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const command = 'seq -f line-%.0f-end 3000; read go; seq -f line-%.0f-end 3001 15000; read go'
  const started = await service.post('/exec', { command, background: true, stdin: 'open' })
  const { id } = (await started.json()) as ExecRecord
  await linksTo(t, page, `#/runs/${id}?line=1234`, 'line-1234-end')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await page.locator('.tools', { hasText: '15,000 lines' }).waitFor()
  const isLinked = async () =>
    (await isInView(page, 'line-1234-end')) && (await page.locator('.linked').textContent()) === 'line-1234-end\n'
  t.ok(await until(isLinked))
  await service.post(`/runs/${id}/stdin`, { data: '\n', end: true })
  t.same(pageErrors, [])
  await context.close()
})
