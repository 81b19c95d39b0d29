import t from 'tap'
import { goTo, noBrowser, openBrowser, openPaired, settlesAt } from './browser.ts'
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

t.test('the graphs show longer spans, with gaps where nothing was measured', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/phone' })
  const sample = (minutesAgo: number) => ({
    at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
    ...{ running: minutesAgo, queued: 0, begun: 4, memory_bytes: 80_000_000, lag_ms: 1 },
  })
  const samples = [50, 49, 48, 20, 19, 0].map(sample)
  await page.route('**/load?minutes=60', (route) => route.fulfill({ json: { samples } }))
  const row = (name: string) => page.locator('.sparks li', { hasText: name })
  const valueIs = (name: string, value: string) =>
    until(async () => (await row(name).locator('strong').textContent()) === value)
  const slider = page.getByRole('slider', { name: 'Time of the values' })
  t.equal(await slider.getAttribute('min'), '-600000')
  await page.getByLabel('Time span').selectOption('1 h')
  await page.getByText('1 h ago').waitFor()
  t.equal(await slider.getAttribute('min'), '-3600000')
  t.equal(await row('Running').locator('polyline').count(), 3, 'two gaps')
  t.equal(await row('Started').locator('polyline').count(), 1, 'nothing started between the minutes')
  t.match(await row('Started').textContent(), /commands started within 1 min/)
  await page.getByText(/There is nothing before .*:00/).waitFor()
  await slider.fill('-1140000')
  t.ok(await valueIs('Running', '19'), 'the value of a minute')
  await slider.fill('-2100000')
  t.ok(await valueIs('Running', 'not measured'), 'a gap')
  t.ok(await valueIs('Started', '0 in 1 min'))
  await page.getByLabel('Time span').selectOption('24 h')
  await page.getByText('24 h ago').waitFor()
  t.equal(await slider.getAttribute('min'), '-86400000')
  t.ok(await valueIs('Running', '1'), 'the current value')
  t.same(pageErrors, [])
  await context.close()
})

t.test(
  'a single measurement is a dot that can be seen, and those of a terminal, once a minute, are connected',
  async (t) => {
    const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/policy' })
    const sample = (secondsAgo: number) => ({
      at: new Date(Date.now() - secondsAgo * 1000).toISOString(),
      ...{ running: 1, queued: 0, begun: 0, memory_bytes: 80_000_000, lag_ms: 1 },
    })
    const samples = [500, 240, 180, 120, 60, 1].map(sample)
    await page.route('**/load?minutes=10', (route) => route.fulfill({ json: { samples } }))
    await goTo(page, '#/phone')
    const row = page.locator('.sparks li', { hasText: 'Memory' })
    await row.locator('polyline').first().waitFor({ state: 'attached' })
    const strokes = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('.sparks li:nth-child(4) polyline')].map(
    (line) => getComputedStyle(line).strokeWidth)`)
    t.same(strokes, ['6px', '1.5px'], 'the first sample is a dot, and a line connects the others')
    t.match(await row.textContent(), /measured while commands run or this view is open, at least once a minute/)
    t.same(pageErrors, [])
    await context.close()
  },
)

t.test('the address is one at which the service can be reached', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/phone' })
  const tile = page.locator('.tile', { hasText: 'Address' })
  await tile.waitFor()
  await settlesAt(t, () => tile.locator('strong').textContent(), service.url, 'the address')
  t.match(await tile.textContent(), /Only this device can open it/)
  t.same(pageErrors, [])
  await context.close()
})
