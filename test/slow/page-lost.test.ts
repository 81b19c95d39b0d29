import t from 'tap'
import type { Page } from 'playwright-core'
import {
  hiddenBelow,
  isDrawn,
  isInView,
  isLost,
  lostErrors,
  noBrowser,
  openBrowser,
  openPaired,
  settlesAt,
  shown,
  sizes,
} from './browser.ts'
import { freePort, startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const browser = await openBrowser()
t.teardown(() => browser.close())

/** Whether any two parts of the header overlap, or one is outside the screen. */
const isCrowded = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const bounds = [...document.querySelectorAll('.top > *')].map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0)
    return bounds.some((one, index) => one.right > innerWidth || bounds.some((other, at) => at > index && one.right > other.left + 1 && other.right > one.left + 1))
      || [...document.querySelectorAll('.top > *')].some((one) => one.scrollWidth > one.clientWidth + 1)
  })()`)

t.test('one banner says that the connection is lost, and the clocks stand still', async (t) => {
  const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => service.stop())
  const { page, context, pageErrors } = await openPaired(browser, service, {
    viewport: sizes.phone,
    expected: lostErrors,
  })
  await page.evaluate(`{
    const [set, clear] = [setInterval, clearInterval]
    globalThis.clocks = new Set()
    globalThis.setInterval = (call, ms, ...more) => {
      const timer = set(call, ms, ...more)
      if (ms === 1000) clocks.add(timer)
      return timer
    }
    globalThis.clearInterval = (timer) => clear(timer, clocks.delete(timer))
  }`)
  await page.getByLabel('Command', { exact: true }).fill('sleep 300')
  await page.keyboard.press('Enter')
  await until(async () => (await page.evaluate('clocks.size')) === 1)
  await page.locator('.run-card header .dim').waitFor() // the page knows that the run has started
  await service.kill('SIGKILL')
  await isLost(page)
  t.ok(await until(async () => (await page.evaluate('clocks.size')) === 0), 'the clock of the run stands still')
  await page.locator('.run-card header', { hasText: /as of \d/ }).waitFor() // it says of when it is
  await settlesAt(t, () => isCrowded(page), false, 'the parts of the header do not overlap')
  t.notMatch(await page.locator('main').textContent(), /Failed to fetch|cannot (be )?reach/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('the newest line stays in view when the banner makes the output smaller', async (t) => {
  for (const viewport of [sizes.phone, sizes.laptop]) {
    const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
    t.teardown(() => service.stop())
    const { page, context, pageErrors } = await openPaired(browser, service, { viewport, expected: lostErrors })
    await page.getByLabel('Command', { exact: true }).fill('seq -f line-%g-end 300; sleep 300')
    await page.keyboard.press('Enter')
    t.ok(await until(() => isInView(page, 'line-300-end')))
    await service.kill('SIGKILL')
    await isLost(page)
    await isDrawn(page)
    t.ok(await isInView(page, 'line-300-end'), `${viewport.width} pixels wide: it is inside the output`)
    t.equal(await hiddenBelow(page, 'line-300-end'), 0, `${viewport.width} pixels wide: it is inside the window`)
    t.same(pageErrors, [])
    await context.close()
  }
})

t.test('a view that cannot load says so once, and loads when the service is back', async (t) => {
  const flags = ['--port', String(await freePort())]
  const first = await startService({ flags })
  t.teardown(() => first.stop())
  const { page, context, pageErrors } = await openPaired(browser, first, {
    viewport: sizes.phone,
    expected: lostErrors,
  })
  await page.evaluate(`location.hash = '#/settings'`) // loads the code of the rare views
  await page.locator('main h1', { hasText: 'Settings' }).waitFor()
  await first.kill('SIGKILL')
  await isLost(page)
  await page.evaluate(`location.hash = '#/phone'`)
  await page.locator('main h1', { hasText: 'Phone' }).waitFor()
  await page.evaluate(`fetch('/health').catch(() => {})`) // fails after the requests of the view
  t.equal(await page.locator('.state.failed').count(), 0)
  await page.locator('.loading', { hasText: 'Not loaded yet' }).first().waitFor()
  t.notMatch(await page.locator('main').textContent(), /Failed to fetch|cannot (be )?reach|did not respond/)
  const second = await startService({ home: first.home, flags })
  t.teardown(() => second.stop())
  await page.locator('.tile').first().waitFor()
  await page.locator('.lost-banner').waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('the list of runs says that it is not loaded yet, and loads when the service is back', async (t) => {
  const flags = ['--port', String(await freePort())]
  const first = await startService({ flags })
  t.teardown(() => first.stop())
  const { page, context, pageErrors } = await openPaired(browser, first, { expected: lostErrors })
  await first.kill('SIGKILL')
  await isLost(page)
  await page.evaluate(`location.hash = '#/runs'`)
  await page.locator('main h1', { hasText: 'Runs' }).waitFor()
  await page.getByText('Not loaded yet.').waitFor()
  const second = await startService({ home: first.home, flags })
  t.teardown(() => second.stop())
  await page.getByText('Nothing has run here yet.').waitFor()
  t.equal(await page.getByText('Not loaded yet').count(), 0)
  t.same(pageErrors, [])
  await context.close()
})

t.test('the clock of a run shows the time of the last message while the service does not respond', async (t) => {
  const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => service.stop())
  t.teardown(() => service.process.kill('SIGCONT')) // before the stop: teardowns run in reverse
  const { page, context, pageErrors } = await openPaired(browser, service, { expected: lostErrors })
  await page.getByLabel('Command', { exact: true }).fill('sleep 300')
  await page.keyboard.press('Enter')
  const clock = page.locator('.run-card header > .dim')
  await clock.waitFor()
  await clock.filter({ hasText: /^[2-9]\S* s$/ }).waitFor()
  const { runs } = (await (await service.request('/runs')).json()) as { runs: { started_at: string }[] }
  service.process.kill('SIGSTOP')
  const stoppedMs = await page.evaluate<number>('Date.now()')
  await clock.filter({ hasText: /as of \d/ }).waitFor()
  const [text, span, unit] = /^([\d.]+) (ms|s) as of/.exec((await clock.textContent())!) ?? []
  const shownMs = Number(span) * (unit === 's' ? 1000 : 1)
  const ranMs = stoppedMs - Date.parse(runs[0]!.started_at)
  t.ok(shownMs <= ranMs + 1000, `${text}, and the service stopped after ${ranMs} ms`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('a service that does not respond is noticed, with the time of its last message', async (t) => {
  const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => service.stop())
  const { page, context, pageErrors } = await openPaired(browser, service, {
    viewport: sizes.phone,
    expected: lostErrors,
  })
  service.process.kill('SIGSTOP')
  const stoppedMs = await page.evaluate<number>('Date.now()')
  await page.locator('.lost-banner', { hasText: /No answer since \d/ }).waitFor()
  t.match(await page.locator('.connection').textContent(), 'no answer')
  await page.getByLabel('Command', { exact: true }).fill('echo later')
  await page.keyboard.press('Enter')
  await page.getByText('The command was sent and may still start').waitFor()
  service.process.kill('SIGCONT')
  await page.locator('.run-end').waitFor()
  await until(async () => (await page.locator('.lost-banner').count()) === 0)
  await settlesAt(t, () => shown(page), 'later\n', 'the output has arrived')

  service.process.kill('SIGSTOP')
  await page.locator('.lost-banner', { hasText: /No answer since \d/ }).waitFor()
  const noticedMs = await page.evaluate<number>('Date.now()')
  await service.kill('SIGKILL')
  await isLost(page)
  const seenMs = await page.evaluate<number>("Number(localStorage.getItem('shellphone.seen'))")
  t.ok(seenMs > stoppedMs, 'the time of a message after the first stop')
  t.ok(noticedMs - seenMs >= 8_000, `a message ${noticedMs - seenMs} ms before the page noticed the silence`)
  t.same(pageErrors, [])
  await context.close()
})
