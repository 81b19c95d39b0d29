import t from 'tap'
import type { Page } from 'playwright-core'
import { goTo, noBrowser, openBrowser, openPaired, sizes } from './browser.ts'
import { forged } from './forged.ts'
import { startService, until } from './helper.ts'

if (noBrowser) {
  t.plan(0, noBrowser)
  process.exit(0)
}
const service = await startService({
  env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600' },
})
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const ask = (command: string) => service.post('/exec', { command, background: true })
/** What a person reads in the box of each card, line by line. */
const shown = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.question')].map((card) =>
    [...card.querySelectorAll('.script-box li')].map((line) => line.textContent).join('\\n'))`)
const cards = (page: Page) => page.locator('.question')
/** Answers all that wait, so that the next batch stands alone. */
async function denyAll(page: Page): Promise<void> {
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: { id: string }[] }
  for (const { id } of approvals) await service.post(`/approvals/${id}`, { decision: 'deny' })
  await goTo(page, '#/rules')
  await goTo(page, '#/approvals')
  await until(async () => (await cards(page).count()) === 0)
}

const html = `touch '<img src=x onerror="globalThis.forged = true"><script>globalThis.forged = true</script>'`
const BATCH = 10

t.test('forged commands: what is shown says what would run', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals', viewport: sizes.phone })
  const rows = [...forged, ['HTML', html, html] as const]
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH)
    for (const [, command] of batch) await ask(command)
    await until(async () => (await cards(visit.page).count()) === batch.length)
    const texts = await shown(visit.page)
    batch.forEach(([name, , expected], index) => t.equal(texts[index], expected, name))
    await denyAll(visit.page)
  }
  t.equal(await visit.page.evaluate('globalThis.forged'), undefined, 'nothing was executed')
  t.same(visit.troubles, [])
  await visit.context.close()
})

t.test('a letter of another script is marked', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals' })
  await ask('touch ./cache/\u043eld.db')
  t.equal(await visit.page.locator('mark.foreign').textContent(), '\u043e')
  await denyAll(visit.page)
  await visit.context.close()
})

t.test('a long command: whole, and Approve waits until its end was seen', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals', viewport: sizes.phone })
  const { page } = visit
  for (const command of [
    `touch ${'x'.repeat(100_000)}END`,
    Array.from({ length: 5000 }, (_, line) => `touch f${line}`).join('\n'),
  ]) {
    await ask(command)
    const approve = page.getByRole('button', { name: 'Approve once' })
    await approve.scrollIntoViewIfNeeded()
    await new Promise((resolve) => setTimeout(resolve, 1000))
    t.ok(await approve.isDisabled(), 'not before the end was seen')
    await page.locator('.script-box').scrollIntoViewIfNeeded()
    const isAtEnd = async () => {
      await page.evaluate("{ const box = document.querySelector('.script-box'); box.scrollTop = box.scrollHeight }")
      return (await page.locator('.answers .hint').textContent()) === '' // no longer: scroll to the end first
    }
    t.ok(await until(isAtEnd, 30_000), 'it has an end')
    t.equal((await shown(page))[0]!.replaceAll('\n', ''), command.replaceAll('\n', ''), 'every character of it')
    await approve.scrollIntoViewIfNeeded()
    t.ok(await until(() => approve.isEnabled()), 'then it can be approved')
    await denyAll(page)
  }
  t.same(visit.troubles, [])
  await visit.context.close()
})

t.test('no answer by a slip of the finger', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals' })
  const { page } = visit
  const settled = page.evaluate<number>(`new Promise((resolve) => {
    let since = 0
    const look = () => {
      const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Approve once')
      if (button && !since) since = performance.now()
      if (button && !button.disabled) resolve(performance.now() - since)
      else requestAnimationFrame(look)
    }
    look()
  })`)
  await ask('touch x')
  const ms = await settled
  t.comment(`Approve was dead for ${ms.toFixed(0)} ms`)
  t.ok(ms >= 590, `dead for ${ms} ms`)
  await page.getByRole('button', { name: 'Always…' }).click()
  t.match(await page.locator('dialog[open]').textContent(), /This would be saved.*touch x/s)
  await page.getByRole('button', { name: 'Save and approve' }).click()
  await page.getByText('Approved', { exact: true }).waitFor()
  await goTo(page, '#/rules')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No answer was saved for always.').waitFor()
  t.same(visit.troubles, [])
  await visit.context.close()
})

t.test('answered elsewhere: the card says by whom, and keeps its place', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals' })
  const { page } = visit
  await ask('touch first')
  await ask('touch second')
  await until(async () => (await cards(page).count()) === 2)
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: { id: string }[] }
  await service.post(`/approvals/${approvals[0]!.id}`, { decision: 'deny', by: 'a neighbour' })
  await page.getByText(/by a neighbour/).waitFor()
  t.same(await shown(page), ['touch first', 'touch second'])
  await denyAll(page)
  await visit.context.close()
})
