import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import { goTo, noBrowser, openBrowser, openPaired, runIn, settlesAt, shotFolder, shown, sizes } from './browser.ts'
import { tokenOf } from './page-service.ts'
import { noSessions, startService, until, wants } from '../support/helper.ts'
import { reply, startReceiver } from '../server/wake/webhook-world.ts'

wants(t, noBrowser)
const folder = mkdtempSync(join(tmpdir(), 'shellphone-page-sessions-'))
const receiver = await startReceiver((received, nth, response) =>
  reply(received.path === '/gone' ? 410 : received.path === '/late' ? 503 : 204)(received, nth, response),
)
const service = await startService({
  env: { SHELLPHONE_POLICY: 'open', SHELLPHONE_WEBHOOK_HOSTS: JSON.stringify([receiver.host]) },
})
const browser = await openBrowser()
t.teardown(async () => {
  await Promise.all([browser.close(), service.stop(), receiver.close()])
  rmSync(folder, { recursive: true, force: true })
})
const needs = { skip: (await noSessions(service)) ?? false }

/** Calls the service as the browser does. */
async function callAs(page: Page, method: string, path: string, body?: object): Promise<any> {
  const headers = { ...(body && { 'content-type': 'application/json' }) }
  const more = body ? { body: JSON.stringify(body) } : {}
  const response = await service.request(path, { method, token: await tokenOf(page), headers, ...more })
  return response.status === 204 ? null : response.json()
}
/** The names and values of the facts in an element. */
const factsOf = (page: Page, selector: string) =>
  page.evaluate<Record<string, string>>(
    `Object.fromEntries([...document.querySelectorAll(${JSON.stringify(`${selector} .facts > div`)})].map((row) =>
      [row.querySelector('dt').textContent, row.querySelector('dd').textContent]))`,
  )

t.test('lists the sessions of all tokens, and ends one of its own', needs, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/sessions' })
  await page.getByText('No token has a session.').waitFor()
  await service.exec({ command: 'true', session: 'of-the-owner' })
  await callAs(page, 'POST', '/exec', { command: 'export CC=clang LD=lld; cd /usr; unset HOME', session: 'build' })
  for (const session of ['idle', 'busy']) await callAs(page, 'POST', '/exec', { command: 'true', session })
  const go = join(folder, 'go')
  const command = `while [ ! -e ${go} ]; do sleep 0.02; done`
  const busy = callAs(page, 'POST', '/exec', { command, session: 'busy', timeout_seconds: 600 })
  await until(async () => (await callAs(page, 'GET', '/sessions/busy')).busy)
  await page.reload()
  const cards = page.locator('main article')
  await cards.nth(3).waitFor()
  const own = ['build', 'busy', 'idle']
  t.same(await cards.locator('strong').allTextContents(), [...own, 'of-the-owner'], 'its own first')
  const ofOwner = page.locator('article[aria-label="of-the-owner (owner)"]')
  t.match(await factsOf(page, 'article[aria-label="of-the-owner (owner)"]'), { Token: 'owner' })
  t.equal(await ofOwner.getByRole('button').count(), 0, 'it cannot end the session of another token')
  t.equal(await page.getByRole('button', { name: 'End the session' }).count(), own.length)
  const facts = await factsOf(page, 'article[aria-label="build"]')
  t.match(facts, { Directory: '/usr', Variables: '2: CC, LD', 'Removed variables': '1: HOME' })
  t.match(
    facts.Ends,
    /^(in (23|24) h|in 1 d|tomorrow).*unless a command uses it before/,
    'after 24 hours without a command',
  )
  t.match(await factsOf(page, 'article[aria-label="idle"]'), { Variables: 'none' })
  await page.locator('article[aria-label="busy"]').getByText('in use').waitFor()
  t.equal(await page.getByText('in use').count(), 1)
  t.notMatch(await page.locator('main').textContent(), /clang|lld/, 'no values')
  await page.getByRole('link', { name: 'Runs of this session build' }).click()
  await page.locator('.run-row', { hasText: 'export CC=clang' }).waitFor()
  await page.getByText('End of the list.').waitFor()
  t.equal(await page.locator('.run-row').count(), 1, 'only the runs of that session')
  await page.getByRole('button', { name: 'Session build' }).click()
  await page.locator('.run-row', { hasText: 'true' }).first().waitFor()
  await goTo(page, '#/sessions')
  await ofOwner.getByRole('link', { name: 'Runs of this session of-the-owner (owner)' }).click()
  await page.getByText('End of the list.').waitFor()
  t.equal(await page.locator('.run-row').count(), 1, 'the runs of the other token in its session')
  await goTo(page, '#/sessions')
  await cards.nth(3).waitFor()
  await page
    .locator('article[aria-label="build"]')
    .getByRole('button', { name: 'End the session build' })
    .press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  t.equal((await callAs(page, 'GET', '/sessions')).sessions.length, 3, 'nothing ends before a confirmation')
  await page
    .locator('article[aria-label="build"]')
    .getByRole('button', { name: 'End the session build' })
    .press('Enter')
  await page.getByRole('button', { name: 'Yes, end build' }).press('Enter')
  await settlesAt(
    t,
    () => cards.locator('strong').allTextContents(),
    ['busy', 'idle', 'of-the-owner'],
    'the session has ended',
  )
  t.same(
    (await callAs(page, 'GET', '/sessions')).sessions.map(({ name }: { name: string }) => name),
    ['busy', 'idle'],
  )
  writeFileSync(go, '')
  await busy
  for (let nth = 0; nth < 6; nth++) await callAs(page, 'POST', '/exec', { command: 'true', session: `more-${nth}` })
  await page.reload()
  await page.getByLabel('Search sessions').fill('MORE-3')
  await settlesAt(t, () => cards.locator('strong').allTextContents(), ['more-3'], 'the search finds one of many')
  await page.getByLabel('Search sessions').fill('')
  await page.locator('h1').focus()
  await page.keyboard.press('j')
  await settlesAt(t, () => page.evaluate('document.activeElement.ariaLabel'), 'busy', 'j goes to the first session')
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('a browser that reads only its own runs lists only what is its own', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: '#/sessions',
    rights: { approves: 'none', read: 'own', shell: false },
    expected: [/status of 403/], // it asks once for those of all tokens
  })
  await page.getByText('This browser has no sessions; other tokens may have some').waitFor()
  const asked: string[] = []
  page.on('request', (request) => void (request.url().includes('all=true') && asked.push(request.url())))
  await goTo(page, '#/webhooks')
  await page.getByText('This browser has no webhooks; other tokens may have some').waitFor()
  t.match(await page.locator('main').textContent(), 'because it reads only its own runs')
  await callAs(page, 'PUT', '/webhooks/mine', { url: receiver.url })
  await goTo(page, '#/sessions')
  await goTo(page, '#/webhooks')
  await page.getByRole('button', { name: 'Delete mine' }).click()
  await page.getByRole('button', { name: 'Yes, delete mine' }).click()
  await page.getByText('This browser has no webhooks; other tokens may have some').waitFor()
  t.same(asked, [], 'it does not ask for those of others again')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a command runs in the session that the form names', needs, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/run' })
  await callAs(page, 'POST', '/exec', { command: 'export CC=clang; cd /usr', session: 'form' })
  await page.getByText('Options', { exact: true }).click()
  await page.getByLabel('Session').fill('form')
  await runIn(page, 'pwd; echo "$CC"')
  await settlesAt(t, () => shown(page), '/usr\nclang\n', 'in its directory, with its variables')
  t.match((await callAs(page, 'GET', '/runs?limit=1')).runs[0].session, { name: 'form', kept: true })
  await page.getByRole('button', { name: 'Run again' }).first().click()
  t.equal(await page.getByLabel('Session').inputValue(), 'form', 'again in the same session')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a run shows its session, what it changed there, and why that was not kept', needs, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const inSession = async (command: string, more = {}) => {
    const { id } = await callAs(page, 'POST', '/exec', { command, session: 'facts', ...more })
    await until(async () => (await callAs(page, 'GET', `/runs/${id}`)).ended_at !== null)
    await goTo(page, `#/runs/${id}`)
    const read = async () => await factsOf(page, 'main .card')
    await until(async () => (await read()).Id === id)
    return (await read()).Session
  }
  t.equal(
    await inSession('cd /usr; export CC=clang; unset HOME'),
    'factsset CC, removed HOMEThe next command starts in this state, in /usr.',
  )
  t.match(
    await inSession('export LD=lld', { background: true }),
    /^facts.*Not kept: a terminal, or a background run without a lease, only reads/,
  )
  t.match(await inSession('exec true'), /^facts.*Not kept: the shell was replaced with exec/)
  await page.locator('main').getByRole('link', { name: 'facts' }).click()
  await page.locator('article[aria-label="facts"]').waitFor()
  const plain = await callAs(page, 'POST', '/exec', { command: 'true' })
  await goTo(page, `#/runs/${plain.id}`)
  await until(async () => (await factsOf(page, 'main .card')).Id === plain.id)
  t.equal((await factsOf(page, 'main .card')).Session, undefined, 'a run without a session has no such row')
  t.same(pageErrors, [])
  await context.close()
})

t.test('lists the webhooks of all tokens with their last deliveries, and deletes one of its own', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: '#/webhooks',
    viewport: sizes.phone,
  })
  await page.getByText('No token has a webhook: the service sends nothing.').waitFor()
  t.match(await page.locator('main pre').textContent(), `curl -X PUT ${service.url}/webhooks/NAME`)
  const base = receiver.url.replace(/hook$/, '')
  for (const name of ['good', 'late', 'gone']) {
    await callAs(page, 'PUT', `/webhooks/${name}`, { url: `${base}${name}`, types: ['run.ended'] })
  }
  await service.request('/webhooks/of-the-owner', {
    ...{ method: 'PUT', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ url: receiver.url, types: ['run.asked'] }),
  })
  const { id } = await callAs(page, 'POST', '/exec', { command: 'true' })
  const deliveries = async () =>
    (await callAs(page, 'GET', '/webhooks')).webhooks.map(
      ({ deliveries: [one] }: any) => one && [one.status, one.tries],
    )
  await until(async () => JSON.stringify(await deliveries()) === '[["delivered",1],["waiting",1],["failed",1]]')
  await page.reload()
  const card = (name: string) => page.locator(`article[aria-label="${name}"]`)
  await card('of-the-owner (owner)').waitFor()
  t.match(await factsOf(page, 'article[aria-label="of-the-owner (owner)"]'), { Token: 'owner' })
  t.equal(await card('of-the-owner (owner)').getByRole('button').count(), 0, 'it cannot delete that of another token')
  const delivery = async (name: string) => (await card(name).locator('.lines li').allTextContents()).join('|')
  await card('gone').waitFor()
  const tail = id.slice(-6)
  t.match(
    await delivery('good'),
    new RegExp(`^run ended ${tail}delivered1 try · last try .*\\d:\\d\\d.* · response 204$`),
  )
  t.match(
    await delivery('late'),
    new RegExp(`^run ended ${tail}waiting1 try · .* responded with status 503 · next try `),
  )
  t.match(await delivery('gone'), new RegExp(`^run ended ${tail}failed1 try · last try .* responded with status 410$`))
  await card('gone').getByText('ended by the receiver').waitFor()
  await card('late').getByText('1 event waits').waitFor()
  t.match(await factsOf(page, 'article[aria-label="good"]'), { Address: `${base}good`, Events: 'run ended' })
  await page.screenshot({ path: `${shotFolder()}/webhooks-deliveries-phone.png`, fullPage: true })
  await card('late').getByRole('button', { name: 'Delete late' }).click()
  await page.getByRole('button', { name: 'Yes, delete late' }).click()
  await card('late').waitFor({ state: 'detached' })
  t.equal((await callAs(page, 'GET', '/webhooks')).webhooks.length, 2)
  await card('good')
    .getByRole('link', { name: `Run ${id.slice(-6)}` })
    .click()
  await page.waitForURL(`**/#/runs/${id}`)
  t.same(pageErrors, [])
  await context.close()
})
