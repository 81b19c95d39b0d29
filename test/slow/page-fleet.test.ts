import type { Page } from 'playwright-core'
import t from 'tap'
import {
  goTo,
  isConnected,
  isDrawn,
  noBrowser,
  openBrowser,
  openVisit,
  runIn,
  settlesAt,
  shown,
  shotFolder,
  sizes,
} from './browser.ts'
import { pageRoutes } from '../../src/server/routes/index.ts'
import { root, until, wants } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, json, startPlane } from '../support/plane.ts'

wants(t, noBrowser ?? noBroker)

const broker = await startBroker()
const page = new URL(`file://${root}/dist/page/`)
const plane = await startPlane(broker, { page: (app) => pageRoutes(app, { page }) })
const careful = await addPhone(plane, broker, 'careful', { env: { SHELLPHONE_POLICY: 'supervised' } })
const open = await addPhone(plane, broker, 'open', { env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(async () => {
  await browser.close()
  await Promise.all([careful.stop(), open.stop()])
  await plane.close()
  await broker.stop()
})

/** Opens the control plane's page, paired with a new token of this role. */
async function paired(name: string, role: string, options = {}) {
  const visit = await openVisit(browser, { expected: [/status of 40[34]/], ...options })
  await visit.page.goto(`${plane.url}/#token=${await plane.token(name, role)}`)
  await isConnected(visit.page)
  return visit
}
/** The name of the phone that the page has selected. */
const selected = (page: Page) => page.getByLabel('Phone in the fleet').inputValue()
const startCommand = (name: string, command: string) =>
  plane.post(`/phones/${name}/exec`, { command, background: true }).then(json)
const recordOf = (name: string, id: string) => plane.get(`/phones/${name}/runs/${id}`)

t.test('the control plane serves the same page as a phone', async (t) => {
  const [here, there] = await Promise.all([fetch(`${plane.url}/`), fetch(`${open.url}/`)])
  t.equal(here.status, 200)
  t.equal(here.headers.get('content-security-policy'), there.headers.get('content-security-policy'))
  t.equal(await here.text(), await there.text())
  t.equal((await fetch(`${plane.url}/phones`)).status, 401, 'other routes need a token')
})

t.test('runs commands on the selected phone and shows its output', async (t) => {
  const { page, context, pageErrors } = await paired('browser', 'person')
  for (const name of ['open', 'careful']) {
    await page.getByLabel('Phone in the fleet').fill(name)
    await page.keyboard.press('Enter')
    await isConnected(page)
    const id = await runIn(page, `echo at ${name}; seq 1 3000`)
    t.ok(await until(async () => (await shown(page)).includes('3000')))
    t.match(await shown(page), new RegExp(`^at ${name}\n1\n2\n`))
    t.match(await recordOf(name, id), { status: 'completed', token: 'fleet/browser' })
    await goTo(page, '#/phone')
    await page.locator('.tile').first().waitFor()
  }
  await page.reload()
  await isConnected(page)
  await settlesAt(t, () => selected(page), 'careful', 'the phone stays selected after a reload')
  await goTo(page, '#/access')
  await page.getByRole('button', { name: 'Sign out this browser' }).click()
  await page.getByText('This browser is signed out').waitFor()
  t.equal(await page.locator('nav.bar').count(), 0, 'the token from the link does not pair it again')
  t.same(pageErrors, [])
  await context.close()
})

t.test('lists and answers the approvals of every phone, whichever phone is selected', async (t) => {
  const { page, context, pageErrors } = await paired('answerer', 'person', { viewport: sizes.phone })
  await page.getByLabel('Phone in the fleet').fill('open')
  await page.keyboard.press('Enter')
  const approved = await startCommand('careful', 'touch from-the-plane')
  const denied = await startCommand('careful', 'touch never')
  await page.locator('.approval-bar', { hasText: 'careful' }).waitFor()
  await goTo(page, '#/approvals')
  const card = (text: string) => page.locator('.approval-card', { hasText: text })
  await card('from-the-plane').getByText('careful', { exact: true }).waitFor()
  await page.screenshot({ path: `${shotFolder()}/fleet-approvals-phone.png` })
  await card('touch never').getByRole('button', { name: 'Deny' }).click()
  const approve = card('from-the-plane').getByRole('button', { name: 'Approve once' })
  await approve.scrollIntoViewIfNeeded() // it is enabled only while it is visible
  await approve.click()
  await page.getByText('Approved', { exact: true }).waitFor()
  await page.getByText('Denied', { exact: true }).waitFor()
  const ended = async (id: string) => (await recordOf('careful', id)).ended_at !== null
  t.ok(await until(async () => (await ended(approved.id)) && (await ended(denied.id))))
  t.match(await recordOf('careful', approved.id), {
    status: 'completed',
    approval: { outcome: 'approved', by: 'fleet/answerer' },
  })
  t.match(await recordOf('careful', denied.id), { status: 'denied', approval: { outcome: 'denied' } })
  await card('from-the-plane').getByRole('link').click()
  await page.getByText('touch from-the-plane').first().waitFor()
  await settlesAt(t, () => selected(page), 'careful', 'the link to the run selects its phone')
  t.same(pageErrors, [])
  await context.close()
})

t.test('lists the phones in a table that sorts, and opens one', async (t) => {
  const { page, context, pageErrors } = await paired('lister', 'person')
  await goTo(page, '#/phones')
  await page.locator('.phone-table tbody tr').nth(1).waitFor()
  const names = () => page.locator('.phone-table tbody tr a').allTextContents()
  t.same((await names()).toSorted(), ['careful', 'open'])
  t.same(await page.locator('.phone-table th').allTextContents(), [
    ...['Name', 'State', 'Labels', 'Last contact', 'Version', 'Battery', 'Running', 'Queued', 'Approvals'],
  ])
  await page
    .locator('.phone-table tbody tr', { hasText: /online.*0\.1\.0/ })
    .nth(1)
    .waitFor()
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await settlesAt(t, names, ['careful', 'open'], 'sorts by a column')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await settlesAt(t, names, ['open', 'careful'], 'a second click sorts in the opposite order')
  await page.getByRole('searchbox', { name: 'Search names and labels' }).fill('CARE')
  t.ok(await until(async () => (await names()).join() === 'careful'))
  await page.screenshot({ path: `${shotFolder()}/fleet-phones-laptop.png` })
  await page.locator('.phone-table').getByRole('link', { name: 'careful' }).click()
  await page.getByLabel('Command', { exact: true }).waitFor()
  await settlesAt(t, () => selected(page), 'careful', 'the link to a phone selects it')
  await page.setViewportSize(sizes.phone)
  await goTo(page, '#/phones')
  await page.locator('.lines li', { hasText: 'open' }).getByText('online').waitFor()
  await page.screenshot({ path: `${shotFolder()}/fleet-phones-phone.png` })
  t.same(pageErrors, [])
  await context.close()
})

t.test('an agent can run commands but sees no approvals', async (t) => {
  const { page, context } = await paired('robot', 'agent')
  await page.getByLabel('Phone in the fleet').fill('open')
  await page.keyboard.press('Enter')
  await isConnected(page)
  await runIn(page, 'echo as an agent')
  await startCommand('careful', 'touch by-nobody')
  await until(async () => (await plane.get('/approvals')).approvals.length > 0)
  await goTo(page, '#/approvals')
  const refused = await (await page.waitForRequest(/\/approvals$/)).response()
  t.equal(refused!.status(), 403)
  await isDrawn(page)
  t.equal(await page.locator('.approval-card').count(), 0, 'no approval is shown')
  t.notMatch(page.url(), /token=/, 'the address does not contain the token')
  await plane.request('/tokens/robot', { method: 'DELETE' })
  await page.getByText('its token was revoked').waitFor()
  await context.close()
})
