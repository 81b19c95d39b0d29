import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import {
  goTo,
  hiddenBelow,
  isDrawn,
  isInView,
  noBrowser,
  openBrowser,
  openPaired,
  settlesAt,
  shotFolder,
  shown,
  sizes,
} from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const toEnd = (page: Page) => page.getByRole('button', { name: 'Go to the end' })

/** Starts a command with an open stdin and opens its run. */
async function openLive(page: Page, command: string): Promise<string> {
  const started = await service.post('/exec', { command, background: true, stdin: 'open' })
  const { id } = (await started.json()) as ExecRecord
  await goTo(page, `#/runs/${id}`)
  return id
}

t.test('follows the end of a live output although the layout moves it', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const id = await openLive(page, 'seq -f line-%g-end 3000; read go; seq -f line-%g-end 3001 3100; read go')
  t.ok(await until(() => isInView(page, 'line-3000-end')))
  // as when a hint appears above the output in the frame in which old lines are dropped: the end is not in view, and rounding lowers the offset
  await page.evaluate(`{
    const screen = document.querySelector('.screen')
    screen.style.maxHeight = screen.offsetHeight - 60 + 'px'
    screen.scrollTop -= 1
  }`)
  await isDrawn(page)
  t.equal(await toEnd(page).count(), 0, 'nobody has scrolled')
  t.ok(await until(() => isInView(page, 'line-3000-end')), 'the end is in view again')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  t.ok(await until(() => isInView(page, 'line-3100-end')), 'the next lines come into view')
  t.equal(await toEnd(page).count(), 0)
  await service.post(`/runs/${id}/stdin`, { data: '\n', end: true })
  t.same(pageErrors, [])
  await context.close()
})

const acts: [name: string, act: (page: Page) => Promise<void>][] = [
  ['the mouse wheel', (page) => page.mouse.wheel(0, -400)],
  ['a key', (page) => page.locator('.screen').press('PageUp')],
]

t.test('stops following a live output when the user scrolls up', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const id = await openLive(page, 'seq 2000; while sleep 0.02; do echo more; done')
  for (const [name, act] of acts) {
    t.ok(await until(() => isInView(page, 'more')), 'follows the end')
    await page.locator('.screen').hover()
    await act(page)
    await toEnd(page).waitFor()
    const top = () => page.evaluate<number>("document.querySelector('.screen').scrollTop")
    await new Promise((resolve) => setTimeout(resolve, 500)) // smooth scrolling has ended
    const before = await top()
    await new Promise((resolve) => setTimeout(resolve, 500))
    t.equal(await top(), before, `${name} stops it`)
    await toEnd(page).click()
    await until(async () => (await toEnd(page).count()) === 0)
  }
  await service.request(`/runs/${id}/cancel`, { method: 'POST' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('output that arrives before the event of a scroll does not undo the scroll', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const id = await openLive(page, 'seq -f line-%g-end 300; read go; echo more; read go')
  t.ok(await until(() => isInView(page, 'line-300-end')))
  const screen = "document.querySelector('.screen')"
  await page.evaluate(`{
    const set = setTimeout
    globalThis.setTimeout = (call, ms, ...more) => ms !== 1000 && set(call, ms, ...more) // the act does not end
    globalThis.isHeld = true
    addEventListener('scroll', (event) => isHeld && event.stopImmediatePropagation(), { capture: true })
    ${screen}.dispatchEvent(new Event('pointerdown'))
    ${screen}.scrollTop = 0
  }`)
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  t.ok(await until(async () => (await shown(page)).includes('more\n')))
  await isDrawn(page)
  t.equal(await page.evaluate(`${screen}.scrollTop`), 0)
  await page.evaluate(`{ isHeld = false; ${screen}.dispatchEvent(new Event('scroll')) }`)
  await toEnd(page).waitFor()
  await service.post(`/runs/${id}/stdin`, { data: '\n', end: true })
  t.same(pageErrors, [])
  await context.close()
})

t.test('the window shows the newest line of a live run and the last one of an ended run', async (t) => {
  for (const viewport of [sizes.phone, sizes.laptop, { width: 1920, height: 1080 }]) {
    const { page, context, pageErrors } = await openPaired(browser, service, { viewport })
    const id = await openLive(page, 'seq -f row-%g-end 80; read go; echo THE-END >&2; exit 1')
    const size = `${viewport.width} x ${viewport.height}`
    t.ok(await until(() => isInView(page, 'row-80-end')))
    await settlesAt(t, () => hiddenBelow(page, 'row-80-end'), 0, `${size}: live`)
    await page.screenshot({ path: join(shotFolder(), `follow-live-${viewport.width}.png`) })
    await service.post(`/runs/${id}/stdin`, { data: '\n', end: true })
    await page.getByText('exit code 1').waitFor()
    await settlesAt(t, () => hiddenBelow(page, 'THE-END'), 0, `${size}: ended while the page followed it`)
    await goTo(page, '#/runs')
    await goTo(page, `#/runs/${id}`)
    t.ok(await until(() => isInView(page, 'THE-END')))
    await settlesAt(t, () => hiddenBelow(page, 'THE-END'), 0, `${size}: opened after its end`)
    await page.screenshot({ path: join(shotFolder(), `follow-ended-${viewport.width}.png`) })
    t.same(pageErrors, [])
    await context.close()
  }
})
