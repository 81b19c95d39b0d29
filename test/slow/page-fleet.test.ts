import t from 'tap'
import { goTo, isConnected, noBrowser, openBrowser, openVisit, runIn, shown, shotFolder, sizes } from './browser.ts'
import { pageRoutes } from '../../src/server/routes/index.ts'
import { root, until, wants } from '../support/helper.ts'
import { noBroker, startBroker } from '../support/nats.ts'
import { addPhone, json, startPlane } from '../support/plane.ts'

wants(t, noBrowser ?? noBroker)
/** a broker, phones and browsers: on a busy machine longer than a file usually has */

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

/** The plane's page, paired with a token of this role. */
async function paired(name: string, role: string, options = {}) {
  const visit = await openVisit(browser, { expected: [/status of 40[34]/], ...options })
  await visit.page.goto(`${plane.url}/#token=${await plane.token(name, role)}`)
  await isConnected(visit.page)
  return visit
}
const asks = (name: string, command: string) =>
  plane.post(`/phones/${name}/exec`, { command, background: true }).then(json)
const recordOf = (name: string, id: string) => plane.get(`/phones/${name}/runs/${id}`)

t.test('the page is served as a phone serves it', async (t) => {
  const [here, there] = await Promise.all([fetch(`${plane.url}/`), fetch(`${open.url}/`)])
  t.equal(here.status, 200)
  t.equal(here.headers.get('content-security-policy'), there.headers.get('content-security-policy'))
  t.equal(await here.text(), await there.text())
  t.equal((await fetch(`${plane.url}/phones`)).status, 401, 'and nothing else without a token')
})

t.test('a phone is chosen, runs a command and shows its output; another one has its own', async (t) => {
  const { page, context, troubles } = await paired('browser', 'person')
  for (const name of ['open', 'careful']) {
    await page.getByLabel('Phone of the fleet').fill(name)
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
  t.equal(await page.getByLabel('Phone of the fleet').inputValue(), 'careful', 'it stays chosen')
  await goTo(page, '#/access')
  await page.getByRole('button', { name: 'Sign out this browser' }).click()
  await page.getByText('This browser is signed out').waitFor()
  t.equal(await page.locator('nav.bar').count(), 0, 'and it is not paired again by what the link brought')
  t.same(troubles, [])
  await context.close()
})

t.test("the fleet's questions are in one list, and answered there, whichever phone is looked at", async (t) => {
  const { page, context, troubles } = await paired('answerer', 'person', { viewport: sizes.phone })
  await page.getByLabel('Phone of the fleet').fill('open')
  await page.keyboard.press('Enter')
  const [yes, no] = [await asks('careful', 'touch from-the-plane'), await asks('careful', 'touch never')]
  await page.locator('.ask-bar', { hasText: 'careful' }).waitFor()
  await goTo(page, '#/approvals')
  const card = (text: string) => page.locator('.question', { hasText: text })
  await card('from-the-plane').getByText('careful', { exact: true }).waitFor()
  await page.screenshot({ path: `${shotFolder()}/fleet-approvals-phone.png` })
  await card('touch never').getByRole('button', { name: 'Deny' }).click()
  await card('from-the-plane').getByRole('button', { name: 'Approve once' }).click()
  await page.getByText('Approved', { exact: true }).waitFor()
  await page.getByText('Denied', { exact: true }).waitFor()
  const ended = async (id: string) => (await recordOf('careful', id)).ended_at !== null
  t.ok(await until(async () => (await ended(yes.id)) && (await ended(no.id))))
  t.match(await recordOf('careful', yes.id), {
    status: 'completed',
    approval: { outcome: 'approved', by: 'fleet/answerer' },
  })
  t.match(await recordOf('careful', no.id), { status: 'denied', approval: { outcome: 'denied' } })
  await card('from-the-plane').getByRole('link').click()
  await page.getByText('touch from-the-plane').first().waitFor()
  t.equal(await page.getByLabel('Phone of the fleet').inputValue(), 'careful', 'its run is on its phone')
  t.same(troubles, [])
  await context.close()
})

t.test('an agent sees and runs, and answers nothing', async (t) => {
  const { page, context } = await paired('robot', 'agent')
  await page.getByLabel('Phone of the fleet').fill('open')
  await page.keyboard.press('Enter')
  await isConnected(page)
  await runIn(page, 'echo as an agent')
  await asks('careful', 'touch by-nobody')
  await goTo(page, '#/approvals')
  await page.waitForTimeout(4_000)
  t.equal(await page.locator('.question').count(), 0, 'questions are for people')
  t.notMatch(page.url(), /token=/, 'no token stays in the address')
  await plane.request('/tokens/robot', { method: 'DELETE' })
  await page.getByText('its token was revoked').waitFor()
  await context.close()
})
