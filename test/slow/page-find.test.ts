import t from 'tap'
import type { Page } from 'playwright-core'
import { noBrowser, openBrowser, openPaired, runIn, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const status = (page: Page) => page.getByRole('search').getByRole('status').textContent()
/** The highlighted match and its line. */
const current = (page: Page) =>
  page.evaluate<string | null>(`(() => {
    const [range] = CSS.highlights.get('found-now') ?? []
    if (!range) return null
    const before = new Range()
    before.selectNodeContents(range.startContainer.parentElement.closest('.block'))
    before.setEnd(range.startContainer, range.startOffset)
    const block = range.startContainer.parentElement.closest('.block').textContent
    const at = before.toString().length
    return range.toString() + ' in ' + block.slice(block.lastIndexOf('\\n', at - 1) + 1, block.indexOf('\\n', at))
  })()`)

t.test('finds text in the whole output of a run, also in lines that the page has not loaded', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 20000; echo 4242 here >&2')
  await until(async () => (await shown(page)).includes('20000'))
  t.notMatch(await shown(page), /^4242$/m, 'the line is not loaded')
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('4242')
  const isCounted = async () => (await status(page)) === '3 of 3'
  t.ok(await until(isCounted), 'counts 4242 and 14242 on stdout and 4242 on stderr')
  await until(async () => (await current(page)) === '4242 in 4242 here')
  const expected = ['4242 in 14242', '4242 in 4242', '4242 in 4242 here'] // backwards, and around
  for (const line of expected) {
    await page.keyboard.press('Enter')
    t.ok(await until(async () => (await current(page)) === line), `Enter goes to ${line}`)
  }
  await page.keyboard.press('Shift+Enter')
  t.ok(await until(async () => (await current(page)) === '4242 in 4242'), 'Shift+Enter goes to the next match')
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('no such text')
  await until(async () => (await status(page)) === 'not found')
  t.same(pageErrors, [])
  await context.close()
})

t.test('finds text among the loaded lines without asking the service', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 300')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('29')
  await until(async () => (await status(page)) === '13 of 13')
  t.equal(await current(page), '29 in 299')
  t.same(
    requests.filter((url) => url.includes('/matches')),
    [],
  )
  t.same(pageErrors, [])
  await context.close()
})
