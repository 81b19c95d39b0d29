import t from 'tap'
import type { Page } from 'playwright-core'
import type { PendingApproval } from '../../src/shared/schema/index.ts'
import { goTo, noBrowser, openBrowser, openPaired, runIn, sizes } from './browser.ts'
import { noTerminals, startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({
  env: {
    SHELLPHONE_POLICY: 'supervised',
    SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600',
    SHELL: '/bin/sh',
  },
})
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))
const skipTerminal = (await noTerminals(service)) ?? false

const count = (page: Page, what: RegExp) => page.locator('.counts').getByRole('link', { name: what })
const outputArea = (page: Page) => page.locator('.screen')
const start = async (body: object) =>
  ((await (await service.post('/exec', { background: true, ...body })).json()) as { id: string }).id
const startTerminal = () => start({ command: 'exec sh', tty: { rows: 24, columns: 80 } })

t.test('a run that waits for approval has a status of its own and is answered on its own card', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await page.getByLabel('Command', { exact: true }).fill('touch asked; echo done')
  await page.keyboard.press('Enter')
  const card = page.locator('.run-card')
  await card.locator('.approval-card').waitFor()
  await card.locator('header .tag', { hasText: /^waiting for approval$/ }).waitFor()
  await count(page, /^0 running$/).waitFor() // it does not count as running
  await count(page, /^1 waiting for approval$/).waitFor()
  await outputArea(page).waitFor({ state: 'hidden' }) // there is no empty output
  await page.locator('.approval-bar').waitFor({ state: 'detached' }) // no bar covers the view
  await goTo(page, '#/runs?status=waiting')
  await page.locator('.run-row', { hasText: 'waiting for approval' }).waitFor()
  await page.locator('.run-row').first().click()
  await card.getByRole('button', { name: 'Approve once' }).click()
  await page.locator('.run-end').waitFor()
  t.ok(await until(async () => /done/.test((await page.locator('.blocks').textContent()) ?? '')))
  t.equal(await page.locator('.facts dt', { hasText: 'Dialect' }).count(), 0, 'this page used no dialect')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a run that is approved shows how long it has been running', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await page.getByLabel('Command', { exact: true }).fill('touch asked; sleep 300')
  await page.keyboard.press('Enter')
  const card = page.locator('.run-card')
  await card.getByRole('button', { name: 'Approve once' }).click()
  await card.locator('header .tag', { hasText: 'running' }).waitFor()
  t.ok(await until(async () => (await card.locator('header > .dim').count()) === 1))
  await service.request(`/runs/${/\w{26}$/.exec(page.url())![0]}`, { method: 'DELETE' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('the answers to a high-risk run fit on its card on a phone', { skip: skipTerminal }, async (t) => {
  const id = await startTerminal()
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: `#/run/${id}`,
    viewport: sizes.phone,
  })
  await page.locator('.approval-card').getByRole('button', { name: 'Deny' }).waitFor()
  const overhang = await page.evaluate<number>(`(() => {
    const card = document.querySelector('.approval-card').getBoundingClientRect()
    return Math.max(...[...document.querySelectorAll('.answers *')].map((one) => one.getBoundingClientRect().right - card.right))
  })()`)
  t.ok(overhang <= 0, `${overhang} pixels beyond the card`)
  await service.request(`/runs/${id}`, { method: 'DELETE' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('a denied run and an unknown run show no empty output', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { expected: [/status of 404/] })
  await runIn(page, 'rm -rf /')
  await outputArea(page).waitFor({ state: 'hidden' })
  await goTo(page, `#/runs/${'0'.repeat(26)}`)
  await page.locator('.state.failed').waitFor()
  await outputArea(page).waitFor({ state: 'hidden' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('a terminal opens at once for a person with the right', { skip: skipTerminal }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: '#/terminal',
    viewport: sizes.phone,
  })
  await page.getByRole('button', { name: 'Open a terminal' }).click()
  const hasPrompt = async () => /[#$]/.test((await page.locator('.xterm-rows').textContent()) ?? '')
  t.ok(await until(hasPrompt), 'shows a prompt without another approval')
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await page.getByText(/The terminal has ended/).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('the pending approval of a terminal is shown in place of its screen', { skip: skipTerminal }, async (t) => {
  const id = await startTerminal()
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: `#/terminal/${id}`,
    viewport: sizes.phone,
    hasTouch: true,
  })
  await page.locator('.tty').getByRole('button', { name: 'Deny' }).waitFor()
  await page.locator('.approval-bar').waitFor({ state: 'detached' })
  const other = await start({ command: 'touch other' })
  await page.locator('.approval-bar').waitFor()
  const { approvals } = (await (await service.request('/approvals')).json()) as { approvals: PendingApproval[] }
  const asked = approvals.find(({ run_id }) => run_id === id)!
  t.equal((await service.post(`/approvals/${asked.id}`, { decision: 'approve' })).status, 200)
  await page.locator('.touch-keys').waitFor()
  const overlap = async () => {
    const bar = await page.locator('.approval-bar').boundingBox()
    const keys = await page.locator('.touch-keys').boundingBox()
    return bar && keys ? keys.y + keys.height - bar.y : Number.NaN
  }
  t.ok(await until(async () => (await overlap()) <= 0), `another approval covers ${await overlap()} pixels of the keys`)
  for (const run of [other, id]) await service.request(`/runs/${run}`, { method: 'DELETE' })
  t.same(pageErrors, [])
  await context.close()
})
