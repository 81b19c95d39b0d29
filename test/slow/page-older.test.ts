import t from 'tap'
import type { Page } from 'playwright-core'
import { noBrowser, openBrowser, openPaired, runIn, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const linesIn = async (page: Page) => (await shown(page)).trimEnd().split('\n').map(Number)
const scrollTo = (page: Page, where: 'top' | 'end') =>
  page.evaluate(
    `{ const box = document.querySelector('.screen'); box.scrollTop = ${where === 'top' ? '0' : 'box.scrollHeight'} }`,
  )
/** Scrolls there, and waits for other lines to come; the first and the last of them. */
async function goOn(page: Page, where: 'top' | 'end'): Promise<[first: number, last: number]> {
  const [before] = await linesIn(page)
  await page.evaluate("document.querySelector('.screen').scrollTop = 400")
  await page.waitForTimeout(100)
  await scrollTo(page, where)
  await until(async () => (await linesIn(page))[0] !== before)
  const lines = await linesIn(page)
  return [lines[0]!, lines.at(-1)!]
}

t.test('what is older than the lines that are kept comes back as one scrolls up, and goes again', async (t) => {
  const { page, context, troubles } = await openPaired(browser, service)
  for (const lines of [6_000, 20_000]) {
    await runIn(page, `seq 1 ${lines}`)
    t.ok(await until(async () => (await linesIn(page)).at(-1) === lines))
    let [first] = await linesIn(page)
    let steps = 0
    for (; first! > 1 && steps < 30; steps++) {
      const [begins, ends] = await goOn(page, 'top')
      const shown = await linesIn(page)
      t.ok(begins < first! && ends >= first! - 1, `lines ${begins} to ${ends} lead up to ${first}`)
      t.same(
        shown,
        shown.map((_line, index) => begins + index),
        'each of them once',
      )
      first = begins
    }
    t.equal(first, 1, `the beginning, after ${steps} steps`)
    t.match(await page.locator('.output > .hint').textContent(), /stdout, bytes 0 to/)
    let last = (await linesIn(page)).at(-1)!
    for (steps = 0; last < lines && steps < 40; steps++) {
      const [begins, ends] = await goOn(page, 'end')
      t.ok(begins <= last + 1 && ends > last, `lines ${begins} to ${ends} go on from ${last}`)
      last = ends
    }
    t.equal(last, lines, `and down again to the end, after ${steps} steps`)
    await goOn(page, 'top')
    await page.getByRole('button', { name: 'Go to the end' }).click()
    t.ok(await until(async () => (await linesIn(page)).at(-1) === lines))
  }
  t.same(troubles, [])
  await context.close()
})

t.test('lines as long as they like, and colours, stay bounded', async (t) => {
  const { page, context, troubles } = await openPaired(browser, service)
  const coloured = `awk 'BEGIN { for (i = 0; i < 12000; i++) printf "\\033[3%dm%d\\033[0m%s", i % 8, i % 10, i % 20 ? "" : "\\n" }'`
  await runIn(page, `${coloured}; head -c 400000 /dev/zero | tr '\\0' x; echo; ${coloured}`)
  const hint = () => page.locator('.output > .hint').textContent()
  const elements = () => page.evaluate<number>("document.querySelectorAll('.blocks *').length")
  let steps = 0
  for (; steps < 60 && !(await hint())!.includes('bytes 0 to'); steps++) {
    const before = await hint()
    await page.getByRole('button', { name: 'Older output' }).click()
    t.ok(await until(async () => (await hint()) !== before), `${before} became ${await hint()}`)
    t.ok((await elements()) <= 12_000, `${await elements()} elements`)
  }
  t.match(await hint(), /bytes 0 to/, `the beginning, after ${steps} steps`)
  t.same(troubles, [])
  await context.close()
})
