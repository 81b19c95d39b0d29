import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Page } from 'playwright-core'
import { isDrawn, noBrowser, openBrowser, goTo, openPaired, scrollTo, shown } from './browser.ts'
import { toCount } from '../../src/web/parts/format.ts'
import { runInParts } from './page-service.ts'
import { becomes, startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const linesIn = async (page: Page) => (await shown(page)).trimEnd().split('\n').map(Number)
/** Scrolls to the top or end and waits for other lines or for line `newest`; resolves with the first and the last line shown. */
async function loadMore(page: Page, where: 'top' | 'end', newest?: number): Promise<[first: number, last: number]> {
  const [before] = await linesIn(page)
  await scrollTo(page, 400)
  await isDrawn(page)
  // lines that get their real height while they come into view can move the end away: then scroll on, as a person does
  const isLoaded = async () => {
    const lines = await linesIn(page)
    return lines[0] !== before || lines.at(-1) === newest
  }
  let tries = 0
  do await scrollTo(page, where)
  while (!(await becomes(isLoaded, 5000)) && ++tries < 24)
  const lines = await linesIn(page)
  return [lines[0]!, lines.at(-1)!]
}

/** Scrolls away and to the top or end, as a person does, until the condition is met: lines that get their real height can move the end away. */
async function scrollUntil(page: Page, where: 'top' | 'end', isMet: () => Promise<boolean>): Promise<void> {
  let tries = 0
  do {
    await scrollTo(page, 400)
    await isDrawn(page)
    await scrollTo(page, where)
  } while (!(await becomes(isMet, 5000)) && ++tries < 24)
}

/** Runs a command in the page, which follows its output from the first byte; resolves when the page shows its end. */
async function runWatched(t: Test, page: Page, command: string): Promise<void> {
  const gate = join(t.testdir({}), 'go')
  await goTo(page, '#/run')
  await page.getByLabel('Command', { exact: true }).fill(`until [ -e ${gate} ]; do sleep 0.1; done; ${command}`)
  await page.keyboard.press('Enter')
  await page.locator('.run-card header .tag', { hasText: 'running' }).waitFor()
  writeFileSync(gate, '')
  await page.locator('.run-end').waitFor()
}

t.test('scrolling up loads older lines, scrolling down returns to the newest', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  for (const lines of [6_000, 20_000]) {
    await runWatched(t, page, `seq 1 ${lines}`)
    t.ok(await until(async () => (await linesIn(page)).at(-1) === lines))
    let [first] = await linesIn(page)
    let steps = 0
    for (; first! > 1 && steps < 30; steps++) {
      const [start, end] = await loadMore(page, 'top')
      const shown = await linesIn(page)
      t.ok(start < first! && end >= first! - 1, `lines ${start} to ${end} lead up to ${first}`)
      t.same(
        shown,
        shown.map((_line, index) => start + index),
        'shows each of them once',
      )
      first = start
    }
    t.equal(first, 1, `reaches the first line after ${steps} steps`)
    t.match(await page.locator('.output .hint').textContent(), /stdout, bytes 0 to/)
    const lastIn = async () => (await linesIn(page)).at(-1)!
    let last = await lastIn()
    // on a busy machine, one scroll can load two parts, the second after loadMore has resolved
    for (steps = 0; last < lines && steps < 40; steps++, last = await lastIn()) {
      const [start, end] = await loadMore(page, 'end', lines)
      t.ok(start <= last + 1 && end > last, `lines ${start} to ${end} continue from ${last}`)
    }
    t.equal(last, lines, `returns to the last line after ${steps} steps`)
    await loadMore(page, 'top')
    await page.getByRole('button', { name: 'Go to the end' }).click()
    t.ok(await until(async () => (await linesIn(page)).at(-1) === lines))
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('scrolling shows both streams, forwards from the beginning and back from the end', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const last = 700_000 // more than the page loads
  const parts = ['seq 1 1500', 'echo e1 >&2', 'seq 1501 693000', 'echo e2 >&2', `seq 693001 ${last}`]
  const id = await runInParts(service, parts)
  await goTo(page, `#/runs/${id}`)
  const stdout = async () => (await linesIn(page)).filter((line) => !isNaN(line))
  t.ok(await until(async () => (await stdout()).at(-1) === last))
  const isWhole = async (what: string) => {
    const lines = await stdout()
    t.same(
      lines,
      lines.map((_line, index) => lines[0]! + index),
      `${what}: each line of stdout once`,
    )
    t.match(await page.locator('.output .hint').first().textContent(), /^Part of both streams/, what)
  }
  const [newest] = await stdout()
  await scrollUntil(page, 'top', async () => (await stdout())[0]! < newest!)
  await isWhole('earlier lines')
  t.match(await shown(page), /\n693000\ne2\n693001\n/)
  await page.getByRole('button', { name: 'Go to the beginning' }).click()
  t.ok(await until(async () => (await stdout())[0] === 1))
  const before = (await stdout()).at(-1)!
  await scrollUntil(page, 'end', async () => (await stdout()).at(-1)! > before)
  await isWhole('later lines')
  t.match(await shown(page), /\n1500\ne1\n1501\n/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('scrolling up loads older lines of a run that prints only to stderr', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const { id } = await service.exec({ command: 'seq 1 20000 >&2' })
  await goTo(page, `#/runs/${id}`)
  t.ok(await until(async () => (await linesIn(page)).at(-1) === 20_000))
  const [first] = await linesIn(page)
  const [start, end] = await loadMore(page, 'top')
  t.ok(start < first! && end >= first! - 1, `lines ${start} to ${end} lead up to ${first}`)
  const [, next] = await loadMore(page, 'end', 20_000)
  t.ok(next > end, `lines to ${next} follow`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('goes to the beginning of an output that is loaded, and of one that is not', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const toStart = page.getByRole('button', { name: 'Go to the beginning' })
  for (const last of [4_000, 1_000_000]) {
    const { id } = await service.exec({ command: `seq 1 ${last}` })
    await goTo(page, `#/runs/${id}`)
    t.ok(await until(async () => (await linesIn(page)).at(-1) === last))
    if (last < 5_000) await scrollTo(page, 400)
    await toStart.click()
    t.ok(await until(async () => (await linesIn(page))[0] === 1), `the first of ${last} lines`)
    await page.locator('.tools').getByRole('button', { name: 'Copy', exact: true }).click()
    await page.getByText(`Copied ${toCount((await linesIn(page)).length)} lines`).waitFor()
    t.equal(await page.evaluate("document.querySelector('.screen').scrollTop"), 0)
    t.equal(await page.getByRole('button', { name: 'Earlier lines' }).count(), 0, 'there are no earlier lines')
    await page.getByRole('button', { name: 'Go to the end' }).click()
    t.ok(await until(async () => (await linesIn(page)).at(-1) === last), 'and to the end again')
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('numbers the lines of a long run that is opened again, also those before the part that it loads', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const last = 1_000_000
  const { id } = await service.exec({ command: `seq 1 ${last}` })
  await goTo(page, `#/runs/${id}`)
  await page.getByText(/Scroll up to load the first [\d.]+ MB/).waitFor()
  await page.getByRole('button', { name: 'Number the lines' }).click()
  const isRight = () =>
    page.evaluate<boolean>(`(() => {
      const numbers = [...document.querySelectorAll('.number')]
      return numbers.length > 0 && numbers.every((one) => one.dataset.line === one.parentElement.textContent.trim())
    })()`)
  t.ok(await until(async () => (await linesIn(page)).at(-1) === last && (await isRight())), 'the newest lines')
  t.equal(await page.getByText('no line numbers').count(), 0)
  await loadMore(page, 'top')
  t.ok(await until(isRight), 'older lines')
  const errorsLast = await service.exec({ command: `seq 1 ${last}; sleep 0.2; seq ${last + 1} ${last + 3} >&2` })
  await goTo(page, `#/runs/${errorsLast.id}`)
  t.ok(await until(async () => (await linesIn(page)).at(-1) === last + 3 && (await isRight())), 'both streams')
  await loadMore(page, 'top')
  t.ok(await until(isRight), 'older lines of stdout')
  await goTo(page, `#/runs/${errorsLast.id}?line=${last + 2}`)
  const linked = page.locator('.blocks .linked')
  t.ok(await until(async () => (await linked.textContent()) === `${last + 2}\n`), 'a link to a line of both streams')
  const errorsFirst = await service.exec({ command: `seq 1 3 >&2; sleep 0.2; seq 1 ${last}` })
  await goTo(page, `#/runs/${errorsFirst.id}`)
  const isThreeMore = () =>
    page.evaluate<boolean>(`(() => {
      const numbers = [...document.querySelectorAll('.number')]
      return numbers.length > 0 && numbers.every((one) => Number(one.dataset.line) === Number(one.parentElement.textContent) + 3)
    })()`)
  t.ok(await until(isThreeMore), 'three lines of stderr are before those of stdout')
  await loadMore(page, 'top')
  t.ok(await until(isThreeMore), 'older lines of a run whose stderr is at its start')
  t.same(pageErrors, [])
  await context.close()
})

t.test('long lines and many colours stay within the limit of elements', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  const coloured = `awk 'BEGIN { for (i = 0; i < 12000; i++) printf "\\033[3%dm%d\\033[0m%s", i % 8, i % 10, i % 20 ? "" : "\\n" }'`
  await runWatched(t, page, `${coloured}; head -c 400000 /dev/zero | tr '\\0' x; echo; ${coloured}`)
  const hint = () => page.locator('.output .hint').textContent()
  const elements = () => page.evaluate<number>("document.querySelectorAll('.blocks *').length")
  let steps = 0
  for (; steps < 60 && !(await hint())!.includes('bytes 0 to'); steps++) {
    const before = await hint()
    await page.getByRole('button', { name: 'Earlier lines' }).click()
    t.ok(await until(async () => (await hint()) !== before), `${before} became ${await hint()}`)
    t.ok((await elements()) <= 12_000, `${await elements()} elements`)
  }
  t.match(await hint(), /bytes 0 to/, `reaches the first byte after ${steps} steps`)
  t.same(pageErrors, [])
  await context.close()
})
