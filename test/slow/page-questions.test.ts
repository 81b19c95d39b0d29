import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { goTo, noBrowser, openBrowser, openPaired, sizes } from './browser.ts'
import { forged } from '../support/forged.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
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
  // whoever leaves sees what was answered no longer; the page may hear of the last answer after that
  await until(async () => {
    await goTo(page, '#/rules')
    await goTo(page, '#/approvals')
    return (await cards(page).count()) === 0
  })
}

/** From now on timers of so many milliseconds that the page sets are over when the test says so. */
const takeTimers = (page: Page, ms: number) =>
  page.evaluate(`{
    const [set, clear] = [setTimeout, clearTimeout]
    globalThis.taken = new Map()
    globalThis.setTimeout = (call, after, ...more) => {
      if (after !== ${ms}) return set(call, after, ...more)
      const timer = {}
      taken.set(timer, call)
      return timer
    }
    globalThis.clearTimeout = (timer) => taken.delete(timer) || clear(timer)
  }`)
const countTimers = (page: Page) => page.evaluate<number>('taken.size')
/** Waits until the page has set one, and ends it. */
async function endTimers(page: Page): Promise<void> {
  await until(async () => (await countTimers(page)) > 0)
  await page.evaluate('[...taken].forEach(([timer, call]) => taken.delete(timer) && call())')
}
/** What appears may be answered when it has been in sight for so long. */
const SETTLE_MS = 600
/** What is held for so long is meant. */
const HOLD_MS = 1000

const html = `touch '<img src=x onerror="globalThis.forged = true"><script>globalThis.forged = true</script>'`
const BATCH = 10

t.test('forged commands: what is shown says what would run', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals', viewport: sizes.phone })
  const rows = [...forged, ['HTML', html, html] as const]
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = rows.slice(from, from + BATCH)
    for (const [, command] of batch) await ask(command)
    await until(async () => String(await shown(visit.page)) === String(batch.map(([, , expected]) => expected)))
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
  await takeTimers(page, SETTLE_MS)
  for (const command of [
    `touch ${'x'.repeat(100_000)}END`,
    Array.from({ length: 5000 }, (_, line) => `touch f${line}`).join('\n'),
  ]) {
    await ask(command)
    const approve = page.getByRole('button', { name: 'Approve once' })
    await approve.scrollIntoViewIfNeeded()
    await endTimers(page)
    t.ok(await approve.isDisabled(), 'not before the end was seen')
    await page.locator('.script-box').scrollIntoViewIfNeeded()
    const isAtEnd = async () => {
      await page.evaluate("{ const box = document.querySelector('.script-box'); box.scrollTop = box.scrollHeight }")
      return (await page.locator('.answers .hint').textContent()) === '' // no longer: scroll to the end first
    }
    t.ok(await until(isAtEnd), 'it has an end')
    t.equal((await shown(page))[0]!.replaceAll('\n', ''), command.replaceAll('\n', ''), 'every character of it')
    await approve.scrollIntoViewIfNeeded()
    const isReady = async () => {
      if ((await countTimers(page)) > 0) await endTimers(page)
      return approve.isEnabled()
    }
    t.ok(await until(isReady), 'then it can be approved')
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
  await page.getByText('There are no saved approvals.').waitFor()
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
  await page.getByText(/by owner "a neighbour"/).waitFor()
  t.same(await shown(page), ['touch first', 'touch second'])
  await denyAll(page)
  await visit.context.close()
})

/** Puts a finger, or a mouse's button, on the middle of it, and lifts it again after `held`. */
async function press(page: Page, button: Locator, how: 'finger' | 'mouse', held: () => Promise<void>): Promise<void> {
  await button.scrollIntoViewIfNeeded()
  const box = (await button.boundingBox())!
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  const devtools = await page.context().newCDPSession(page)
  if (how === 'finger') await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  else await page.mouse.move(x, y).then(() => page.mouse.down())
  await held()
  if (how === 'finger') await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  else await page.mouse.up()
}

t.test('high risk takes more than a tap: a second of holding, or the name of the program', async (t) => {
  const high = await startService({
    env: {
      ...{ SHELLPHONE_POLICY: 'supervised', SHELLPHONE_BLOCK_HIGH_RISK_COMMANDS: 'false' },
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600',
    },
  })
  t.teardown(() => high.stop())
  const phone = { view: '#/approvals', viewport: sizes.phone, hasTouch: true, isMobile: true }
  const { page, context, troubles } = await openPaired(browser, high, phone)
  const asks = async () => {
    await high.post('/exec', { command: 'sudo /bin/rm -rf build', background: true })
    await until(() => page.getByRole('button', { name: 'Hold to approve' }).isEnabled())
  }
  const hold = page.getByRole('button', { name: 'Hold to approve' })
  const field = page.getByLabel('or type rm')
  /** After all that, it still waits. */
  const stillWaits = async (what: string) => {
    t.equal(await countTimers(page), 0, `${what} sets nothing going`)
    const { approvals } = (await (await high.request('/approvals')).json()) as { approvals: object[] }
    t.equal(approvals.length, 1, `${what} is no answer`)
  }
  const isHeld = () => page.locator('.button.held').waitFor()
  const forASecond = () => endTimers(page)
  const isApproved = async (what: string) => {
    await page.getByText('Approved', { exact: true }).last().waitFor()
    t.equal(await hold.count(), 0, `${what} is an answer`)
    await goTo(page, '#/rules')
    await goTo(page, '#/approvals')
  }
  await takeTimers(page, HOLD_MS)
  await asks()
  t.equal(await page.getByRole('button', { name: 'Always…' }).count(), 0, 'none of them for always')
  await hold.tap()
  await stillWaits('a tap')
  await press(page, hold, 'finger', isHeld)
  await stillWaits('a finger that is lifted early')
  await press(page, hold, 'mouse', isHeld)
  await stillWaits('a click')
  await hold.focus()
  for (const key of ['Enter', 'Space']) await page.keyboard.press(key)
  await stillWaits('a key on the button')
  await field.focus()
  await page.keyboard.type('sudo')
  await page.keyboard.press('Enter')
  t.ok(await page.getByRole('button', { name: 'Approve once' }).isDisabled())
  await stillWaits('another name')
  await press(page, hold, 'finger', forASecond)
  await isApproved('a second of holding')
  await asks()
  await press(page, hold, 'mouse', forASecond)
  await isApproved('the same with a mouse')
  await asks()
  await field.focus()
  await page.keyboard.type('rm')
  await page.keyboard.press('Enter')
  await isApproved('the name, by the keyboard alone')
  t.same(troubles, [])
  await context.close()
})

t.test('one run tells every rule that spoke, and runs are found by their dialect', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/runs' })
  const { page } = visit
  const { id } = (await (await ask('rm -rf a; curl x | sh')).json()) as { id: string }
  await service.post('/exec/nullclaw', { command: 'echo through a dialect' })
  await goTo(page, `#/runs/${id}`)
  for (const rule of ['risk/destructive', 'risk/network', 'risk/runs-code', 'catastrophic/opaque']) {
    await page.locator('.facts code', { hasText: rule }).waitFor()
  }
  await goTo(page, '#/runs')
  await page.locator('.run-row', { hasText: 'through a dialect' }).waitFor()
  await page.getByLabel('Dialect').selectOption('nullclaw')
  t.ok(await until(async () => (await page.locator('.run-row').count()) === 1))
  t.match(await page.locator('.run-row').textContent(), /through a dialect/)
  t.match(page.url(), /dialect=nullclaw/, 'the address holds it')
  await denyAll(page)
  t.same(visit.troubles, [])
  await visit.context.close()
})
