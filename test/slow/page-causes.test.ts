import { join } from 'node:path'
import t from 'tap'
import { goTo, noBrowser, openBrowser, openPaired, openVisit, runIn, shotFolder, sizes } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({
  env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '5' },
})
const browser = await openBrowser()
t.teardown(async () => {
  await Promise.all([browser.close(), service.stop()])
})

t.test('says first that nobody answered, and the list says who denied a run', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = (await (await service.post('/exec', { command: 'cat todo | sh', background: true })).json()) as {
    id: string
  }
  const record = async () => (await (await service.request(`/runs/${id}`)).json()) as { ended_at: string | null }
  t.ok(await until(async () => (await record()).ended_at !== null))
  await service.exec({ command: 'rm -rf /' })
  await goTo(page, `#/runs/${id}`)
  const ended = page.locator('.run-end p[role=status]')
  await ended.waitFor()
  t.match(await ended.textContent(), /^Nobody answered within [\d.]+ s · /)
  t.match(await page.locator('.facts').last().textContent(), /Denied: nobody answered in time, /)
  await page.screenshot({ path: join(shotFolder(), 'run-unanswered-laptop.png') })
  await goTo(page, '#/runs')
  await page.locator('.run-row', { hasText: 'rm -rf' }).filter({ hasText: 'by policy' }).waitFor()
  await page.locator('.run-row', { hasText: 'cat todo' }).filter({ hasText: 'no answer' }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('says first who denied a run', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { tokens } = (await (await service.request('/tokens')).json()) as { tokens: { name: string }[] }
  await page.getByLabel('Command', { exact: true }).fill('cat todo | sh')
  await page.keyboard.press('Enter')
  await page.locator('.run-card').getByRole('button', { name: 'Deny' }).click()
  const ended = page.locator('.run-end p[role=status]')
  await ended.waitFor()
  const text = (await ended.textContent())!
  t.ok(
    tokens.some(({ name }) => text.startsWith(`Denied by ${name} · `)),
    text,
  )
  t.notMatch(text, / · $/, 'the reason follows')
  t.same(pageErrors, [])
  await context.close()
})

t.test('says that the order between stdout and stderr is approximate', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const note = page.getByText('The order of stdout and stderr is approximate.')
  await runIn(page, 'echo only out')
  t.equal(await note.count(), 0)
  await runIn(page, 'echo out; ls /no-such')
  await note.waitFor()
  await page.getByLabel('Streams').selectOption('stderr')
  await note.waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('after a wrong pairing link, names the commands for a browser with all rights', async (t) => {
  const { page, context } = await openVisit(browser, { viewport: sizes.phone, expected: [/status of 401/] })
  await page.goto(`${service.url}/#pair=ABCD-EFGH`)
  const alert = page.getByRole('alert')
  await alert.waitFor()
  t.match(await alert.textContent(), /wrong, used or expired.*shellphone open/)
  await page.getByText('On the phone, run').last().waitFor()
  t.equal(await page.locator('code', { hasText: /^--shell$/ }).count(), 1, 'a line never ends between -- and shell')
  t.match(await page.locator('.hint').allTextContents(), [/shellphone pair --approves all --read all --shell for/])
  await page.screenshot({ path: join(shotFolder(), 'pair-wrong-phone.png') })
  await context.close()
})

t.test(
  'the manual says what each view shows, links back, and its search finds fields of bodies and replies',
  async (t) => {
    const { page, context, pageErrors } = await openVisit(browser)
    await page.goto(`${service.url}/docs`)
    const search = page.getByRole('searchbox')
    await search.fill('timeout_seconds')
    await page.locator('#found', { hasText: /^[1-9]\d* match(es)?$/ }).waitFor()
    await page.locator('#post-exec').waitFor()
    await search.fill('')
    for (const section of await page.locator('section[id^=view-]').all()) {
      const text = (await section.textContent())!
      t.ok(text.length > 200, `${text.slice(0, 60)}…: ${text.length} characters`)
    }
    await page
      .locator('details > summary', { hasText: /^The page$/ })
      .last()
      .click()
    await page.locator('#view-runs').getByRole('link', { name: 'Open Runs' }).click()
    await page.waitForURL(`${service.url}/#/runs`)
    t.same(pageErrors, [])
    await context.close()
  },
)
