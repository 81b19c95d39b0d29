import t from 'tap'
import type { Page } from 'playwright-core'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { goTo, isDrawn, isInView, noBrowser, openBrowser, openPaired } from './browser.ts'
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
