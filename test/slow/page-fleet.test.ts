import type { Page } from 'playwright-core'
import t from 'tap'
import {
  goTo,
  isConnected,
  isDrawn,
  noBrowser,
  openBrowser,
  openVisit,
  settlesAt,
  shown,
  shotFolder,
  sizes,
} from './browser.ts'
import { docsRoute, pageRoutes } from '../../src/server/routes/index.ts'
import { root, until, wants } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, json, startPlane } from '../support/plane.ts'

wants(t, noBrowser ?? noBroker)

const broker = await startBroker()
const page = new URL(`file://${root}/dist/page/`)
const plane = await startPlane(broker, {
  async page(app) {
    await pageRoutes(app, { page })
    await docsRoute(app, { docs: new URL(`file://${root}/src/server/routes/docs.html`), certificatePin: null })
  },
})
const careful = await addPhone(plane, broker, 'careful', { env: { SHELLPHONE_POLICY: 'supervised' } })
const open = await addPhone(plane, broker, 'open', { env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(async () => {
  await browser.close()
  await Promise.all([careful.stop(), open.stop()])
  await plane.close()
  await broker.stop()
})

/** Opens the control plane's page, paired with a new token of this role, at the list of phones. */
async function paired(name: string, role: string, options = {}) {
  const visit = await openVisit(browser, { expected: [/status of (40[34]|503)/, /WebSocket/], ...options })
  await visit.page.goto(`${plane.url}/#token=${await plane.token(name, role)}`)
  await visit.page.getByRole('heading', { name: 'Phones' }).waitFor()
  return visit
}
/** The name of the phone that the page has selected. */
const selected = (page: Page) => page.getByLabel('Phone in the fleet').inputValue()
/** Selects a phone in the header. */
async function choose(page: Page, name: string) {
  await page.getByLabel('Phone in the fleet').selectOption(name)
  await page.waitForURL(new RegExp(`#/phones/${name}/`))
  await isConnected(page)
}
/** Runs a command on the phone that the page shows; resolves with the id of the run when the page shows its end. */
async function runHere(page: Page, command: string): Promise<string> {
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByLabel('Command', { exact: true }).fill(command)
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/phones\/[a-z]+\/run\/\w{26}/)
  await page.locator('.run-end').waitFor()
  return /\w{26}$/.exec(page.url())![0]
}
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
    await choose(page, name)
    const id = await runHere(page, `echo at ${name}; seq 1 3000`)
    t.ok(await until(async () => (await shown(page)).includes('3000')))
    t.match(await shown(page), new RegExp(`^at ${name}\n1\n2\n`))
    t.match(await recordOf(name, id), { status: 'completed', token: 'fleet/browser' })
    await goTo(page, `#/phones/${name}/phone`)
    await page.locator('.tile').first().waitFor()
  }
  await page.reload()
  await isConnected(page)
  await settlesAt(t, () => selected(page), 'careful', 'the phone stays selected after a reload')
  await goTo(page, '#/phones/careful/access')
  await page.getByRole('button', { name: 'Sign out this browser' }).click()
  await page.getByRole('button', { name: 'Yes, sign out' }).click()
  await page.getByText('This browser is signed out').waitFor()
  t.equal(await page.locator('nav.bar').count(), 0, 'the token from the link does not pair it again')
  t.same(pageErrors, [])
  await context.close()
})

t.test('lists and answers the approvals of every phone, whichever phone is selected', async (t) => {
  const { page, context, pageErrors } = await paired('answerer', 'person', { viewport: sizes.phone })
  await choose(page, 'open')
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
  await page.waitForURL(`**/#/phones/careful/runs/${approved.id}`)
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
    .locator('.phone-table tbody tr', { hasText: /online.*connected now.*0\.1\.0/ })
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
  await choose(page, 'open')
  await runHere(page, 'echo as an agent')
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

t.test('the address names the phone, and so does the button that runs a command', async (t) => {
  const { page, context, pageErrors } = await paired('addressed', 'person')
  await settlesAt(t, () => selected(page), '', 'no phone is selected before the user chooses one')
  await page.getByRole('link', { name: 'careful', exact: true }).click()
  await isConnected(page)
  await page.waitForURL(/#\/phones\/careful\/run$/)
  await page.getByRole('button', { name: 'Run on careful' }).waitFor()
  const { id } = await startCommand('open', 'echo only-on-open')
  await goTo(page, `#/phones/open/runs/${id}`)
  await page.getByText('echo only-on-open').first().waitFor()
  await settlesAt(t, () => selected(page), 'open', 'the address selects the phone')
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click()
  await page.waitForURL(/#\/phones\/open\/runs$/) // links stay with the phone
  await goTo(page, '#/phones/nobody/runs')
  await page.getByText('no phone of this name').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('never shows the runs of one phone under another, and says which phone is offline', async (t) => {
  const { page, context } = await paired('switcher', 'person')
  const gone = await addPhone(plane, broker, 'gone', { env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => gone.stop())
  await page.reload()
  await choose(page, 'gone')
  await choose(page, 'open')
  await runHere(page, 'echo ran-on-open')
  await gone.stop()
  await page.getByLabel('Phone in the fleet').selectOption('gone')
  await page.getByText('gone is offline').waitFor()
  await page.getByRole('link', { name: 'Runs', exact: true }).first().click()
  await page.getByRole('heading', { name: 'Runs' }).waitFor()
  await isDrawn(page)
  t.equal(await page.getByText('ran-on-open').count(), 0, 'the runs of another phone are not shown')
  t.equal(await page.getByText('No connection').count(), 0, 'the control plane is connected')
  await page.getByRole('status').filter({ hasText: 'phone offline' }).waitFor()
  await page.screenshot({ path: `${shotFolder()}/fleet-offline-laptop.png` })
  await goTo(page, '#/phones')
  await page.locator('.phone-table tr', { hasText: 'gone' }).getByText('offline').waitFor()
  t.equal(await page.getByText('gone is offline').count(), 0, 'the list of phones does not depend on one phone')
  await context.close()
})

t.test('runs a job on several phones and shows its result on each', async (t) => {
  const { page, context, pageErrors } = await paired('worker', 'person')
  await page.getByRole('link', { name: 'Run a command on several phones' }).click()
  await page.getByLabel('Command', { exact: true }).fill('touch a-job; echo job at $((6 * 7)); exit 3')
  await page.getByLabel('Phones', { exact: true }).selectOption({ label: 'Chosen phones' })
  await page.getByRole('button', { name: 'Run on 0 phones' }).waitFor()
  await page.getByRole('checkbox', { name: 'open' }).check()
  await page.getByRole('checkbox', { name: 'careful' }).check()
  await page.screenshot({ path: `${shotFolder()}/fleet-new-job-laptop.png` })
  await page.getByRole('button', { name: 'Run on 2 phones' }).click()
  await page.waitForURL(/#\/jobs\/[\w-]+$/)
  await page.locator('.approval-bar', { hasText: 'careful' }).waitFor()
  const waiting = page.locator('.lines li', { hasText: 'waiting for approval' })
  await waiting.getByRole('link', { name: 'careful', exact: true }).waitFor()
  await page.locator('dd', { hasText: '1 waiting for approval' }).waitFor()
  await page.screenshot({ path: `${shotFolder()}/fleet-job-waiting-laptop.png` })
  await waiting.getByRole('link', { name: 'Review' }).click()
  await page.locator('.approval-card', { hasText: 'job at' }).waitFor()
  await page.goBack()
  const { approvals } = await plane.get('/approvals')
  const { id } = approvals.find(({ command }: { command: string }) => command.startsWith('touch a-job'))
  await plane.post(`/phones/careful/approvals/${id}`, { decision: 'approve' })
  await page.getByText('2 ended').waitFor()
  for (const name of ['open', 'careful']) {
    const row = page.locator('.lines li', { has: page.getByRole('link', { name, exact: true }) })
    await row.filter({ hasText: 'job at 42' }).waitFor()
    t.match(await row.textContent(), /\d m?s.*exit code 3.*failed.*job at 42/, name)
  }
  await page.screenshot({ path: `${shotFolder()}/fleet-job-laptop.png` })
  await page.setViewportSize(sizes.phone)
  await page.screenshot({ path: `${shotFolder()}/fleet-job-phone.png` })
  await page.getByRole('link', { name: 'open', exact: true }).click()
  await page.waitForURL(/#\/phones\/open\/runs\/\w{26}/)
  await goTo(page, '#/jobs')
  await page.locator('.rows li', { hasText: 'echo job at' }).getByText('2 ended').waitFor()
  const { job } = await json(
    await plane.post('/exec', { command: 'echo elsewhere', phones: 'name=open', queue_seconds: 60 }),
  )
  await page.reload()
  const rows = page.locator('.rows li')
  await rows.filter({ hasText: 'echo elsewhere' }).getByText('1 ended').waitFor()
  t.match((await rows.allTextContents())[0], /echo elsewhere/, 'the newest job is the first, also one of another token')
  await rows.filter({ hasText: 'echo elsewhere' }).getByRole('link').click()
  await page.waitForURL(`**/#/jobs/${job}`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('every view of a control plane links to its manual', async (t) => {
  const { page, context, pageErrors } = await paired('reader', 'person')
  const docs = await (await fetch(`${plane.url}/docs`)).text()
  for (const view of ['phones', 'jobs', 'phones/open/run', 'phones/open/settings']) {
    await goTo(page, `#/${view}`)
    const link = page.getByRole('link', { name: 'Manual of this view' }).first()
    await link.waitFor()
    const [path, anchor] = (await link.getAttribute('href'))!.split('#')
    t.equal(path, '/docs')
    t.match(docs, `<section id="${anchor}">`, view)
  }
  t.same(pageErrors, [])
  await context.close()
})
