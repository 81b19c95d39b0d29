import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { goTo, noBrowser, openBrowser, openPaired, shown } from './browser.ts'
import { freeze, startService, until, wants } from '../support/helper.ts'
import { MiB } from '../support/raw-client.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))
const resume = () => service.process.kill('SIGCONT')

t.test('keeps a command that is typed while another is being sent', async (t) => {
  const { page, context } = await openPaired(browser, service, { view: '#/run' })
  const field = page.locator('.composer textarea')
  await field.fill('echo first')
  await freeze(service.pid)
  await field.press('Enter')
  await field.fill('echo second')
  resume()
  await page.waitForURL(/#\/runs?\/./)
  await goTo(page, '#/run')
  t.equal(await field.inputValue(), 'echo second')
  await context.close()
})

t.test('keeps a line of stdin that is typed while a long one is being sent', async (t) => {
  const folder = t.testdir({})
  const long = 'x'.repeat(2 * MiB) // more than is sent before the command reads
  const command = `until [ -e ${folder}/go ]; do sleep 0.1; done; head -c ${long.length + 1} | wc -c; cat`
  const started = await service.post('/exec', { command, background: true, stdin: 'open' })
  const { id } = (await started.json()) as ExecRecord
  const { page, context } = await openPaired(browser, service, { view: `#/runs/${id}` })
  const line = page.locator('form.stdin input')
  await line.fill(long)
  await line.press('Enter')
  await line.fill('second')
  writeFileSync(join(folder, 'go'), '')
  t.ok(await until(async () => (await shown(page)).includes(String(long.length + 1))), 'it is sent')
  t.equal(await line.inputValue(), 'second')
  await line.press('Enter')
  t.ok(await until(async () => (await shown(page)).includes('second')))
  t.ok(await until(async () => (await line.inputValue()) === ''), 'what was sent goes')
  await service.post(`/runs/${id}/cancel`, {})
  await context.close()
})

t.test('keeps a filter that is chosen while text is being typed', async (t) => {
  const { page, context } = await openPaired(browser, service, { view: '#/runs' })
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  const search = page.locator('.run-filters input[type=search]')
  await search.fill('echo')
  await page.clock.runFor(245) // the search waits for more text until shortly before a slow page has drawn the other filter
  await page.evaluate('globalThis.requestAnimationFrame = () => 0')
  await page.locator('.run-filters select').first().selectOption('completed')
  await page.waitForURL(/status=completed/)
  await page.clock.runFor(1000)
  await page.waitForURL(/q=echo/)
  t.match(page.url(), /status=completed/)
  await context.close()
})
