import t from 'tap'
import type { Page } from 'playwright-core'
import {
  noBrowser,
  openBrowser,
  openVisit,
  isConnected,
  shotFolder,
  sizes,
  goTo,
  openPaired,
  runIn,
  settlesAt,
  shown,
} from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'supervised' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

/** Presses Tab until the focus is on a control with this name; false after 60 steps. */
async function tabTo(page: Page, name: RegExp): Promise<boolean> {
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press('Tab')
    const here = await page.evaluate<string>(`(() => { const { activeElement: it } = document
      return it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? it.textContent ?? '' })()`)
    if (name.test(here)) return true
  }
  return false
}

t.test('the keyboard alone can pair, run, cancel, deny and find', async (t) => {
  const visit = await openVisit(browser)
  const { page } = visit
  const { code } = (await (await service.post('/pairing', { approves: 'all', read: 'all' })).json()) as { code: string }
  await page.goto(service.url)
  await page.getByLabel('Pairing code or token').waitFor()
  t.ok(await tabTo(page, /Pairing code/))
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
  await isConnected(page)

  await page.keyboard.press('Escape')
  await page.keyboard.press('r')
  await page.keyboard.type('sleep 31')
  await page.keyboard.press('Enter')
  await page.locator('.run-card .tag', { hasText: 'running' }).waitFor()
  t.ok(await tabTo(page, /^Cancel$/))
  await page.keyboard.press('Enter')
  await page.locator('.run-end').waitFor()
  await settlesAt(t, () => page.locator('.run-card .tag').first().textContent(), 'canceled', 'Enter cancels the run')

  void service.exec({ command: 'touch asked' })
  await page.locator('.approval-bar').waitFor()
  await page.keyboard.press('a')
  await page.locator('.approval-card').waitFor()
  t.ok(await tabTo(page, /^Deny$/))
  await page.keyboard.press('Enter')
  await page.getByText('Denied', { exact: true }).waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('sleep 31')
  // a list that the page replaces takes the focus of its rows away
  await page.waitForURL(/q=sleep(\+|%20)31/)
  await settlesAt(t, () => page.locator('.run-row a').allTextContents(), ['sleep 31'], 'the search is applied')
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/runs\/\w{26}/)
  await page.keyboard.press('?')
  await page.locator('dialog[open]').waitFor()
  await page.keyboard.press('Escape')
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('the status of a run that is shown never goes back a step', async (t) => {
  const { page, context } = await openPaired(browser, service)
  await page.addInitScript(`globalThis.tags = []; new MutationObserver(() => {
    const tag = document.querySelector('main .tag')?.textContent
    if (tag && tag !== tags.at(-1)) tags.push(tag) }).observe(document, { subtree: true, childList: true, characterData: true })`)
  for (let visit = 0; visit < 5; visit++) {
    const { id } = await service.exec({ command: 'sleep 300', background: true })
    const record = async () => (await service.request(`/runs/${id}`)).json() as Promise<{ status: string }>
    await until(async () => (await record()).status === 'running')
    await page.goto(`${service.url}/?${visit}#/runs/${id}`)
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await service.request(`/runs/${id}`, { method: 'DELETE' })
    await page.locator('.run-end').waitFor() // the page receives the earlier statuses of the run before its end
    await settlesAt(t, () => page.evaluate('tags'), ['running', 'canceled'], `visit ${visit}`)
  }
  await context.close()
})

t.test('r and / move the focus before the next key arrives, on every view', async (t) => {
  const visit = await openPaired(browser, service)
  for (const [key, view] of [
    ['r', 'run'],
    ['r', 'runs'],
    ['/', 'runs'],
    ['/', 'phone'],
  ]) {
    await goTo(visit.page, `#/${view}`)
    const focusedKey = `(async () => { document.activeElement.blur()
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))
      for (let turn = 0; turn < 4; turn++) await null // microtasks run before the next key event
      return document.activeElement.dataset.key })()`
    t.equal(await visit.page.evaluate(focusedKey), key, `${key} on ${view}`)
  }
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('revoking the token signs the browser out at once', async (t) => {
  const visit = await openPaired(browser, service, { expected: [/401/] })
  const { page } = visit
  const { tokens } = (await (await service.request('/tokens')).json()) as {
    tokens: { name: string; created_at: string }[]
  }
  for (const { name } of tokens) await service.request(`/tokens/${name}`, { method: 'DELETE' })
  await page.getByText('This browser is signed out').waitFor()
  t.equal(await page.evaluate("localStorage.getItem('shellphone.access')"), null)
  t.equal(page.url(), `${service.url}/`, 'the address contains no code')
  t.same(visit.pageErrors, [])
  await visit.context.close()
})

t.test('no view is wider than the screen, on both sizes, dark and light', async (t) => {
  await service.exec({ command: "printf '\\033[32mgreen\\033[0m\\n'; ls /nope; uname -a" })
  const { id } = (await (await service.post('/exec', { command: 'touch asked', background: true })).json()) as {
    id: string
  }
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ['dark', 'light'] as const) {
      const visit = await openPaired(browser, service, { viewport, colorScheme })
      for (const view of ['run', `run/${id}`, 'runs', `runs/${id}`, 'approvals', 'rules', 'more']) {
        await goTo(visit.page, `#/${view}`)
        await until(async () => (await visit.page.locator('.loading').count()) === 0)
        const width = await visit.page.evaluate<number>('document.documentElement.scrollWidth')
        t.ok(width <= viewport.width, `${view} fits on a ${size}`)
        const name = view.replace(id, 'one').replace('/', '-')
        await visit.page.screenshot({ path: `${shotFolder()}/${name}-${size}-${colorScheme}.png` })
      }
      t.same(visit.pageErrors, [])
      await visit.context.close()
    }
  }
})

t.test('Ctrl+F and / open Find for the output of a run', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = await service.exec({ command: 'seq 1 300' })
  const field = page.getByRole('searchbox', { name: 'Find in the output' })
  const isFocused = () => page.evaluate<boolean>("document.activeElement.matches('.find input')")
  for (const key of ['Control+f', '/']) {
    await goTo(page, `#/runs/${id}`)
    await until(async () => (await shown(page)).endsWith('300\n'))
    await page.keyboard.press(key)
    await field.waitFor()
    t.ok(await isFocused(), `${key} opens it`)
    await page.locator('.screen').focus()
    await page.keyboard.press(key)
    t.ok(await isFocused(), `${key} returns to it`)
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    t.ok(await page.evaluate<boolean>("document.activeElement.matches('.screen')"), 'the output has the focus')
  }
  await page.evaluate(`addEventListener('keydown', (event) => (globalThis.isOurs = event.defaultPrevented))`)
  const isOurs = () => page.evaluate<boolean>('isOurs')
  await page.keyboard.press('Control+f')
  t.ok(await isOurs())
  await field.waitFor()
  await page.keyboard.press('Control+f')
  t.notOk(await isOurs(), 'once more opens the search of the browser')
  await goTo(page, '#/run')
  await page.keyboard.press('Control+f')
  t.notOk(await isOurs(), 'so it does where no output has the focus')
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await page.waitForURL(/#\/runs$/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('Ctrl+F opens Find for the run below the command field', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await page.evaluate(`addEventListener('keydown', (event) => (globalThis.isOurs = event.defaultPrevented))`)
  const isOurs = () => page.evaluate<boolean>('isOurs')
  const command = page.getByLabel('Command', { exact: true })
  await goTo(page, '#/run')
  await command.focus()
  await page.keyboard.press('Control+f')
  t.notOk(await isOurs(), 'without an output, the browser gets the key')
  await runIn(page, 'seq 1 300')
  await until(async () => (await shown(page)).endsWith('300\n'))
  const find = page.getByRole('searchbox', { name: 'Find in the output' })
  const isFocused = () => page.evaluate<boolean>("document.activeElement.matches('.find input')")
  for (const key of ['Control+f', 'Meta+f']) {
    await command.focus()
    await page.keyboard.press(key)
    t.ok(await isOurs(), `${key} in the command field`)
    await find.waitFor()
    t.ok(await isFocused(), 'opens it')
    await command.focus()
    await page.keyboard.press(key)
    t.ok(await isFocused(), 'returns to it')
    await page.keyboard.press(key)
    t.notOk(await isOurs(), 'once more opens the search of the browser')
    await page.keyboard.press('Escape')
    await find.waitFor({ state: 'detached' })
    await page.evaluate('document.activeElement.blur()')
    await page.keyboard.press(key)
    t.ok(await isOurs(), `${key} without a focus`)
    await find.waitFor()
    await page.keyboard.press('Escape')
    await find.waitFor({ state: 'detached' })
  }
  await page.evaluate('document.activeElement.blur()')
  await page.keyboard.press('/')
  await page.waitForURL(/#\/runs$/)
  t.same(pageErrors, [])
  await context.close()
})
