import t from 'tap'
import type { Page } from 'playwright-core'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { noBrowser, openBrowser, openPaired, runIn, settlesAt, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const status = (page: Page) => page.getByRole('search').getByRole('status').textContent()
/** The highlighted match and its line; null: none, or the page is about to replace its lines. */
const current = (page: Page) =>
  page.evaluate<string | null>(`(() => {
    const [range] = CSS.highlights.get('found-now') ?? []
    const element = range?.startContainer.parentElement?.closest('.block')
    if (!element) return null
    const before = new Range()
    before.selectNodeContents(element)
    before.setEnd(range.startContainer, range.startOffset)
    const block = element.textContent
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
  await until(async () => (await shown(page)).endsWith('\n300\n'))
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('29')
  await until(async () => (await status(page)) === '13 of 13')
  await settlesAt(t, () => current(page), '29 in 299', 'the last match is the current one')
  t.same(
    requests.filter((url) => url.includes('/matches')),
    [],
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('searches again when the last output has arrived', async (t) => {
  const started = await service.post('/exec', { command: 'read go; seq 1 300', background: true, stdin: 'open' })
  const { id } = (await started.json()) as ExecRecord
  const { page, context, pageErrors } = await openPaired(browser, service, { view: `#/runs/${id}` })
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('29')
  await until(async () => (await status(page)) === 'not found')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await settlesAt(t, () => status(page), '13 of 13', 'counts the matches in all of the output')
  t.same(pageErrors, [])
  await context.close()
})
