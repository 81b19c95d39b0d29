import t from 'tap'
import type { Page } from 'playwright-core'
import { goTo, noBrowser, openBrowser, openPaired, runIn, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

/** Whether a line with this text is visible inside the output. */
const isInView = (page: Page, text: string) =>
  page.evaluate<boolean>(`(() => {
    const view = document.querySelector('.screen').getBoundingClientRect()
    const walker = document.createTreeWalker(document.querySelector('.blocks'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(${JSON.stringify(text)})
      if (at < 0) continue
      const range = new Range()
      range.setStart(walker.currentNode, at)
      range.setEnd(walker.currentNode, at + ${text.length})
      const { top, bottom } = range.getBoundingClientRect()
      if (top >= view.top - 1 && bottom <= view.bottom + 1) return true
    }
    return false
  })()`)

t.test('numbers the lines, and a link to a line shows it', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const id = await runIn(page, 'for i in $(seq 1 3000); do echo line-$i-end; done')
  await goTo(page, `#/runs/${id}`)
  await until(async () => (await shown(page)).includes('line-3000-end'))
  const text = await shown(page)
  await page.getByRole('button', { name: 'Number the lines' }).click()
  await page.locator('.number').first().waitFor()
  t.equal(await shown(page), text, 'numbers are not part of the text')
  t.equal(await page.locator('.number').nth(1233).getAttribute('href'), `#/runs/${id}?line=1234`)
  await goTo(page, '#/phone')
  await goTo(page, `#/runs/${id}?line=1234`)
  t.ok(await until(() => isInView(page, 'line-1234-end')), 'line 1234 is visible')
  t.equal(await page.locator('.blocks .linked').textContent(), 'line-1234-end\n')
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows one stream alone, and goes to the first error', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 500; echo first-problem >&2; seq 501 1000; echo second-problem >&2; exit 3')
  await until(async () => (await shown(page)).includes('second-problem'))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  t.ok(await until(() => isInView(page, 'first-problem')))
  await page.getByLabel('Streams').selectOption('stderr')
  t.ok(await until(async () => (await shown(page)) === 'first-problem\nsecond-problem\n'), 'stderr alone')
  await page.getByLabel('Streams').selectOption('stdout')
  const all = Array.from({ length: 1000 }, (_, line) => `${line + 1}\n`).join('')
  t.ok(await until(async () => (await shown(page)) === all), 'stdout alone')
  await page.getByLabel('Streams').selectOption('both')
  t.ok(await until(async () => (await shown(page)).length === all.length + 'first-problem\nsecond-problem\n'.length))
  await runIn(page, 'seq 1 300; echo an error here; seq 301 600; false')
  await until(async () => (await shown(page)).includes('600'))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  t.ok(await until(() => isInView(page, 'an error here')), 'without stderr, the first line that names an error')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the table of runs sorts by a column and cancels several runs', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  for (const command of ['sleep 301', 'sleep 302', 'sleep 303'])
    await service.post('/exec', { command, background: true })
  await service.exec({ command: 'seq 1 100000' })
  await goTo(page, '#/runs')
  await page.locator('.run-table .run-row', { hasText: 'seq 1 100000' }).waitFor()
  const commands = () => page.locator('.run-table .run-row a').allTextContents()
  await page.getByRole('button', { name: 'Output', exact: true }).click()
  await page.getByRole('button', { name: 'Output', exact: true }).click()
  t.equal((await commands())[0], 'seq 1 100000', 'the most output is at the top')
  t.equal(await page.locator('th[aria-sort]').textContent(), 'Output')
  await page.getByLabel('Select sleep 301').check()
  await page.getByLabel('Select sleep 303').check()
  await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
  for (const command of ['sleep 301', 'sleep 303'])
    await page.locator('.run-row', { hasText: command }).filter({ hasText: 'canceled' }).waitFor()
  await page.locator('.run-row', { hasText: 'sleep 302' }).filter({ hasText: 'running' }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('to show one stream, the page does not fetch the other one', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'head -c 6000000 /dev/zero | tr "\\0" e >&2; echo out')
  let receivedBytes = 0
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => (receivedBytes += payload.length)))
  await page.getByLabel('Streams').selectOption('stdout')
  t.ok(await until(async () => (await shown(page)) === 'out\n'))
  t.match(await page.locator('.tools').textContent(), /^4 B · 1 line/, 'the size of stdout alone')
  t.ok(receivedBytes > 0 && receivedBytes < 1_000_000, `${receivedBytes} bytes`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('one request finds the first error of a long output', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'echo an error here; seq 1 20000; false')
  await until(async () => (await shown(page)).includes('20000'))
  const searches: string[] = []
  page.on('request', (request) => void (request.url().includes('/matches') && searches.push(request.url())))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  t.ok(await until(() => isInView(page, 'an error here')))
  t.equal(searches.length, 1)
  t.same(pageErrors, [])
  await context.close()
})
