import { join } from 'node:path'
import t from 'tap'
import type { Page } from 'playwright-core'
import {
  goTo,
  isDrawn,
  isInView,
  noBrowser,
  openBrowser,
  openPaired,
  runIn,
  scrollTo,
  settlesAt,
  shotFolder,
  shown,
  sizes,
} from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const DAY_MS = 86_400_000
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

t.test('numbers the lines, and a link to a line shows it', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const id = await runIn(page, 'for i in $(seq 1 3000); do echo line-$i-end; done')
  await goTo(page, `#/runs/${id}`)
  await until(async () => (await shown(page)).includes('line-3000-end'))
  const text = await shown(page)
  await page.getByRole('button', { name: 'Number the lines' }).click()
  await page.locator('.number').first().waitFor()
  t.equal(await shown(page), text, 'numbers are not part of the text')
  t.equal(await page.locator('.number').nth(1233).getAttribute('href'), `#/runs/${id}?line=1234`)
  await goTo(page, '#/phone')
  await goTo(page, `#/runs/${id}?line=1234`)
  t.ok(await until(() => isInView(page, 'line-1234-end')), 'line 1234 is visible')
  t.equal(await page.locator('.blocks .linked').textContent(), 'line-1234-end\n')
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows when each line arrived, and says which lines have no time', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const started = await service.post('/exec', {
    command: 'echo before; while read line; do echo got-$line; done',
    background: true,
    stdin: 'open',
  })
  const { id } = (await started.json()) as { id: string }
  await until(async () => (await (await service.request(`/runs/${id}/output`)).text()) === 'before\n')
  await goTo(page, `#/runs/${id}`)
  await until(async () => (await shown(page)) === 'before\n')
  const from = await page.evaluate<number>('Date.now()')
  await service.post(`/runs/${id}/stdin`, { data: 'one\ntwo\n', end: true })
  await until(async () => (await shown(page)) === 'before\ngot-one\ngot-two\n')
  await page.getByRole('button', { name: 'Show when each line arrived' }).click()
  await page.locator('.blocks.timed').waitFor()
  t.equal(await shown(page), 'before\ngot-one\ngot-two\n', 'times are not part of the text')
  const times = await page.evaluate<(string | null)[]>(
    `[...document.querySelectorAll('.block > div')].map(({ dataset }) => dataset.time ?? null)`,
  )
  t.match(times, [null, /^\d\d:\d\d:\d\d\.\d{3}$/, /^\d\d:\d\d:\d\d\.\d{3}$/])
  const toMs = (time: string) => {
    const [hours, minutes, seconds] = time.split(':').map(Number)
    return ((hours! * 60 + minutes!) * 60 + seconds!) * 1000
  }
  const midnight = await page.evaluate<number>('new Date().setHours(0, 0, 0, 0)')
  const sinceMs = (midnight + toMs(times[1]!) - from + DAY_MS) % DAY_MS // the day may end in the meantime
  t.ok(sinceMs < DAY_MS / 2, 'a time is not before the line was written')
  await page.getByText('the service does not store when lines were written').waitFor()
  await page.getByRole('button', { name: 'Number the lines' }).click()
  await settlesAt(t, () => page.locator('.number').count(), 3, 'numbers and times together')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the first error of stderr alone is shown without stdout', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'echo out; seq 1 7000 >&2; exit 1')
  await page.getByLabel('Streams').selectOption('stderr')
  await page.getByText('· 7,000 lines').waitFor() // of both streams, the page has loaded the same lines
  await until(async () => (await shown(page)).endsWith('\n7000\n'))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  await until(async () => /^(out\n)?1\n/.test(await shown(page)))
  t.match(await shown(page), /^1\n2\n/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('a stream that is chosen while the first error is being looked for stays alone', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const id = await runIn(page, 'echo out; seq 1 7000 >&2; exit 1')
  await page.getByText('· 7,001 lines').waitFor()
  let load = () => {}
  const held = new Promise<void>((resolve) => (load = resolve))
  await page.route(/long-output/, async (route) => {
    await held
    await route.continue()
  })
  const toError = page.getByRole('button', { name: 'Go to the first error' })
  await toError.click()
  await page.getByLabel('Streams').selectOption('stderr')
  await page.getByText('· 7,000 lines').waitFor()
  await until(async () => (await shown(page)).endsWith('\n7000\n'))
  const records: string[] = []
  page.on('request', (request) => void (request.url().endsWith(`/runs/${id}`) && records.push(request.url())))
  load()
  await toError.click()
  await until(async () => /^(out\n)?1\n/.test(await shown(page)))
  t.match(await shown(page), /^1\n2\n/)
  t.same(records, [], 'the first click reads no more')
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows one stream alone, and goes to the first error', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 500; echo first-problem >&2; seq 501 1000; echo second-problem >&2; exit 3')
  await until(async () => (await shown(page)).includes('second-problem'))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  t.ok(await until(() => isInView(page, 'first-problem')))
  await page.getByLabel('Streams').selectOption('stderr')
  await settlesAt(t, () => shown(page), 'first-problem\nsecond-problem\n', 'stderr alone')
  await page.getByLabel('Streams').selectOption('stdout')
  const all = Array.from({ length: 1000 }, (_, line) => `${line + 1}\n`).join('')
  await settlesAt(t, () => shown(page), all, 'stdout alone')
  await page.getByLabel('Streams').selectOption('both')
  await settlesAt(
    t,
    async () => (await shown(page)).length,
    all.length + 'first-problem\nsecond-problem\n'.length,
    'both',
  )
  await runIn(page, 'seq 1 300; echo an error here; seq 301 600; false')
  await until(async () => (await shown(page)).includes('600'))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  t.ok(await until(() => isInView(page, 'an error here')), 'without stderr, the first line that names an error')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the table of runs sorts by a column and cancels several runs', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  for (const command of ['sleep 301', 'sleep 302', 'sleep 303'])
    await service.post('/exec', { command, background: true })
  await service.exec({ command: 'seq 1 100000' })
  await goTo(page, '#/runs')
  await page.locator('.run-table .run-row', { hasText: 'seq 1 100000' }).waitFor()
  const commands = () => page.locator('.run-table .run-row a').allTextContents()
  const marks = await page.evaluate<string[]>(
    `[...document.querySelectorAll('th button')].map((one) => getComputedStyle(one, '::after').content)`,
  )
  t.same(new Set(marks), new Set(['" ⇅" / ""']), 'each header shows that it sorts')
  await page.getByRole('button', { name: 'Output', exact: true }).click()
  await page.getByRole('button', { name: 'Output', exact: true }).click()
  await settlesAt(t, async () => (await commands())[0], 'seq 1 100000', 'the most output is at the top')
  await page.locator('th[aria-sort=descending]', { hasText: 'Output' }).waitFor()
  const top = async () => (await page.locator('.run-table').boundingBox())?.y
  const before = await top()
  t.ok(await page.getByRole('button', { name: 'Cancel selected' }).isDisabled(), 'nothing is selected')
  await page.getByLabel('Select sleep 301').check()
  await page.getByLabel('Select sleep 303').check()
  await page.getByRole('button', { name: 'Cancel 2 runs' }).waitFor()
  t.equal(await top(), before, 'selecting does not move the table')
  await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
  for (const command of ['sleep 301', 'sleep 303'])
    await page.locator('.run-row', { hasText: command }).filter({ hasText: 'canceled' }).waitFor()
  await page.locator('.run-row', { hasText: 'sleep 302' }).filter({ hasText: 'running' }).waitFor()
  await service.post('/exec', { command: 'sleep 304', background: true })
  await page.getByLabel('Select all 2 live').check()
  t.ok(await page.getByLabel('Select sleep 302').isChecked())
  await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
  for (const command of ['sleep 302', 'sleep 304'])
    await page.locator('.run-row', { hasText: command }).filter({ hasText: 'canceled' }).waitFor()
  await service.post('/exec', { command: 'sleep 305', background: true })
  await goTo(page, '#/runs?status=live')
  await page.getByLabel('Select sleep 305').check()
  await page.getByRole('button', { name: 'Cancel 1 run' }).click()
  await page.getByText('No run matches').waitFor()
  await page.getByText('Canceled 1 run').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('lines around the command of a run sum it up', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { launcher } = (await (await service.request('/health')).json()) as { launcher?: unknown }
  const hasSessions = launcher !== null
  const { id } = await service.exec({ command: 'sleep 0.2', ...(hasSessions && { session: 'nightly' }) })
  await goTo(page, `#/runs/${id}`)
  const parts = () => page.locator('.run-summary > :not(.button), .run-about .about > *').allTextContents()
  await until(async () => (await parts()).length > 0)
  const expected = [
    /^completed$/,
    /^exit code 0$/,
    /^[\d.]+ (ms|s)$/,
    /^\//,
    /ago$|^now$/,
    /^owner$/,
    ...(hasSessions ? [/^Session nightly$/] : []),
  ]
  t.match(await parts(), expected)
  t.same(pageErrors, [])
  await context.close()
})

t.test('the list of a phone cancels several runs', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { viewport: sizes.phone })
  for (const command of ['sleep 311', 'sleep 312', 'sleep 313'])
    await service.post('/exec', { command, background: true })
  await service.exec({ command: 'echo ended' })
  await goTo(page, '#/runs')
  const row = (text: string) => page.locator('.rows li', { hasText: text })
  await row('echo ended').waitFor()
  const { runs } = (await (await service.request('/runs?q=echo ended')).json()) as { runs: { started_at: string }[] }
  t.equal(await row('echo ended').locator('time').getAttribute('datetime'), runs[0]!.started_at, 'shows its start')
  t.equal(await row('echo ended').getByRole('checkbox').count(), 0, 'only live runs can be selected')
  await page.getByLabel('Select sleep 311').check()
  await page.getByLabel('Select sleep 313').check()
  await page.screenshot({ path: join(shotFolder(), 'runs-selected-phone.png') })
  await page.getByRole('button', { name: 'Cancel 2 runs' }).click()
  for (const command of ['sleep 311', 'sleep 313']) await row(command).filter({ hasText: 'canceled' }).waitFor()
  await row('sleep 312').filter({ hasText: 'running' }).waitFor()
  await row('sleep 312').getByRole('link').click()
  await page.getByRole('heading', { name: 'Run', level: 1 }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('sorting says that it covers only the loaded runs, and stays in the address', async (t) => {
  const own = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
  t.teardown(() => own.stop())
  for (let run = 0; run < 70; run++) await own.exec({ command: `exit ${run % 3}` })
  const { page, context, pageErrors } = await openPaired(browser, own, { view: '#/runs' })
  const table = page.locator('.run-table')
  await table.locator('.run-row').first().waitFor()
  t.equal(await table.locator('tbody tr').first().locator('td').count(), 6, 'no column of checkboxes without live runs')
  await table.locator('.run-row', { hasText: 'exit 2' }).first().getByText('failed').waitFor()
  t.match(
    await table.locator('.run-row', { hasText: 'exit 2' }).first().locator('td').first().textContent(),
    /failed exit 2/,
  )
  await page.getByRole('button', { name: 'Took', exact: true }).click()
  await page.getByText('Only the 50 newest runs are loaded and sorted here').waitFor()
  t.match(page.url(), /#\/runs\?sort=took$/)
  await page.reload()
  await page.locator('th[aria-sort=ascending]', { hasText: 'Took' }).waitFor()
  await page.getByRole('button', { name: 'Undo the sorting' }).click()
  await until(async () => (await page.locator('th[aria-sort]').count()) === 0)
  t.same(pageErrors, [])
  await context.close()
})

t.test('to show one stream, the page does not fetch the other one', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'head -c 6000000 /dev/zero | tr "\\0" e >&2; echo out')
  let receivedBytes = 0
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => (receivedBytes += payload.length)))
  await page.getByLabel('Streams').selectOption('stdout')
  t.ok(await until(async () => (await shown(page)) === 'out\n'))
  await page.locator('.tools', { hasText: /^4 B · 1 line/ }).waitFor()
  t.ok((await until(() => receivedBytes > 0)) && receivedBytes < 1_000_000, `${receivedBytes} bytes`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('one request finds the first error of a long output', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'echo an error here; seq 1 20000; false')
  await until(async () => (await shown(page)).includes('20000'))
  const searches: string[] = []
  page.on('request', (request) => void (request.url().includes('/matches') && searches.push(request.url())))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  t.ok(await until(() => isInView(page, 'an error here')))
  t.equal(searches.length, 1)
  t.same(pageErrors, [])
  await context.close()
})

t.test('a live run has a choice of streams and a way to its first error as soon as stderr has a line', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const command = 'seq 1 200; read go; echo first-problem >&2; seq -f later-%g 1 200; read go'
  const started = await service.post('/exec', { command, background: true, stdin: 'open' })
  const { id } = (await started.json()) as { id: string }
  await goTo(page, `#/runs/${id}`)
  await until(async () => (await shown(page)).includes('200\n'))
  const streams = page.getByLabel('Streams')
  const toError = page.getByRole('button', { name: 'Go to the first error' })
  t.same([await streams.count(), await toError.count()], [0, 0], 'stderr is empty')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await until(async () => (await shown(page)).includes('later-200\n'))
  await toError.click()
  t.ok(await until(() => isInView(page, 'first-problem')), 'shows the first error')
  await streams.selectOption('stderr')
  await settlesAt(t, () => shown(page), 'first-problem\n', 'stderr alone')
  t.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 1, 'the run is live')
  await service.post(`/runs/${id}/stdin`, { data: '\n', end: true })
  t.same(pageErrors, [])
  await context.close()
})

t.test('the times of an output that this tab did not receive cannot be shown, and the button says why', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = await service.exec({ command: 'echo before' })
  await goTo(page, `#/runs/${id}`)
  const times = page.getByRole('button', { name: 'Show when each line arrived' })
  t.ok(await until(() => times.isDisabled()))
  t.match(await times.getAttribute('title'), /did not receive these lines live/)
  await runIn(page, 'echo now')
  t.ok(await until(() => times.isEnabled()), 'the times of a run of this tab can')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the first error and a linked line are in view, at the end of a block and after long lines', async (t) => {
  const step = 'echo step $i; [ $i = 150 ] && printf "%2000s\\n" long'
  for (const viewport of [sizes.phone, sizes.laptop]) {
    for (const count of [60, 300]) {
      const { id } = await service.exec({
        command: `for i in $(seq 1 ${count}); do ${step}; done; echo boom >&2; false`,
      })
      const { page, context } = await openPaired(browser, service, { viewport, view: `#/runs/${id}?line=${count - 5}` })
      const isLinkedInView = () =>
        page.evaluate<boolean>(`(() => {
          const [line, screen] = ['.linked', '.screen'].map((one) => document.querySelector(one)?.getBoundingClientRect())
          return line !== undefined && line.top >= screen.top - 1 && line.bottom <= screen.bottom + 1
        })()`)
      t.ok(await until(isLinkedInView), `the linked line of ${count} at ${viewport.width}`)
      await scrollTo(page, 'top')
      await page.getByRole('button', { name: 'Go to the first error' }).click()
      t.ok(await until(() => isInView(page, 'boom')), `the first error after ${count} lines at ${viewport.width}`)
      await context.close()
    }
  }
})

/** 6.3 MB: more than the page loads of a run that it did not watch. */
/** What the page marks. */
const marked = (page: Page) =>
  page.evaluate<string[]>("[...(CSS.highlights.get('found-now') ?? [])].map((range) => range.toString())")
const flood = 'awk \'BEGIN { for (i = 1; i <= 200000; i++) print "line number " i " of the flood" }\''

t.test('the first error at the end of a long run that is opened again stays in view and is marked', async (t) => {
  const { id } = await service.exec({ command: `${flood}; sleep 0.2; echo oops >&2` })
  for (const viewport of [sizes.phone, sizes.laptop]) {
    const { page, context, pageErrors } = await openPaired(browser, service, { viewport, view: `#/runs/${id}` })
    await until(async () => (await shown(page)).includes('oops'))
    await page.getByRole('button', { name: 'Go to the first error' }).click()
    await page.getByText('The order of stdout and stderr').waitFor()
    await settlesAt(t, () => marked(page), ['oops'], `${viewport.width}: is marked`)
    for (let frame = 0; frame < 20; frame++) await isDrawn(page)
    t.ok(await isInView(page, 'oops'), `${viewport.width}: is in view`)
    const isUncovered = await page.evaluate<boolean>(`(() => {
      const [range] = CSS.highlights.get('found-now') ?? []
      const { x, y, width, height } = range.getBoundingClientRect()
      return document.elementFromPoint(x + width / 2, y + height / 2).closest('.blocks') !== null
    })()`)
    t.ok(isUncovered, `${viewport.width}: no button covers it`)
    await page.screenshot({ path: join(shotFolder(), `run-first-error-${viewport.width}.png`) })
    t.match(await shown(page), /line number 200000 of the flood\noops\n$/, `${viewport.width}: after stdout`)
    t.same(pageErrors, [])
    await context.close()
  }
})

t.test('the first error stays marked when its lines are drawn again', async (t) => {
  const started = await service.post('/exec', {
    command: 'seq 1 5; sleep 0.2; printf a-problem >&2; read go; echo " grows" >&2; read go; seq 6 9000; read go',
    background: true,
    stdin: 'open',
  })
  const { id } = (await started.json()) as { id: string }
  const { page, context, pageErrors } = await openPaired(browser, service, { view: `#/runs/${id}` })
  const next = () => service.post(`/runs/${id}/stdin`, { data: '\n' })
  await until(async () => (await shown(page)).endsWith('a-problem'))
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  await settlesAt(t, () => marked(page), ['a-problem'], 'is marked')
  await next()
  await until(async () => (await shown(page)).endsWith('a-problem grows\n'))
  await settlesAt(t, () => marked(page), ['a-problem grows'], 'after more output')
  for (const name of ['Wrap long lines', 'Number the lines', 'Number the lines']) {
    const button = page.getByRole('button', { name })
    const before = await button.getAttribute('aria-pressed')
    await button.click()
    await page.locator(`button[aria-label="${name}"]:not([aria-pressed="${before}"])`).waitFor()
    await settlesAt(t, () => marked(page), ['a-problem grows'], `after a click on ${name}`)
  }
  await next()
  await until(async () => (await shown(page)).endsWith('\n9000\n'))
  t.same(await marked(page), [], 'the line was dropped')
  await page.getByRole('button', { name: 'Go to the first error' }).click()
  await settlesAt(t, () => marked(page), ['a-problem grows'], 'in an older part')
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await settlesAt(t, () => marked(page), [], 'the find bar removes the mark')
  await page.getByRole('button', { name: 'Number the lines' }).click()
  await page.locator('.blocks.numbered').waitFor()
  t.same(await marked(page), [], 'for good')
  await service.request(`/runs/${id}`, { method: 'DELETE' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('a match at the end of a long run that is opened again stays in view', async (t) => {
  const { id } = await service.exec({ command: `${flood}; echo the end` })
  const { page, context, pageErrors } = await openPaired(browser, service, { view: `#/runs/${id}` })
  await until(async () => (await shown(page)).endsWith('the end\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox').fill('the end')
  await page.getByText('1 of 1').waitFor()
  t.ok(await until(() => isInView(page, 'the end')))
  for (let frame = 0; frame < 20; frame++) await isDrawn(page)
  t.ok(await isInView(page, 'the end'))
  t.same(pageErrors, [])
  await context.close()
})

t.test('the header never counts only the loaded lines as all, and counts all once they are numbered', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const both = await service.exec({ command: `echo oops >&2; sleep 0.2; ${flood}` })
  await goTo(page, `#/runs/${both.id}`)
  await page.locator('.tools', { hasText: /^6\.\d MB · at least 1\d\d,\d{3} lines/ }).waitFor()
  const { id } = await service.exec({ command: flood })
  await goTo(page, `#/runs/${id}`)
  await page.locator('.tools', { hasText: /^6\.\d MB · at least 1\d\d,\d{3} lines/ }).waitFor()
  await page.getByRole('button', { name: 'Number the lines' }).click()
  await page.locator('.tools', { hasText: /^6\.\d MB · 200,000 lines/ }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('a note above the output that does not fit beside the one before has a row of its own', async (t) => {
  const { id } = await service.exec({ command: `echo first >&2; sleep 0.2; ${flood}; sleep 0.2; echo oops >&2` })
  for (const viewport of [sizes.phone, { width: 600, height: 800 }]) {
    const { page, context } = await openPaired(browser, service, { viewport, view: `#/runs/${id}` })
    await until(async () => (await shown(page)).includes('oops'))
    await page.getByText('The order of stdout and stderr is approximate.').waitFor()
    await isDrawn(page)
    const rows = await page.evaluate<Record<'top' | 'bottom' | 'height', number>[]>(
      "[...document.querySelectorAll('.output :is(.tools, .hint, .screen)')].map((one) => one.getBoundingClientRect().toJSON())",
    )
    t.equal(rows.length, 4, `${viewport.width}: two notes`)
    for (const [index, { top }] of rows.entries())
      t.ok(top >= (rows[index - 1]?.bottom ?? 0) - 1, `${viewport.width}: ${index} is below the one before`)
    t.ok(rows[2]!.height < 30, `${viewport.width}: the second note is one line`)
    await page.screenshot({ path: join(shotFolder(), `run-notes-${viewport.width}.png`) })
    await context.close()
  }
})
