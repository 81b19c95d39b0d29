import t from 'tap'
import { noBrowser, openBrowser, openPaired, settlesAt } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

t.test('the graphs show nothing from before the start, and the values of a chosen time', async (t) => {
  await service.post('/exec', { command: 'sleep 300', background: true })
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/phone' })
  const row = (name: string) => page.locator('.sparks li', { hasText: name })
  await row('Memory').locator('polyline').first().waitFor()
  await page.getByText(/The service started at .*; there is nothing before/).waitFor()
  const leftmost = await page.evaluate<number>(`Math.min(...[...document.querySelectorAll('.spark polyline')].flatMap(
    (line) => [...line.points].map(({ x }) => x)))`)
  t.ok(leftmost > 60, `the lines begin at ${leftmost} of 120`)
  t.ok(await until(async () => (await row('Running').locator('strong').textContent()) === '1'), 'the current value')
  t.match(await row('Waiting').locator('.axis').textContent(), /^0$/, 'one label if nothing happened')
  const offsets = await page.evaluate<
    number[]
  >(`[...document.querySelectorAll('.sparks li:has(.spark)')].flatMap((row) => {
    const chart = row.querySelector('.spark').getBoundingClientRect()
    const labels = [...row.querySelectorAll('.axis span')].map((one) => one.textContent && one.getBoundingClientRect())
    const middles = labels.map((label) => label && label.top + label.height / 2)
    return [middles[0] && middles[0] - chart.top, middles[1] - chart.bottom].map(Math.abs)
  })`)
  t.ok(Math.max(...offsets) <= 2, `the labels are level with their lines: ${offsets}`)
  await page.getByRole('slider', { name: 'Time of the values' }).fill('-600000')
  t.ok(await until(async () => (await row('Running').locator('strong').textContent()) === 'not measured'))
  await page.locator('.sparks .mark').first().waitFor({ state: 'attached' })
  t.match(await row('Delay').textContent(), /how late the service reacts/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('the address is one at which the service can be reached', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/phone' })
  const tile = page.locator('.tile', { hasText: 'Address' })
  await tile.waitFor()
  await settlesAt(t, () => tile.locator('strong').textContent(), service.url, 'the address')
  t.match(await tile.textContent(), /Only this device can open it/)
  t.same(pageErrors, [])
  await context.close()
})
