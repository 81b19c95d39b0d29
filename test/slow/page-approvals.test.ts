import t from 'tap'
import type { Locator, Page } from 'playwright-core'
import { goTo, noBrowser, openBrowser, openPaired, settlesAt, sizes } from './browser.ts'
import { forged } from '../support/forged.ts'
import { tokenOf } from './page-service.ts'
import type { PendingApproval, RunRecord } from '../../src/sdk/index.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({
  env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600' },
})
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const ask = (command: string) => service.post('/exec', { command, background: true })
/** The command that each card shows, line by line. */
const shown = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.approval-card')].map((card) =>
    [...card.querySelectorAll('.script-lines li')].map((line) => line.textContent).join('\\n'))`)
const cards = (page: Page) => page.locator('.approval-card')
/** Denies every pending approval, so that the next batch starts with an empty view. */
async function denyAll(page: Page): Promise<void> {
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: { id: string }[] }
  for (const { id } of approvals) await service.post(`/approvals/${id}`, { decision: 'deny' })
  // leaving the view removes decided cards, but the page may receive the last decision after that
  await until(async () => {
    await goTo(page, '#/rules')
    await goTo(page, '#/approvals')
    return (await cards(page).count()) === 0
  })
}

/** Replaces the page's timers of exactly `ms` milliseconds, so that they end only when the test calls endTimers. */
const holdTimers = (page: Page, ms: number) =>
  page.evaluate(`{
    const [set, clear] = [setTimeout, clearTimeout]
    globalThis.heldTimers = new Map()
    globalThis.setTimeout = (call, after, ...more) => {
      if (after !== ${ms}) return set(call, after, ...more)
      const timer = {}
      heldTimers.set(timer, call)
      return timer
    }
    globalThis.clearTimeout = (timer) => heldTimers.delete(timer) || clear(timer)
  }`)
const countTimers = (page: Page) => page.evaluate<number>('heldTimers.size')
/** Waits until the page has set such a timer, and ends it. */
async function endTimers(page: Page): Promise<void> {
  await until(async () => (await countTimers(page)) > 0)
  await page.evaluate('[...heldTimers].forEach(([timer, call]) => heldTimers.delete(timer) && call())')
}
/** A card can be approved once it has been visible for this time. */
const SETTLE_MS = 600
/** Holding the button for this time approves. */
const HOLD_MS = 1000

const html = `touch '<img src=x onerror="globalThis.forged = true"><script>globalThis.forged = true</script>'`
const BATCH = 10

t.test('the part of a command that is a high risk is underlined', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/approvals' })
  await ask('ls -l; rm -rf ~/old && echo "rm -rf ~/old is next"\narm -rf ~/old; sudo apk fix')
  await until(async () => (await page.locator('mark.risky').count()) > 0)
  t.same(await page.locator('mark.risky').allTextContents(), ['rm -rf ~/old', 'rm -rf ~/old', 'sudo apk fix'])
  t.same(await shown(page), ['ls -l; rm -rf ~/old && echo "rm -rf ~/old is next"\narm -rf ~/old; sudo apk fix'])
  await ask('touch harmless')
  await cards(page).nth(1).waitFor()
  t.equal(await cards(page).nth(1).locator('mark').count(), 0, 'nothing of a medium risk')
  await denyAll(page)
  t.same(pageErrors, [])
  await context.close()
})

t.test('a forged command is shown as what would run', async (t) => {
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
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('marks a letter from another alphabet', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals' })
  await ask('touch ./cache/\u043eld.db')
  t.equal(await visit.page.locator('mark.foreign').textContent(), '\u043e')
  await denyAll(visit.page)
  await visit.context.close()
})

t.test('a long command is shown whole and can be approved only after its end was visible', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals', viewport: sizes.phone })
  const { page } = visit
  await holdTimers(page, SETTLE_MS)
  for (const command of [
    `touch ${'x'.repeat(100_000)}END`,
    Array.from({ length: 5000 }, (_, line) => `touch f${line}`).join('\n'),
  ]) {
    await ask(command)
    const approve = page.getByRole('button', { name: 'Approve once' })
    await approve.scrollIntoViewIfNeeded()
    await endTimers(page)
    t.ok(await approve.isDisabled(), 'Approve is disabled before the end was visible')
    await page.locator('.script-lines').scrollIntoViewIfNeeded()
    const isAtEnd = async () => {
      await page.evaluate(
        "{ const lines = document.querySelector('.script-lines'); lines.scrollTop = lines.scrollHeight }",
      )
      return (await page.getByText('First scroll to the end of the command.').count()) === 0
    }
    t.ok(await until(isAtEnd), 'scrolling reaches the end')
    t.equal((await shown(page))[0]!.replaceAll('\n', ''), command.replaceAll('\n', ''), 'shows every character')
    await approve.scrollIntoViewIfNeeded()
    const isReady = async () => {
      if ((await countTimers(page)) > 0) await endTimers(page)
      return approve.isEnabled()
    }
    t.ok(await until(isReady), 'Approve is enabled after the end was visible')
    await denyAll(page)
  }
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('Approve is disabled for 600 ms after a card appears', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals' })
  const { page } = visit
  await holdTimers(page, SETTLE_MS)
  await ask('touch x')
  await until(async () => (await countTimers(page)) > 0)
  const approve = page.getByRole('button', { name: 'Approve once' })
  t.ok(await approve.isDisabled())
  await endTimers(page)
  t.ok(await until(() => approve.isEnabled()))
  await page.getByRole('button', { name: 'Always…' }).click()
  t.match(await page.locator('dialog[open]').textContent(), /This will be saved.*touch x/s)
  await endTimers(page)
  await page.getByRole('button', { name: 'Save and approve' }).click()
  await page.getByText('Approved', { exact: true }).waitFor()
  await goTo(page, '#/rules')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('There are no saved approvals.').waitFor()
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('the buttons do not move as the time left gets longer or shorter', async (t) => {
  for (const viewport of [sizes.phone, sizes.laptop]) {
    const { page, context } = await openPaired(browser, service, { view: '#/approvals', viewport })
    await ask('touch still')
    const approve = page.getByRole('button', { name: 'Approve once' })
    await until(() => approve.isEnabled())
    const places = await page.evaluate<number[]>(`['1 s', '10 min', '9 min 44 s', '23 h 59 min'].map((span) => {
      document.querySelector('.time-left').textContent = span + ' left, then denied'
      return [...document.querySelectorAll('.answers button')].at(-1).getBoundingClientRect().top
    })`)
    t.equal(new Set(places).size, 1, `${viewport.width} px: ${places}`)
    await denyAll(page)
    await context.close()
  }
})

t.test('a card that was decided elsewhere names who decided and keeps its position', async (t) => {
  const visit = await openPaired(browser, service, { view: '#/approvals', viewport: sizes.phone })
  const { page } = visit
  await ask('touch first')
  await ask('touch second')
  await until(async () => (await cards(page).count()) === 2)
  await until(() => page.getByRole('button', { name: 'Approve once' }).first().isEnabled())
  const topOfSecond = async () => (await cards(page).nth(1).boundingBox())?.y
  const before = await topOfSecond()
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: { id: string }[] }
  await service.post(`/approvals/${approvals[0]!.id}`, { decision: 'deny', by: 'a neighbour' })
  await page.getByText(/by owner "a neighbour"/).waitFor()
  t.same(await shown(page), ['touch first', 'touch second'])
  t.equal(await topOfSecond(), before, 'the card below does not move')
  await page.getByRole('button', { name: 'Hide answered' }).click()
  await settlesAt(t, () => shown(page), ['touch second'], 'on demand, only those that wait')
  await service.post(`/approvals/${approvals[1]!.id}`, { decision: 'deny' })
  await page.getByText('Denied', { exact: true }).waitFor()
  await ask('touch third')
  await until(async () => (await cards(page).count()) === 2)
  await goTo(page, '#/rules')
  await goTo(page, '#/approvals')
  await settlesAt(t, () => shown(page), ['touch third'], 'opened again, only those that wait')
  await denyAll(page)
  await visit.context.close()
})

/** Presses the middle of a button with a finger or the mouse, and releases it after `whilePressed`. */
async function press(
  page: Page,
  button: Locator,
  how: 'finger' | 'mouse',
  whilePressed: () => Promise<void>,
): Promise<void> {
  await button.hover({ trial: true }) // waits until it stands still and nothing covers it
  const bounds = (await button.boundingBox())!
  const [x, y] = [bounds.x + bounds.width / 2, bounds.y + bounds.height / 2]
  const devtools = await page.context().newCDPSession(page)
  if (how === 'finger') await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  else await page.mouse.move(x, y).then(() => page.mouse.down())
  await whilePressed()
  if (how === 'finger') await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  else await page.mouse.up()
}

t.test('approving a high-risk command takes holding for a second or typing the program name', async (t) => {
  const high = await startService({
    env: {
      ...{ SHELLPHONE_POLICY: 'supervised', SHELLPHONE_BLOCK_HIGH_RISK_COMMANDS: 'false' },
      SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600',
    },
  })
  t.teardown(() => high.stop())
  const phone = { view: '#/approvals', viewport: sizes.phone, hasTouch: true, isMobile: true }
  const { page, context, pageErrors } = await openPaired(browser, high, phone)
  const requestApproval = async () => {
    await high.post('/exec', { command: 'cd /tmp && sudo /bin/rm -rf build', background: true })
    await until(() => page.getByRole('button', { name: 'Hold to approve' }).isEnabled())
  }
  const hold = page.getByRole('button', { name: 'Hold to approve' })
  const field = page.getByLabel('or type rm')
  const isStillPending = async (action: string) => {
    await settlesAt(t, () => countTimers(page), 0, `${action} leaves no timer running`)
    const { approvals } = (await (await high.request('/approvals')).json()) as { approvals: object[] }
    t.equal(approvals.length, 1, `${action} does not approve`)
  }
  const isHeld = () => page.locator('.button.held').waitFor()
  const forASecond = () => endTimers(page)
  const isApproved = async (action: string) => {
    await page.getByText('Approved', { exact: true }).last().waitFor()
    await settlesAt(t, () => hold.count(), 0, `${action} approves`)
    await goTo(page, '#/rules')
    await goTo(page, '#/approvals')
  }
  await holdTimers(page, HOLD_MS)
  await requestApproval()
  t.equal(await page.getByRole('button', { name: 'Always…' }).count(), 0, 'high risk cannot be approved for always')
  await hold.tap()
  await isStillPending('a tap')
  await press(page, hold, 'finger', isHeld)
  await isStillPending('a finger lifted early')
  await press(page, hold, 'mouse', isHeld)
  await isStillPending('a click')
  await hold.focus()
  for (const key of ['Enter', 'Space']) await page.keyboard.press(key)
  await isStillPending('a key on the button')
  await field.focus()
  await page.keyboard.type('sudo')
  await page.keyboard.press('Enter')
  t.ok(await page.getByRole('button', { name: 'Approve once' }).isDisabled())
  await isStillPending('another name')
  await press(page, hold, 'finger', forASecond)
  await isApproved('holding for a second')
  await requestApproval()
  await press(page, hold, 'mouse', async () => {
    await isHeld()
    const { x, y } = (await page.locator('.button.held').boundingBox())!
    await page.evaluate("document.querySelector('main').style.paddingTop = '300px'")
    await page.mouse.move(x + 1, y + 1) // the button is no longer there
    await forASecond()
  })
  await isApproved('holding the mouse button for a second')
  await requestApproval()
  await field.focus()
  await page.keyboard.type('rm')
  await page.keyboard.press('Enter')
  await isApproved('typing the program name')
  await holdTimers(page, SETTLE_MS)
  await high.post('/exec', { command: 'cd /tmp && sudo /bin/rm -rf build', background: true })
  await hold.waitFor()
  t.ok(await hold.isDisabled(), 'the card has not settled')
  await press(page, hold, 'finger', async () => {
    await page.getByRole('button', { name: 'Keep holding…' }).waitFor()
    await endTimers(page) // the card settles
    await page.locator('.button.held').waitFor()
    await forASecond()
  })
  await isApproved('a press that began while the card settled')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a browser that cannot approve sees its own approvals come and go, without buttons', async (t) => {
  const rights = { approves: 'none', read: 'own', shell: false }
  const { page, context, pageErrors } = await openPaired(browser, service, { rights, expected: [/status of 403/] })
  const lasting = 'touch asked; sleep 300'
  const token = await tokenOf(page)
  const askOwn = async (command: string) => {
    const body = JSON.stringify({ command, background: true })
    const headers = { 'content-type': 'application/json' }
    return (await (await service.request('/exec', { method: 'POST', token, body, headers })).json()) as { id: string }
  }
  const answer = async (command: string, decision: string) => {
    const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }
    await service.post(`/approvals/${approvals.find((one) => one.command === command)!.id}`, { decision })
  }
  const counted = (count: number) =>
    page
      .locator('.counts')
      .getByRole('link', { name: `${count} waiting for approval`, exact: true })
      .waitFor()
  await page.getByLabel('Command', { exact: true }).fill('rm -rf nothing-here')
  await page.keyboard.press('Enter')
  await counted(1)
  await goTo(page, '#/runs')
  const bar = page.locator('.approval-bar')
  await bar.waitFor()
  t.equal(await bar.getByText('Review').count(), 0, 'no button to answer')
  await goTo(page, '#/approvals')
  await cards(page).waitFor()
  await ask('touch of-another-token')
  const second = await askOwn('touch second')
  await askOwn(lasting)
  await counted(3)
  t.same(await shown(page), ['rm -rf nothing-here', 'touch second', lasting])
  t.equal(await cards(page).getByRole('button').count(), 0)
  t.equal(await cards(page).getByText('anyone with that right can, on another device').count(), 3)
  t.equal(await cards(page).getByRole('link', { name: 'The run' }).count(), 3, 'where it can be canceled')
  await answer('rm -rf nothing-here', 'deny')
  await cards(page).nth(0).getByText('Denied', { exact: true }).waitFor()
  await counted(2)
  await service.request(`/runs/${second.id}`, { method: 'DELETE', token })
  await cards(page).nth(1).getByText('Withdrawn: the run was canceled').waitFor()
  await answer(lasting, 'approve')
  await cards(page).nth(2).getByText('Approved', { exact: true }).waitFor()
  await counted(0)
  const { runs } = (await (await service.request('/runs?status=live', { token })).json()) as { runs: RunRecord[] }
  t.equal(runs[0]?.command, lasting, 'the run has not ended')
  await service.request(`/runs/${runs[0]!.id}`, { method: 'DELETE' })
  t.same(pageErrors, [])
  await context.close()
  const owner = await openPaired(browser, service, { view: '#/approvals' })
  await denyAll(owner.page)
  await owner.context.close()
})

t.test('a run that is approved and waits for a slot no longer waits for approval in its own browser', async (t) => {
  const env = { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_MAX_BACKGROUND_RUNNING: '1' }
  const busy = await startService({ env })
  t.teardown(() => busy.stop())
  await busy.post('/exec', { command: 'sleep 300', background: true })
  const rights = { approves: 'none', read: 'own', shell: false }
  const { page, context, pageErrors } = await openPaired(browser, busy, { rights, expected: [/status of 403/] })
  const body = JSON.stringify({ command: 'touch own', background: true })
  const init = { method: 'POST', token: await tokenOf(page), body, headers: { 'content-type': 'application/json' } }
  const { id } = (await (await busy.request('/exec', init)).json()) as RunRecord
  await goTo(page, `#/run/${id}`)
  await cards(page).waitFor()
  const status = page.locator('.run-card > header .tag')
  await status.filter({ hasText: /^waiting for approval$/ }).waitFor()
  const { approvals } = (await (await busy.request('/approvals')).json()) as { approvals: PendingApproval[] }
  await busy.post(`/approvals/${approvals[0]!.id}`, { decision: 'approve' })
  await status.filter({ hasText: /^queued$/ }).waitFor()
  await cards(page).waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('an approval request plays two tones after Sound was switched on', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/approvals' })
  await page.evaluate(`{
    globalThis.tones = 0
    globalThis.OscillatorNode = class extends OscillatorNode {
      start(atSeconds) {
        globalThis.tones++
        super.start(atSeconds)
      }
    }
  }`)
  const tones = () => page.evaluate<number>('tones')
  await ask('touch silent')
  await cards(page).first().waitFor()
  t.equal(await tones(), 0)
  await page.getByRole('button', { name: 'Sound' }).click()
  await ask('touch loud')
  t.ok(await until(async () => (await tones()) === 2))
  await denyAll(page)
  t.same(pageErrors, [])
  await context.close()
})

t.test('“Notify me” says that the browser blocks notifications', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: '#/approvals',
    viewport: sizes.phone,
  })
  await page.evaluate(
    "Notification.requestPermission = async () => 'denied'; Object.defineProperty(Notification, 'permission', { value: 'denied' })",
  )
  const notice = page.getByText('This browser blocks notifications for this page; allow them in its site settings')
  t.equal(await notice.count(), 0, 'nothing before somebody asks')
  await page.getByRole('button', { name: 'Notify me' }).click()
  await notice.waitFor()
  t.equal(await page.getByRole('button', { name: 'Notify me' }).getAttribute('aria-pressed'), 'false')
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), sizes.phone.width, 'it fits')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a run lists every rule that matched, and the dialect filter finds runs', async (t) => {
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
  t.match(page.url(), /dialect=nullclaw/, 'the address contains the filter')
  await denyAll(page)
  t.same(visit.pageErrors, [])
  await visit.context.close()
})
