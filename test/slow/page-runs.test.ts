import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import {
  goTo,
  isDrawn,
  isLost,
  lostErrors,
  noBrowser,
  openBrowser,
  openPaired,
  settlesAt,
  shotFolder,
  sizes,
} from './browser.ts'
import { freePort, noTerminals, startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

/** Runs commands one after the other from the page, which handles no events before the last one has ended. */
const runWhileBusy = (page: Page, commands: string[]) =>
  page.evaluate(`{
    const { token } = JSON.parse(localStorage.getItem('shellphone.access'))
    for (const command of ${JSON.stringify(commands)}) {
      const request = new XMLHttpRequest()
      request.open('POST', '/exec', false)
      request.setRequestHeader('authorization', 'Bearer ' + token)
      request.setRequestHeader('content-type', 'application/json')
      request.send(JSON.stringify({ command }))
    }
  }`)
/** The status and the command of each row. */
const rowsOf = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.run-table .run-row')].map((row) => row.querySelector('.tag').textContent + ': ' + row.querySelector('a').textContent)`,
  )

t.test('shows the end of each of four runs that end at once while the list loads', async (t) => {
  const commands = ['sleep 301', 'sleep 302', 'sleep 303', 'sleep 304']
  const ids: string[] = []
  for (const command of commands) ids.push((await service.exec({ command, background: true })).id)
  const { page, context, pageErrors } = await openPaired(browser, service)
  const showsRunning = (count: number) => page.getByRole('link', { name: `${count} running` }).waitFor()
  await showsRunning(4)
  await page.route(/\/runs\?limit=50$/, async (route) => {
    const response = await route.fetch()
    await Promise.all(ids.map((id) => service.request(`/runs/${id}`, { method: 'DELETE' })))
    await showsRunning(0) // the page has received the ends before the list that shows the runs as running
    await route.fulfill({ response })
  })
  await goTo(page, '#/runs')
  await page.getByText('End of the list.').waitFor()
  const ended = commands.toReversed().map((command) => `canceled: ${command}`)
  await settlesAt(t, () => rowsOf(page), ended, 'all of them have ended')
  t.same(pageErrors, [])
  await context.close()
})

t.test('lists each of several runs that start and end while the list is open', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/runs' })
  await page.getByText('End of the list.').waitFor()
  const before = await rowsOf(page)
  await runWhileBusy(page, ['echo 1', 'echo 2', 'echo 3'])
  const added = [3, 2, 1].map((number) => `completed: echo ${number}`)
  await settlesAt(t, () => rowsOf(page), [...added, ...before], 'all of them are listed, newest first')
  t.same(pageErrors, [])
  await context.close()
})

t.test('says how many runs it canceled until something else is selected', async (t) => {
  for (let run = 1; run <= 5; run++) await service.exec({ command: `sleep 40${run}`, background: true })
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/runs' })
  const lastCell = page.locator('.run-row', { hasText: 'sleep 401' }).locator('td').last()
  t.equal(await lastCell.textContent(), '', 'the output of a live run has no size yet')
  for (let run = 1; run <= 4; run++) await page.getByLabel(`Select sleep 40${run}`).check()
  await page.getByRole('button', { name: 'Cancel 4 runs' }).click()
  const message = page.getByRole('status').filter({ hasText: 'Canceled 4 runs' })
  await message.waitFor()
  for (let run = 1; run <= 4; run++)
    await page
      .locator('.run-row', { hasText: `sleep 40${run}` })
      .getByText('canceled')
      .waitFor()
  await isDrawn(page)
  t.ok(await message.isVisible(), 'the ends of the runs do not erase the message')
  await page.getByLabel('Select sleep 405').check()
  await message.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Cancel 1 run', exact: true }).click()
  await page.getByRole('status').filter({ hasText: 'Canceled 1 run' }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('“Select all” leaves out terminals and runs that wait for approval', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_TERMINAL: 'on' } })
  t.teardown(() => own.stop())
  for (const command of ['sleep 601', 'sleep 602', 'rm -rf build']) await own.exec({ command, background: true })
  const hasTerminal = (await noTerminals(own)) === null
  const tty = { rows: 24, columns: 80 }
  if (hasTerminal) await own.exec({ command: 'cat', tty, background: true })
  const { page, context, pageErrors } = await openPaired(browser, own, { view: '#/runs' })
  await page.getByLabel('Select all 2 live, except terminals and pending approvals').check()
  t.notOk(await page.getByLabel('Select rm -rf build').isChecked(), 'the run that waits')
  if (hasTerminal) t.notOk(await page.getByLabel('Select cat').isChecked(), 'the terminal')
  await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
  for (const command of ['sleep 601', 'sleep 602'])
    await page.locator('.run-row', { hasText: command }).getByText('canceled').waitFor()
  const waiting = page.locator('.run-row', { hasText: 'rm -rf build' })
  t.match(await waiting.textContent(), 'waiting for approval')
  await page.getByLabel('Select rm -rf build').check()
  await page.getByRole('button', { name: 'Cancel 1 run', exact: true }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows the end of runs that ended without a connection', async (t) => {
  const flags = ['--port', String(await freePort())]
  const first = await startService({ env: { SHELLPHONE_POLICY: 'open' }, flags })
  t.teardown(() => first.stop())
  const { page, context, pageErrors } = await openPaired(browser, first, { view: '#/runs', expected: lostErrors })
  await first.exec({ command: 'sleep 500', background: true })
  await settlesAt(t, () => rowsOf(page), ['running: sleep 500'], 'the run is listed')
  await page.getByText('End of the list.').waitFor()
  await first.kill('SIGKILL')
  await isLost(page)
  const second = await startService({ home: first.home, env: { SHELLPHONE_POLICY: 'open' }, flags })
  t.teardown(() => second.stop())
  await page.locator('.lost-banner').waitFor({ state: 'detached' })
  await settlesAt(t, () => rowsOf(page), ['failed: sleep 500'], 'it ended with the service')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a link to all runs clears the search', async (t) => {
  await service.exec({ command: 'true' })
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/runs' })
  await page.getByRole('searchbox').fill('nothing like this')
  await page.waitForURL(/q=nothing/)
  await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).first().click()
  await settlesAt(t, () => page.getByRole('searchbox').inputValue(), '', 'the field is empty')
  await page.locator('.run-row').first().waitFor()
  t.notMatch(page.url(), /q=/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('hides the file operations of every token, live ones too, until they are selected', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-page-runs-'))
  t.teardown(async () => {
    await own.stop()
    rmSync(folder, { recursive: true })
  })
  const big = join(folder, 'big')
  await own.exec({ command: `truncate -s 1G ${big}` })
  await own.request('/files?path=/usr')
  void (await own.request(`/files?path=${big}`)) // live, because nobody reads the file
  const { page, context, pageErrors } = await openPaired(browser, own)
  await page.getByRole('link', { name: '1 running' }).waitFor()
  await goTo(page, '#/runs')
  await page.getByText('End of the list.').waitFor()
  await settlesAt(
    t,
    async () => (await rowsOf(page)).map((row) => row.split(' ')[1]),
    ['truncate'],
    'neither is listed',
  )
  await page.getByLabel('File operations').check()
  await page.locator('.run-row', { hasText: '/usr' }).waitFor()
  await page
    .locator('.run-row', { hasText: 'running' })
    .filter({ hasText: `cat '${big}'` })
    .waitFor()
  await goTo(page, '#/runs?status=live')
  await page.getByText('No run matches.').waitFor()
  await page.getByRole('link', { name: '1 running' }).click()
  await page.locator('.run-row', { hasText: `cat '${big}'` }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('a link at “No run matches.” clears the filters', async (t) => {
  await service.exec({ command: 'true' })
  const view = '#/runs?q=nothing+like+this&token=nobody'
  const { page, context, pageErrors } = await openPaired(browser, service, { view })
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.locator('.run-row').first().waitFor()
  t.match(page.url(), /#\/runs$/)
  t.equal(await page.getByRole('searchbox').inputValue(), '')
  t.same(pageErrors, [])
  await context.close()
})

t.test('an empty list of a limited token says so', async (t) => {
  await service.exec({ command: 'true' })
  const rights = { approves: 'none', read: 'own', shell: false }
  const visit = await openPaired(browser, service, { rights, view: '#/runs', expected: [/status of 403/] })
  const { page, context, pageErrors } = visit
  await page.getByText('There are no runs that the token of this browser may read.').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows how long a live run has been running, and sorts runs that never started last', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'supervised' } })
  t.teardown(() => own.stop())
  await own.exec({ command: 'rm -rf /' })
  await own.exec({ command: 'true' })
  await own.exec({ command: 'sleep 300', background: true })
  const { page, context, pageErrors } = await openPaired(browser, own, { view: '#/runs' })
  const live = page.locator('.run-row', { hasText: 'sleep 300' })
  await live.getByText(/^[\d.]+ s$/).waitFor()
  const order = async () => (await rowsOf(page)).map((row) => row.slice(row.indexOf(': ') + 2))
  for (const [sort, expected] of [
    ['took', ['true', 'sleep 300', 'rm -rf /']],
    ['-took', ['sleep 300', 'true', 'rm -rf /']],
  ] as const) {
    await goTo(page, `#/runs?sort=${sort}`)
    await settlesAt(t, order, [...expected], sort)
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('one clock moves the start and the duration of a young run, and a queued run says since when', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'open', SHELLPHONE_MAX_BACKGROUND_RUNNING: '1' } })
  t.teardown(() => own.stop())
  await own.exec({ command: 'sleep 300', background: true })
  const queued = await own.exec({ command: 'sleep 301', background: true })
  const { page, context, pageErrors } = await openPaired(browser, own, { view: '#/runs' })
  await page
    .locator('.run-row', { hasText: 'sleep 301' })
    .getByText(/^queued (now|\d+ sec\. ago)$/)
    .waitFor()
  await page
    .locator('.run-row', { hasText: 'sleep 300' })
    .getByText(/^\d+ sec\. ago$/)
    .waitFor()
  await page.evaluate(`{
    globalThis.pairs = []
    const row = [...document.querySelectorAll('.run-table .run-row')].find((one) => one.textContent.includes('sleep 300'))
    const note = () => pairs.push([row.querySelector('time').textContent, row.cells[row.cells.length - 2].textContent])
    new MutationObserver(note).observe(row, { subtree: true, characterData: true, childList: true })
  }`)
  t.ok(await until(async () => (await page.evaluate<number>('pairs.length')) >= 4))
  const pairs = await page.evaluate<[string, string][]>('pairs')
  for (const [started, took] of pairs) t.ok(Math.abs(parseInt(started) - parseFloat(took)) <= 1, `${started}, ${took}`)
  t.ok(new Set(pairs.map(([started]) => started)).size > 2, 'both move each second')
  await page.screenshot({ path: join(shotFolder(), 'runs-queued-laptop.png') })
  await page.setViewportSize(sizes.phone)
  await page
    .locator('.run-row', { hasText: 'sleep 301' })
    .getByText(/^queued/)
    .nth(1)
    .waitFor()
  await page.screenshot({ path: join(shotFolder(), 'runs-queued-phone.png') })
  await own.request(`/runs/${queued.id}`, { method: 'DELETE' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('Shift and a click select every live run between two checkboxes', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => own.stop())
  for (let run = 1; run <= 5; run++) await own.exec({ command: `sleep 70${run}`, background: true })
  const { page, context, pageErrors } = await openPaired(browser, own, { view: '#/runs' })
  const checkbox = (run: number) => page.getByLabel(`Select sleep 70${run}`)
  await checkbox(4).click()
  await checkbox(2).click({ modifiers: ['Shift'] })
  const checked = async () => Promise.all([1, 2, 3, 4, 5].map((run) => checkbox(run).isChecked()))
  await settlesAt(t, checked, [false, true, true, true, false], 'those between, and both ends')
  t.equal(await page.evaluate('getSelection().toString()'), '', 'no text is selected')
  await checkbox(3).click()
  await settlesAt(t, checked, [false, true, false, true, false], 'a plain click changes one')
  await page.getByRole('button', { name: 'Cancel 2 runs' }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('Back and the link to Runs show the same rows at the same position, with their filters', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => own.stop())
  for (let run = 0; run < 120; run++) await own.exec({ command: `echo run ${run}` })
  for (const [name, viewport] of Object.entries(sizes)) {
    const view = '#/runs?status=completed'
    const { page, context, pageErrors } = await openPaired(browser, own, { view, viewport })
    const rows = page.locator('.run-row')
    const top = () => page.evaluate<number>('Math.round(scrollY)')
    await page.getByText('More', { exact: true }).last().or(page.getByText('End of the list.')).waitFor()
    while (!(await page.getByText('End of the list.').isVisible())) {
      await page.evaluate('scrollTo(0, document.body.scrollHeight)')
      await isDrawn(page)
    }
    const count = await rows.count()
    await page.evaluate('scrollTo(0, 900)')
    await settlesAt(t, top, 900, `${name}: the list is scrolled`)
    await isDrawn(page)
    /** Opens the first run that is in view below the header. */
    const open = async () => {
      await page.evaluate(
        `[...document.querySelectorAll('main a[data-row]')].find((row) => row.getBoundingClientRect().top > 100).click()`,
      )
      await page.locator('.run-details .run-about').waitFor()
      await settlesAt(t, top, 0, `${name}: a run opens at its top`)
    }
    await open()
    await page.goBack()
    await settlesAt(t, top, 900, `${name}: Back leads to the same position`)
    t.equal(await rows.count(), count, `${name}: with the same rows`)
    await open()
    await page.locator('.run-details .back').click()
    await page.waitForURL(/#\/runs\?status=completed$/)
    await settlesAt(t, top, 900, `${name}: so does the link`)
    t.equal(await rows.count(), count, `${name}: with the same rows`)
    await goTo(page, '#/phone')
    await goTo(page, '#/runs')
    await rows.first().waitFor()
    t.equal(await top(), 0, `${name}: a link to the view leads to its top`)
    t.same(pageErrors, [])
    await context.close()
  }
})

t.test('a list that Back shows again has the runs that ended meanwhile', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => own.stop())
  await own.exec({ command: 'echo first' })
  const { page, context, pageErrors } = await openPaired(browser, own, { view: '#/runs' })
  await page.getByRole('link', { name: 'echo first' }).click()
  await page.locator('.run-details .run-about').waitFor()
  await own.exec({ command: 'echo second' })
  await own.exec({ command: 'echo third' })
  await page.goBack()
  await settlesAt(
    t,
    () => rowsOf(page),
    ['completed: echo third', 'completed: echo second', 'completed: echo first'],
    'each once, newest first',
  )
  t.same(pageErrors, [])
  await context.close()
})
