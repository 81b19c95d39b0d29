import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Token } from '../../src/shared/schema/index.ts'
import {
  goTo,
  isConnected,
  noBrowser,
  openBrowser,
  openPaired,
  openVisit,
  pairingLink,
  runIn,
  shotFolder,
  shown,
  sizes,
} from './browser.ts'
import { freePort, noTerminals, root, spawnBeside, startService, until } from '../support/helper.ts'
import { LAPTOP, makeLan, PHONE } from '../support/lan.ts'

const skip = noBrowser ?? false
/** The console error for a response with status 401 or 403. */
const refused = /Failed to load resource: the server responded with a status of 40[13]/

let browser: Browser
const service = skip ? null : await startService({ env: { SHELLPHONE_TERMINAL: 'on' } })
const skipTerminal = skip || (await noTerminals(service!)) || false
t.before(async () => {
  if (!skip) browser = await openBrowser()
})
t.teardown(async () => {
  await browser?.close()
  await service?.stop()
})
const tokenOf = async (more: object) =>
  ((await (await service!.post('/tokens', { approves: 'all', read: 'all', ...more })).json()) as { token: string })
    .token
/** Changes a token in the file of the service, which it reads again. */
function changeToken(name: string, change: { expires_at?: string; created_at?: string }): void {
  const file = join(service!.home, 'tokens.json')
  const stored = JSON.parse(readFileSync(file, 'utf8')) as { tokens: { name: string }[] }
  Object.assign(
    stored.tokens.find((row) => row.name === name)!,
    change,
  )
  writeFileSync(file, JSON.stringify(stored))
  service!.process.kill('SIGHUP')
}

t.test('only a valid token opens the page', { skip }, async (t) => {
  const { page, context, pageErrors } = await openVisit(browser, { expected: [refused] })
  await page.goto(service!.url)
  const field = page.getByLabel('Pairing code or token')
  for (const wrong of ['no-such-token', 'AAAA-AAAA', 'späße']) {
    await field.fill(wrong)
    await page.getByRole('button', { name: 'Pair', exact: true }).click()
    const alert = page.locator('.field [role=alert]').first()
    await alert.waitFor()
    t.match(await alert.textContent(), /This code or link is wrong, used or expired/, wrong)
    t.equal(await page.locator('nav.bar').count(), 0, wrong)
  }
  await field.fill(await tokenOf({ name: 'soon-over', expires_in_days: 1 }))
  await page.getByRole('button', { name: 'Pair', exact: true }).click()
  await isConnected(page)
  changeToken('soon-over', { expires_at: new Date(0).toISOString() })
  await goTo(page, '#/runs')
  await page.getByText('its token was revoked or has expired').waitFor()
  t.equal(await page.evaluate(`localStorage.getItem('shellphone.access')`), null, 'an expired token is deleted')

  await field.fill(await tokenOf({ name: 'to-be-revoked' }))
  await page.getByRole('button', { name: 'Pair', exact: true }).click()
  await isConnected(page)
  await service!.request('/tokens/to-be-revoked', { method: 'DELETE' })
  await page.getByText('its token was revoked or has expired').waitFor()
  t.equal(await page.locator('nav.bar').count(), 0, 'revoking a token signs the browser out at once, without a click')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a pairing link works once and leaves no trace in the address', { skip }, async (t) => {
  const link = await pairingLink(service!)
  const { page, context, pageErrors } = await openVisit(browser, { expected: [refused] })
  await page.goto(link)
  await isConnected(page)
  t.notMatch(page.url(), /pair=/)
  t.notMatch(JSON.stringify(await page.evaluate('[history.length, document.cookie, { ...sessionStorage }]')), /pair=/)
  t.same(await context.cookies(), [], 'sets no cookie')
  await page.evaluate('localStorage.clear()')
  await page.goto('about:blank')
  await page.goto(link)
  await page.locator('[role=alert]').first().waitFor()
  t.equal(await page.locator('nav.bar').count(), 0, 'the link does not work twice')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a pairing link in a paired browser replaces the token only after a click', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, { expected: [refused] })
  const nameHere = () => page.evaluate<string>(`JSON.parse(localStorage.getItem('shellphone.access')).name`)
  const first = await nameHere()
  const notice = page.getByText(`This browser is already paired as ${first}.`)
  const replace = page.getByRole('button', { name: 'Pair with the new link' })
  const keep = page.getByRole('button', { name: 'Keep the pairing' })
  const link = await pairingLink(service!)
  await page.goto(link) // in the open page
  await notice.waitFor()
  t.notMatch(page.url(), /pair=/)
  t.ok(await page.getByRole('heading', { name: 'Run', exact: true }).isVisible(), 'the page works as before')
  await keep.click()
  await notice.waitFor({ state: 'hidden' })
  t.equal(await nameHere(), first)
  await page.goto('about:blank')
  await page.goto(link) // in a new page; the code is still valid, because nobody has used it
  await notice.waitFor()
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await page.screenshot({ path: join(shotFolder(), `pair-again-${name}.png`) })
  }
  await replace.click()
  await notice.waitFor({ state: 'hidden' })
  await isConnected(page)
  const second = await nameHere()
  t.not(second, first, 'a new token')
  const names = async () => {
    const { tokens } = (await (await service!.request('/tokens')).json()) as { tokens: Token[] }
    return tokens.map(({ name }) => name)
  }
  t.ok(await until(async () => !(await names()).includes(first)), 'the one before is revoked')
  t.ok((await names()).includes(second))
  await page.goto(`${service!.url}/#pair=ABCD-EFGH`)
  await replace.click()
  await page.getByRole('alert').filter({ hasText: 'wrong, used or expired' }).waitFor()
  await keep.click()
  t.equal(await nameHere(), second, 'a wrong link changes nothing')
  const traces = await page.evaluate('[location.href, history.state, { ...sessionStorage }, { ...localStorage }]')
  t.notMatch(JSON.stringify(traces), /pair=|ABCD-EFGH/)
  for (let back = 0; back < 3; back++) {
    await page.goBack()
    t.notMatch(page.url(), /pair=/, 'no entry of the history has a code')
  }
  t.same(pageErrors, [])
  await context.close()
})

const OLD = '2020-01-01T00:00:00.000Z'

t.test('finds tokens, revokes unused ones at once, and signing out leaves no token', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service!, { expected: [refused] })
  const tokens = async () => ((await (await service!.request('/tokens')).json()) as { tokens: Token[] }).tokens
  const names = async () => (await tokens()).map(({ name }) => name)
  const [own] = (await names()).filter((name) => name.startsWith('chrome-linux')).slice(-1)
  for (const name of ['agent-1', 'agent-2', 'agent-3', 'robot-1', 'robot-2']) await tokenOf({ name })
  for (const name of ['agent-1', 'robot-2']) changeToken(name, { created_at: OLD })
  await until(async () => (await tokens()).filter(({ created_at }) => created_at === OLD).length === 2)
  await goTo(page, '#/access')
  const rows = page.locator('.card', { hasText: 'Each token can' }).locator('.lines > li')
  await page.getByRole('searchbox', { name: 'Search tokens' }).fill('ROBOT')
  t.ok(await until(async () => (await rows.count()) === 2), 'the search shows two')
  t.match(await rows.first().textContent(), /never used/)
  await page.getByRole('button', { name: 'Revoke 2 unused tokens' }).click()
  await page.getByRole('button', { name: 'Yes, revoke agent-1, robot-2' }).click()
  t.ok(await until(async () => (await rows.count()) === 1))
  t.same((await names()).filter((name) => /^(agent|robot)/.test(name)).sort(), ['agent-2', 'agent-3', 'robot-1'])
  await page.getByRole('button', { name: 'Sign out this browser' }).click()
  const sure = page.getByRole('button', { name: 'Yes, sign out' })
  await sure.waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  t.equal(await page.locator('nav.bar').count(), 1, 'one click does not sign out')
  await page.getByRole('button', { name: 'Sign out this browser' }).click()
  await sure.click()
  await page.getByText('This browser is signed out.').waitFor()
  t.ok(await until(async () => !(await names()).includes(own!)), 'its token is revoked')
  t.same(pageErrors, [])
  await context.close()
})

t.test('no text is executed as code', { skip }, async (t) => {
  const { page, context } = await openPaired(browser, service!)
  for (const attempt of [
    `document.body.innerHTML = '<img src=x onerror=alert(1)>'`,
    `document.body.insertAdjacentHTML('beforeend', '<p>x')`,
    `document.write('x')`,
    `new DOMParser().parseFromString('<p>', 'text/html')`,
    `setTimeout('globalThis.ran = 1')`,
    `trustedTypes.createPolicy('other', {})`,
    `document.createElement('script').src = '/page/x.js'`,
  ]) {
    await t.rejects(page.evaluate(`(() => { ${attempt} })()`), attempt)
  }
  // in a timer, because code that the driver evaluates may use eval
  const results = await page.evaluate(`new Promise((resolve) => setTimeout(() => {
    const results = [() => eval('1'), () => new Function('1')].map((call) => {
      try {
        return call()
      } catch (error) {
        return error.name
      }
    })
    resolve(results)
  }))`)
  t.same(results, ['EvalError', 'EvalError'])
  const loads = await page.evaluate(`Promise.all(
    ['https://evil.example/', 'http://127.0.0.1:1/'].map((url) => fetch(url).then(() => 'sent', () => 'refused')))`)
  t.same(loads, ['refused', 'refused'], 'the page sends nothing to other servers')
  await context.close()
})

t.test('a page on another port gets neither data nor a frame', { skip }, async (t) => {
  const requests: Record<string, unknown>[] = []
  const other = createServer((request, response) => {
    requests.push(request.headers)
    response.setHeader('content-type', 'text/html').end(`<title>other</title><iframe src="${service!.url}/"></iframe>`)
  }).listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { page, context } = await openPaired(browser, service!)
  const { token } = JSON.parse((await page.evaluate(`localStorage.getItem('shellphone.access')`)) as string) as {
    token: string
  }
  const foreign = await context.newPage()
  await foreign.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  t.equal(await foreign.evaluate('localStorage.length'), 0, 'another port has a storage of its own')
  t.notOk(JSON.stringify(requests).includes(token), 'the token was not sent there')
  const results = await foreign.evaluate(`Promise.all([
    fetch('${service!.url}/health').then(() => 'read', () => 'refused'),
    fetch('${service!.url}/runs', { headers: { authorization: 'Bearer ${token}' } }).then(() => 'read', () => 'refused'),
    fetch('${service!.url}/exec', { method: 'POST', body: 'true', headers: { 'content-type': 'text/plain' }, mode: 'no-cors' })
      .then(() => 'sent', () => 'refused'),
    new Promise((resolve) => {
      const socket = new WebSocket('${service!.url.replace('http', 'ws')}/ws')
      socket.onopen = () => resolve('opened')
      socket.onerror = () => resolve('refused')
    }),
    new Promise((resolve) => {
      const script = Object.assign(document.createElement('script'), { src: '${service!.url}/sw.js' })
      script.onload = () => resolve('loaded')
      script.onerror = () => resolve('refused')
      document.head.append(script)
    }),
  ])`)
  t.same(results, ['refused', 'refused', 'sent', 'refused', 'refused'])
  const { runs } = (await (await service!.request('/runs')).json()) as { runs: object[] }
  t.same(runs, [], 'the request that was sent ran nothing')
  const framed = foreign.frames().find((frame) => frame !== foreign.mainFrame())!
  t.match(framed.url(), /^chrome-error:/, 'no frame shows the page')
  await context.close()
})

const lan = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && one.family === 'IPv4' && !one.internal)?.address
const skipLan = skip || (lan === undefined && 'this machine has only loopback addresses')

t.test('pairs from the LAN over HTTPS', { skip: skipLan }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-lan-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const port = await freePort()
  const wide = await startService({ home, flags: ['--host', '0.0.0.0', '--port', String(port)] })
  t.teardown(() => wide.stop())
  const { page, context, pageErrors } = await openVisit(browser, {
    ignoreHTTPSErrors: true,
    expected: [refused, /error occurred when fetching the script/],
  })
  await page.goto((await pairingLink(wide)).replace(wide.url, `https://${lan}:${port}`))
  await isConnected(page)
  t.same(pageErrors, [], 'no error, although the certificate is not trusted')
  await context.close()
})

/** Runs a command in a network namespace where requests to the phone come from the laptop's address. */
const asLaptop = `${makeLan} && ip route replace table local local ${PHONE} dev wlan0 src ${LAPTOP} && exec "$@"`
const skipNetwork = skip || (process.getuid?.() !== 0 && 'a network namespace needs root')

/** Starts a service and a browser in that namespace; `tls` is the setting of the same name. */
async function phoneAndLaptop(t: Test, tls: string) {
  const home = mkdtempSync(join(tmpdir(), 'shellphone-lan-'))
  const main = [process.execPath, join(root, 'dist/main.js')]
  const argv = ['-n', 'sh', '-c', asLaptop, 'sh', ...main, 'serve', '--host', '0.0.0.0', '--port', '8029', '--tls', tls]
  const env = { ...process.env, SHELLPHONE_HOME: home, SHELLPHONE_POLICY: 'open', SHELLPHONE_TERMINAL: 'on' }
  const phone = spawnBeside('unshare', argv, { env })
  for await (const line of createInterface({ input: phone.stdout })) if (JSON.parse(line).msg === 'listening') break
  const wrapper = join(home, 'chromium')
  writeFileSync(wrapper, `#!/bin/sh\nexec nsenter -t ${phone.pid} -n /usr/bin/chromium "$@"\n`, { mode: 0o755 })
  const laptop = await openBrowser([], wrapper)
  t.teardown(async () => {
    await laptop.close()
    phone.kill('SIGTERM')
    await once(phone, 'exit')
    rmSync(home, { recursive: true, force: true })
  })
  const pairArguments = [
    '-t',
    String(phone.pid),
    '-n',
    ...main,
    'pair',
    '--approves',
    'all',
    '--read',
    'all',
    '--shell',
    '--json',
  ]
  const pair = () => JSON.parse(execFileSync('nsenter', pairArguments, { env, encoding: 'utf8' })) as { code: string }
  return { laptop, pair }
}

t.test('plain HTTP from the LAN gets status 403', { skip: skipNetwork }, async (t) => {
  const { laptop } = await phoneAndLaptop(t, 'auto')
  const { page, context } = await openVisit(laptop)
  const response = await page.goto(`http://${PHONE}:8029/`)
  t.equal(response?.status(), 403)
  t.match(await page.locator('body').textContent(), /tls_required/)
  t.equal(await page.locator('script, main').count(), 0, 'the response contains no part of the page')
  await context.close()
})

t.test('with tls off, the page works over plain HTTP without a secure context', { skip: skipNetwork }, async (t) => {
  const { laptop, pair } = await phoneAndLaptop(t, 'off')
  const { page, context, pageErrors } = await openVisit(laptop, {
    expected: [/Cross-Origin-Opener-Policy header has been ignored/],
  })
  await page.goto(`http://${PHONE}:8029/#pair=${pair().code}`)
  await isConnected(page)
  t.equal(await page.evaluate('isSecureContext'), false)
  await runIn(page, 'echo over plain HTTP')
  t.ok(await until(async () => (await shown(page)).includes('over plain HTTP')))
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await page.getByText('Copied 1 line', { exact: true }).waitFor()
  await t.test('a terminal works there too', { skip: skipTerminal }, async () => {
    await goTo(page, '#/terminal')
    await page.getByRole('button', { name: 'Open a terminal' }).click()
    await page.waitForURL(/#\/terminal\/\w+/)
    await page.locator('.xterm-rows').waitFor()
  })
  t.same(pageErrors, [])
  await context.close()
})

t.test(
  'a token that does not approve everything gets an explanation instead of controls that can only fail',
  { skip },
  async (t) => {
    const rights = { approves: 'none', read: 'own', shell: false }
    const visit = await openPaired(browser, service!, { rights, view: '#/access', expected: [refused] })
    const { page, context, pageErrors } = visit
    await page.getByText('does not approve everything').waitFor()
    const buttons = await page.locator('main button').allTextContents()
    t.same(buttons, ['Sign out this browser'])
    await page.getByText('shellphone token revoke NAME').waitFor()
    t.equal(await page.getByText('same rights as this one').count(), 0)
    t.same(pageErrors, [])
    await context.close()
  },
)

t.test(
  'the pairing form and an offered code say what a code grants and that it replaces the one before',
  { skip },
  async (t) => {
    const { page, context } = await openVisit(browser)
    await page.goto(service!.url)
    const hint = await page.locator('.field', { hasText: 'Pairing code or token' }).locator('.hint').textContent()
    t.match(hint, /shellphone pair --approves all --read all --shell/)
    t.match(hint, /approves nothing and sees only its own runs/)
    await context.close()
    const other = await openPaired(browser, service!, { view: '#/access' })
    await other.page.getByRole('button', { name: 'Show a pairing code' }).click()
    await other.page.getByText('It replaces the code before').waitFor()
    t.equal(await other.page.getByText('token revoke NAME').count(), 0, 'each token has a button')
    await other.context.close()
  },
)
