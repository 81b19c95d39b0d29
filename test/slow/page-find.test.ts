import t from 'tap'
import type { Page } from 'playwright-core'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
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
  shown,
  sizes,
} from './browser.ts'
import { runInParts } from './page-service.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const status = (page: Page) => page.getByRole('search').getByRole('status').textContent()
/** The highlighted match and its line; null: none, or the page is about to replace its lines. */
const current = (page: Page) =>
  page.evaluate<string | null>(`(() => {
    const [range] = CSS.highlights.get('found-now') ?? []
    const element = range?.startContainer.parentElement?.closest('.block')
    if (!element) return null
    const before = new Range()
    before.selectNodeContents(element)
    before.setEnd(range.startContainer, range.startOffset)
    const block = element.textContent
    const at = before.toString().length
    return range.toString() + ' in ' + block.slice(block.lastIndexOf('\\n', at - 1) + 1, block.indexOf('\\n', at))
  })()`)

/** The highlighted text, joined; an empty range has lost its match. */
const marked = (page: Page) => page.evaluate<string>(`[...(CSS.highlights.get('found') ?? [])].map(String).join(' ')`)
const repeated = (text: string, count: number) => Array.from({ length: count }, () => text).join(' ')

t.test('finds text in the whole output of a run, also in lines that the page has not loaded', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 20000; echo 4242 here >&2')
  await until(async () => (await shown(page)).includes('20000'))
  t.notMatch(await shown(page), /^4242$/m, 'the line is not loaded')
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('4242')
  const isCounted = async () => (await status(page)) === '3 of 3'
  t.ok(await until(isCounted), 'counts 4242 and 14242 on stdout and 4242 on stderr')
  await until(async () => (await current(page)) === '4242 in 4242 here')
  const expected = ['4242 in 4242', '4242 in 14242', '4242 in 4242 here'] // around, and forwards
  for (const line of expected) {
    await page.keyboard.press('Enter')
    t.ok(await until(async () => (await current(page)) === line), `Enter goes to ${line}`)
  }
  await page.keyboard.press('Shift+Enter')
  t.ok(await until(async () => (await current(page)) === '4242 in 14242'), 'Shift+Enter goes to the match before')
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('no such text')
  await until(async () => (await status(page)) === 'not found')
  t.same(pageErrors, [])
  await context.close()
})

t.test('finds text among the loaded lines without asking the service', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 300')
  await until(async () => (await shown(page)).endsWith('\n300\n'))
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('29')
  await until(async () => / of 13$/.test((await status(page))!))
  await settlesAt(t, () => current(page), '29 in 290', 'the first match that is visible is the current one')
  for (const line of ['291', '292']) {
    await page.keyboard.press('Enter')
    await settlesAt(t, () => current(page), `29 in ${line}`, 'Enter goes to the next one')
  }
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('292')
  await settlesAt(t, () => current(page), '292 in 292', 'a longer text stays at the match')
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('4')
  await settlesAt(t, () => current(page), '4 in 294', 'the first one after it')
  t.same(
    requests.filter((url) => url.includes('/matches')),
    [],
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('searches again when the last output has arrived', async (t) => {
  const started = await service.post('/exec', { command: 'read go; seq 1 300', background: true, stdin: 'open' })
  const { id } = (await started.json()) as ExecRecord
  const { page, context, pageErrors } = await openPaired(browser, service, { view: `#/runs/${id}` })
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('29')
  await until(async () => (await status(page)) === 'not found')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await settlesAt(
    t,
    async () => (await status(page))?.split(' of ')[1],
    '13',
    'counts the matches in all of the output',
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('a search of the service starts at the lines that are visible', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 20000')
  await until(async () => (await shown(page)).endsWith('\n20000\n'))
  await scrollTo(page, 'top') // line 15001
  await page.getByRole('button', { name: 'Go to the end' }).waitFor()
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('777')
  await settlesAt(t, () => current(page), '777 in 15777', 'the first match after the visible lines')
  for (const line of ['16777', '17770']) {
    await page.keyboard.press('Enter')
    await settlesAt(t, () => current(page), `777 in ${line}`, 'Enter goes to the next one')
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('a search of the service searches only the stream that is shown', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 20000; echo needle >&2; sleep 0.1; echo end')
  await until(async () => (await shown(page)).endsWith('end\n'))
  await page.getByLabel('Streams').selectOption('stdout')
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('needle')
  await settlesAt(t, () => status(page), 'not found', 'it is on stderr')
  await page.getByLabel('Streams').selectOption('stderr')
  await settlesAt(t, () => status(page), '1 of 1', 'the other stream')
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows a match among the lines of both streams', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 10000; echo needle >&2; seq 10001 20000; echo end >&2')
  await until(async () => (await shown(page)).includes('\n20000\n') && (await shown(page)).includes('end\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  const search = page.getByRole('searchbox', { name: 'Find in the output' })
  for (const text of ['needle', '4321']) {
    await search.fill(text)
    await settlesAt(t, () => current(page), `${text} in ${text}`, 'the match is highlighted')
    await page.getByText('Part of both streams').waitFor()
  }
  await search.fill('needle')
  await settlesAt(t, () => current(page), 'needle in needle', 'the match is highlighted')
  t.match(await shown(page), /^\d+$/m, 'with lines of stdout')
  await page.getByRole('button', { name: 'Go to the end' }).click()
  await until(async () => (await shown(page)).includes('\n20000\n'))
  await page.getByRole('button', { name: 'Go to the beginning' }).click()
  await until(async () => /^(needle\n)?1\n/.test(await shown(page)))
  t.ok(await page.getByText('Part of both streams').isVisible())
  t.same(pageErrors, [])
  await context.close()
})

t.test('goes through the matches in both streams in the order in which they arrived', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const parts = [
    'echo needle a >&2',
    'echo needle b; seq 1 10000',
    'echo needle c >&2',
    'echo needle d; echo needle e; seq 10001 20000',
    'echo end >&2',
  ]
  await goTo(page, `#/runs/${await runInParts(service, parts)}`)
  await until(async () => (await shown(page)).endsWith('\n20000\nend\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('needle')
  for (const name of ['a', 'b', 'c', 'd', 'e', 'a']) {
    await settlesAt(t, () => current(page), `needle in needle ${name}`, name)
    await page.keyboard.press('Enter')
  }
  await page.getByRole('button', { name: 'Go to the beginning' }).click()
  t.ok(await until(async () => (await shown(page)).startsWith('needle a\nneedle b\n1\n')), 'in this order')
  t.same(pageErrors, [])
  await context.close()
})

t.test('counts the matches in a live output as at least', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = await service.exec({
    command: 'echo needle; seq 1 20000; read line; echo needle',
    stdin: 'open',
    background: true,
  })
  await goTo(page, `#/runs/${id}`)
  await until(async () => (await shown(page)).endsWith('\n20000\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('needle')
  await settlesAt(t, () => status(page), '1 of 1+', 'more may come')
  await service.post(`/runs/${id}/stdin`, { data: 'go\n' })
  await settlesAt(t, () => status(page), '1 of 2', 'the run has ended')
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows both streams also far from the beginning and from the end', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const parts = ['seq 1 700000', 'echo e1 >&2', 'seq 700001 1400000', 'echo e2 >&2', 'seq 1400001 1404000']
  await goTo(page, `#/runs/${await runInParts(service, parts)}`)
  await until(async () => (await shown(page)).endsWith('\n1404000\n'))
  t.match(await shown(page), /\n1400000\ne2\n1400001\n/, 'at the end')
  await page.getByRole('button', { name: 'Find in the output' }).click()
  const search = page.getByRole('searchbox', { name: 'Find in the output' })
  for (const [text, around] of [
    ['e2', /\n1400000\ne2\n1400001\n/],
    ['1400003', /\n1400000\ne2\n1400001\n/],
    ['e1', /\n700000\ne1\n700001\n/],
    ['699999', /\n700000\ne1\n700001\n/],
  ] as const) {
    await search.fill(text)
    await settlesAt(t, () => current(page), `${text} in ${text}`, 'the match is highlighted')
    t.match(await shown(page), around, `both streams around ${text}`)
  }
  await page.getByText('Part of both streams').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('a search with too many matches starts at the view', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq -f "needle %g" 1 30000; echo end >&2')
  await until(async () => (await shown(page)).includes('needle 30000\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  const search = page.getByRole('searchbox', { name: 'Find in the output' })
  await search.fill('needle')
  t.ok(
    await until(async () => /^1 of [\d,]+ after this place$/.test((await status(page)) ?? '')),
    String(await status(page)),
  )
  const first = async () => Number(/needle (\d+)$/.exec((await current(page)) ?? '')?.[1])
  t.ok(
    await until(async () => (await first()) > 29_000),
    'the first match is near the view, not where the search started',
  )
  await page.getByRole('button', { name: 'Go to the beginning' }).click()
  t.ok(await until(async () => /^(end\n)?needle 1\n/.test(await shown(page))))
  await search.fill('needl')
  await settlesAt(t, () => status(page), '1 of 10,000+', 'from the beginning')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the highlights stay when the output is drawn again, and the current match stays in view', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, `seq -f '%g ${'x'.repeat(110)}' 1 300`)
  await until(async () => (await shown(page)).includes('\n300 '))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('15')
  await settlesAt(t, () => status(page), '1 of 13', 'no match is visible')
  for (let presses = 0; presses < 4; presses++) await page.keyboard.press('Enter')
  const line = `152 ${'x'.repeat(110)}`
  const stays = async (change: string) => {
    await settlesAt(t, () => marked(page), repeated('15', 13), `${change}: all matches are highlighted`)
    await settlesAt(t, () => current(page), `15 in ${line}`, `${change}: so is the current one`)
    await settlesAt(t, () => isInView(page, '152 '), true, `${change}: it is in view`)
    t.equal(await status(page), '5 of 13')
  }
  await stays('Enter')
  for (const name of ['Number the lines', 'Show when each line arrived']) {
    const button = page.getByRole('button', { name })
    for (const isOn of [true, false]) {
      await button.click()
      await page.locator(`button[aria-label="${name}"][aria-pressed="${isOn}"]`).waitFor()
      await stays(`${name} ${isOn ? 'on' : 'off'}`)
    }
  }
  await page.setViewportSize(sizes.phone)
  await stays('narrow window')
  await page.getByRole('button', { name: 'Wrap long lines' }).click()
  await stays('no wrap')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the highlights stay in the part of a long output that is drawn again', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 20000')
  await until(async () => (await shown(page)).endsWith('\n20000\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('777')
  await settlesAt(t, () => current(page), '777 in 777', 'the first match')
  const before = await marked(page)
  await page.getByRole('button', { name: 'Number the lines' }).click()
  await page.locator('.blocks.numbered').waitFor()
  await settlesAt(t, () => marked(page), before, 'all matches are highlighted')
  await settlesAt(t, () => current(page), '777 in 777', 'so is the current one')
  await settlesAt(t, () => isInView(page, '777'), true, 'it is in view')
  await page.getByRole('button', { name: 'Next match' }).click()
  await settlesAt(t, () => current(page), '777 in 1777', 'the next one')
  await scrollTo(page, 'top')
  await until(async () => (await shown(page)).startsWith('1\n'))
  await settlesAt(t, () => marked(page), '777', 'the part before contains one match')
  t.equal(await current(page), null, 'which is not the current one')
  await scrollTo(page, 'end')
  await settlesAt(t, () => current(page), '777 in 1777', 'the part after it contains the current one')
  const end = page.getByRole('button', { name: 'Go to the end' })
  await end.click()
  await end.waitFor({ state: 'detached' })
  await settlesAt(t, () => marked(page), repeated('777', 14), 'the matches in other lines are highlighted')
  t.same(pageErrors, [])
  await context.close()
})

t.test('more output is highlighted and counted, and leaves the current match in view', async (t) => {
  const started = await service.post('/exec', {
    command: 'seq 1 300; read go; seq 1001 1300; read go; seq 2001 2250; read go',
    background: true,
    stdin: 'open',
  })
  const { id } = (await started.json()) as ExecRecord
  const { page, context, pageErrors } = await openPaired(browser, service, { view: `#/runs/${id}` })
  await until(async () => (await shown(page)).endsWith('\n300\n'))
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('298')
  await settlesAt(t, () => current(page), '298 in 298', 'a match near the end')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await until(async () => (await shown(page)).endsWith('\n1300\n'))
  await settlesAt(t, () => status(page), '1 of 2', 'counts the match in the new lines')
  await settlesAt(t, () => marked(page), '298 298', 'highlights it')
  await settlesAt(t, () => current(page), '298 in 298', 'the current match stays')
  t.ok(await isInView(page, '298'), 'it is in view')
  await page.keyboard.press('Enter')
  await settlesAt(t, () => current(page), '298 in 1298', 'Enter goes to the new one')
  t.ok(await until(() => isInView(page, '1298')), 'at the end of the view')
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  await until(async () => (await shown(page)).endsWith('\n2250\n'))
  await settlesAt(t, () => current(page), '298 in 1298', 'it stays after more output')
  await isDrawn(page)
  t.ok(await isInView(page, '1298'), 'in view')
  await service.request(`/runs/${id}`, { method: 'DELETE' })
  await page.locator('.run-end').waitFor()
  t.same(pageErrors, [])
  await context.close()
})
