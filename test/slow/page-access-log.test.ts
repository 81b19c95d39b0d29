import t from 'tap'
import type { Page } from 'playwright-core'
import { goTo, noBrowser, openBrowser, openPaired, settlesAt, shotFolder, sizes } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'supervised' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

/** As long as a name of a token can be. */
const longName = 'r'.repeat(63)

/** The texts of the cells of each row, without the time. */
const rowsOf = (page: Page) =>
  page.evaluate<string[][]>(
    `[...document.querySelectorAll('.table tbody tr')].map((row) => [...row.cells].slice(1).map((cell) => cell.textContent))`,
  )

t.test('shows who paired, who lost access and who answered, from where', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  t.equal((await service.request('/runs', { token: 'x'.repeat(43) })).status, 401)
  t.equal((await service.request('/runs', { token: 'y'.repeat(43) })).status, 401)
  const { tokens } = (await (await service.request('/tokens')).json()) as { tokens: { name: string }[] }
  const browserName = tokens[0]!.name
  const started = await service.post('/exec', { command: 'touch from-an-agent', background: true })
  const { id } = (await started.json()) as { id: string }
  await goTo(page, '#/approvals')
  await page.getByRole('button', { name: 'Deny' }).click()
  await page.getByText('Denied', { exact: true }).waitFor()
  await service.post('/tokens', { name: longName })
  await service.request('/tokens/' + longName, { method: 'DELETE' })
  await goTo(page, '#/access')
  await page
    .getByRole('link', { name: 'Who paired, who failed to sign in, who lost access, and who approved what' })
    .click()
  await page.locator('.table tbody tr').first().waitFor()
  const full = 'approves everything, like you, reads all runs, can open terminals'
  const rows = [
    ['token revoked', longName, '', 'owner', '127.0.0.1', ''],
    ['token created', longName, 'approves nothing, reads its own runs', 'owner', '127.0.0.1', ''],
    ['denied', 'owner', '', `${browserName} (http)`, '127.0.0.1', 'touch from-an-agent'],
    ['wrong token, 2 times', '', '', '', '127.0.0.1', ''],
    ['paired', browserName, full, '', '127.0.0.1', ''],
    ['pairing code created', '', full, 'owner', '127.0.0.1', ''],
  ]
  await settlesAt(t, () => rowsOf(page), rows, 'every event, and what the run did')
  const times = await page.evaluate<[text: string, title: string, lines: number][]>(
    `[...document.querySelectorAll('.table time')].map((time) => [time.textContent, time.title, time.getClientRects().length])`,
  )
  for (const [text, title, lines] of times) {
    t.match(text, /^\d+:\d+\s[AP]M$/, 'a time of today has no date')
    t.match(title, /\d{4}, \d+:\d+:\d+\s[AP]M$/, 'its tooltip has all of it')
    t.equal(lines, 1, 'it fits on one line')
  }
  await page.getByRole('button', { name: 'What', exact: true }).click()
  await settlesAt(t, async () => (await rowsOf(page))[0]![0], 'denied', 'sorts by a column')
  await page.screenshot({ path: `${shotFolder()}/access-log-events-laptop.png` })
  const cutOff = (selector: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent)`,
    )
  t.same(await cutOff('.table td'), [], 'shows every cell whole')
  await page.getByLabel('Show').selectOption('Failed sign-ins')
  t.ok(await until(async () => (await rowsOf(page)).join() === 'wrong token, 2 times,,,,127.0.0.1,'))
  await page.getByLabel('Show').selectOption('Answers to approval requests')
  t.ok(await until(async () => (await rowsOf(page)).length === 1), 'shows only the answers')
  await page.setViewportSize(sizes.phone)
  await page.locator('.lines li', { hasText: `by ${browserName} (http) · from 127.0.0.1` }).waitFor()
  t.same(await cutOff('.lines :is(li, li *)'), [], 'shows every event whole on a phone')
  await page.getByRole('link', { name: 'touch from-an-agent' }).click()
  await page.waitForURL(new RegExp(`/runs/${id}`))
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows a new event without a reload, and finds events by their text', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/access-log' })
  await page.locator('.table tbody tr').first().waitFor()
  await service.post('/tokens', { name: 'made-elsewhere' })
  await page.locator('.table tbody tr', { hasText: 'made-elsewhere' }).waitFor()
  await page.getByLabel('Search events').fill('Made-Else')
  const names = async () => (await rowsOf(page)).map(([, name]) => name)
  await settlesAt(t, names, ['made-elsewhere'], 'only the event with this text')
  await page.screenshot({ path: `${shotFolder()}/access-log-search-laptop.png` })
  await page.getByLabel('Search events').fill('nothing like this')
  await page.getByText('No event matches.').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows the command of a run that is older than the listed ones', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { expected: [/404/] })
  const { id } = await service.exec({ command: 'touch long-ago', background: true })
  await goTo(page, '#/approvals')
  await page.getByRole('button', { name: 'Deny' }).click()
  t.ok(await until(async () => (await (await service.request('/access-log')).text()).includes(id)))
  await page.route(/\/runs\?limit=1000$/, (route) => route.fulfill({ json: { runs: [] } }))
  await goTo(page, '#/access-log')
  await page.getByRole('link', { name: 'touch long-ago' }).click()
  await page.waitForURL(new RegExp(`/runs/${id}`))
  await page.route(/\/runs\/\w{26}$/, (route) =>
    route.fulfill({ status: 404, json: { type: 'not_found', detail: '' } }),
  )
  await goTo(page, '#/access-log')
  await page.getByRole('link', { name: `Run ${id.slice(-6)}` }).click()
  await page.waitForURL(new RegExp(`/runs/${id}`))
  t.same(pageErrors, [])
  await context.close()
})
