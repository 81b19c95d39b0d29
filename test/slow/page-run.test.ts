import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { Page } from 'playwright-core'
import {
  goTo,
  isDrawn,
  noBrowser,
  openBrowser,
  openPaired,
  runIn,
  settlesAt,
  shotFolder,
  shown,
  sizes,
} from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const env = { SHELLPHONE_POLICY: 'open' }
const service = await startService({ env })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const outputArea = (page: Page) => page.locator('.screen')
/** The numbers and the times that stand before the lines. */
const numbers = (page: Page) =>
  page.evaluate<string[]>("[...document.querySelectorAll('.number')].map(({ dataset }) => dataset.line)")
const times = (page: Page) =>
  page.evaluate<(string | null)[]>(
    "[...document.querySelectorAll('.block > div')].map(({ dataset }) => dataset.time ?? null)",
  )

t.test('Interrupt sends SIGINT, Cancel ends the run as canceled, and both say what follows', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await page.getByLabel('Command', { exact: true }).fill('trap "" INT; echo ready; sleep 300')
  await page.keyboard.press('Enter')
  await page.locator('.blocks').waitFor({ state: 'attached' })
  await until(async () => (await shown(page)) === 'ready\n')
  await press(page, 'Interrupt')
  await page.getByText(/can ignore it; Cancel ends its whole process tree/).waitFor()
  await goTo(page, '#/runs')
  await page.getByRole('navigation').getByRole('link', { name: 'Run', exact: true }).first().click()
  t.ok(await until(async () => (await shown(page)) === 'ready\n'), 'coming back to Run shows the live run')
  await press(page, 'Cancel')
  await page.locator('.run-end').waitFor()
  await settlesAt(t, () => page.locator('.run-card .tag').first().textContent(), 'canceled', 'Cancel ends the run')
  await goTo(page, '#/runs?status=canceled')
  await page.locator('.run-row', { hasText: 'trap "" INT' }).waitFor()
  await page.getByRole('link', { name: '0 running' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Run', exact: true }).first().click()
  await page.locator('.run-view .state').waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('on a phone, Run closes the options and shows the output below the options in force', async (t) => {
  const touch = { viewport: sizes.phone, hasTouch: true, isMobile: true }
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/run', ...touch })
  await page.getByText('Options', { exact: true }).click()
  const checkbox = await page.getByRole('checkbox').boundingBox()
  t.same([checkbox!.width, checkbox!.height], [20, 20], 'the checkbox is as wide as it is high')
  await page.getByLabel('Directory').fill('/usr')
  await page.getByLabel('Command', { exact: true }).fill('pwd')
  await press(page, 'Run')
  await until(async () => (await shown(page)) === '/usr\n')
  const top = async () => (await outputArea(page).boundingBox())!.y
  t.ok(await until(async () => (await top()) < sizes.phone.height / 2), `the output begins at ${await top()} pixels`)
  t.ok(await page.getByText('Every command here runs with: /usr').isVisible())
  t.same(pageErrors, [])
  await context.close()
})

t.test(
  'the options that apply to every command are named next to the command field, and a button clears them',
  async (t) => {
    const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/run', viewport: sizes.phone })
    const inForce = page.locator('.in-force span')
    await page.getByText('Options', { exact: true }).click()
    t.equal(await inForce.count(), 0, 'no option is set')
    await page.getByLabel('Session').fill('demo')
    await page.getByLabel('Directory').fill('/usr/lib')
    await page.getByText('Options', { exact: true }).click()
    const named = 'Every command here runs with: session demo · /usr/lib'
    await settlesAt(t, () => inForce.textContent(), named, 'both are set')
    await page.getByLabel('Command', { exact: true }).fill('pwd')
    await press(page, 'Clear the options')
    await inForce.waitFor({ state: 'detached' })
    t.equal(await page.getByLabel('Command', { exact: true }).inputValue(), 'pwd', 'the command stays')
    t.equal(await page.getByLabel('Session').inputValue(), '')
    t.same(pageErrors, [])
    await context.close()
  },
)

t.test(
  'a run with an open stdin gets the next line, and a run whose card was replaced stays one click away',
  async (t) => {
    const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/run' })
    const command = page.getByLabel('Command', { exact: true })
    const stdin = page.getByLabel('Line for stdin')
    const still = page.locator('.in-force', { hasText: 'Still running:' })
    await page.getByText('Options', { exact: true }).click()
    await page.getByRole('checkbox', { name: /^Keep stdin open/ }).check()
    await page.getByText('Options', { exact: true }).click()
    const asks = (name: string) => `printf "${name}? "; read answer; echo "${name} got $answer"`
    for (const name of ['first', 'second']) {
      await command.fill(asks(name))
      await command.press('Enter')
      await until(async () => (await shown(page)).includes(`${name}? `))
      const hasFocus = () => page.evaluate<boolean>("document.activeElement.matches('.stdin input')")
      await settlesAt(t, hasFocus, true, `${name}: what the user types next goes to the run`)
      await page.setViewportSize(sizes.phone)
      await page.screenshot({ path: join(shotFolder(), `run-stdin-${name}-phone.png`) })
      await page.setViewportSize(sizes.laptop)
      await page.screenshot({ path: join(shotFolder(), `run-stdin-${name}-laptop.png`) })
      if (name === 'second') continue
      t.equal(await still.count(), 0, 'its card shows it')
      await stdin.fill('on')
    }
    await page.keyboard.type('two')
    await page.keyboard.press('Enter')
    await page.locator('.run-end').waitFor()
    t.match(await shown(page), /second got two/)
    await still.getByRole('link', { name: asks('first') }).click()
    await until(async () => (await shown(page)).includes('first? '))
    await still.waitFor({ state: 'detached' })
    t.equal(await stdin.inputValue(), 'on', 'the line is kept')
    await stdin.fill('one')
    await stdin.press('Enter')
    await page.locator('.run-end').waitFor()
    t.match(await shown(page), /first got one/)
    t.same(pageErrors, [])
    await context.close()
  },
)

t.test('every line of a run that this page started has a time, also after a reload', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'echo first; echo second; echo third >&2')
  await until(async () => (await shown(page)).length === 'first\nsecond\nthird\n'.length)
  await press(page, 'Show when each line arrived')
  await page.locator('.block > div').nth(2).waitFor()
  const before = await times(page)
  t.equal(before.length, 3)
  t.ok(
    before.every((time) => /^\d\d:\d\d:\d\d\.\d{3}$/.test(time ?? '')),
    `times: ${before.join(', ')}`,
  )
  await page.reload()
  await page.locator('.blocks').waitFor({ state: 'attached' })
  await until(async () => (await shown(page)).length === 'first\nsecond\nthird\n'.length)
  await settlesAt(t, () => times(page), before, 'the same times after a reload')
  t.equal(await page.locator('.untimed').count(), 0)
  t.same(pageErrors, [])
  await context.close()
})

t.test('the numbers of lines have room from line 10 000 on, and do not touch the text', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 12000')
  await until(async () => (await shown(page)).endsWith('\n12000\n'))
  await press(page, 'Number the lines')
  await page.locator('.number').first().waitFor()
  await isDrawn(page)
  const sizes = await page.evaluate<{ link: number; row: number; gap: number }>(`(() => {
    const row = [...document.querySelectorAll('.block > div')].at(-1)
    const [link, text] = [row.querySelector('.number'), new Range()]
    text.selectNodeContents(row.lastChild)
    const [number, line] = [link.getBoundingClientRect(), text.getBoundingClientRect()]
    return { link: number.height, row: row.getBoundingClientRect().height, gap: line.left - number.right }
  })()`)
  await settlesAt(t, async () => (await numbers(page)).at(-1), '12000', 'the last line has its number')
  t.ok(sizes.link < 1.5 * sizes.row, `the number is ${sizes.link} pixels high, its row ${sizes.row}`)
  t.ok(sizes.gap > 4, `${sizes.gap} pixels between the number and the text`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('lines that Find loads from the service have their numbers', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  await runIn(page, 'seq 1 30000')
  await until(async () => (await shown(page)).endsWith('\n30000\n'))
  await press(page, 'Number the lines')
  await press(page, 'Find in the output')
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('12345')
  await until(async () => (await shown(page)).includes('\n12345\n'))
  const lines = async () => (await shown(page)).trimEnd().split('\n')
  const areNumbered = async () => isDeepStrictEqual(await numbers(page), await lines())
  t.ok(await until(areNumbered), 'each line of seq is its own number')
  await press(page, 'Earlier lines')
  await until(async () => !(await shown(page)).includes('\n13000\n'))
  t.ok(await until(areNumbered), 'and so after loading older lines')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the first error of a long output is shown between the lines around it', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service)
  // the service receives half a line where the part that is shown would end
  const half = "seq 3001 4000; printf 40; sleep 0.2; printf '01\\n'; seq 4002 30000"
  await runIn(page, `seq 1 3000; echo a problem >&2; ${half}; exit 3`)
  await until(async () => (await shown(page)).includes('\n30000\n'))
  await press(page, 'Number the lines')
  await press(page, 'Go to the first error')
  await until(async () => (await shown(page)).includes('a problem\n'))
  /** the shown lines, which may still grow, and the numbers that they should have: after the error, one more than in stdout */
  const expected = async () => {
    const lines = (await shown(page)).trimEnd().split('\n')
    const at = lines.indexOf('a problem')
    return lines.map((line, index) => {
      if (index === at) return String(Number(lines[index - 1] ?? 0) + 1)
      return index < at ? line : String(Number(line) + 1)
    })
  }
  t.ok(await until(async () => (await expected()).length > 1000), 'with the lines of stdout')
  t.ok(
    await until(async () => String(await numbers(page)) === String(await expected())),
    'numbered in the whole output',
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows the output of a run during which the service was killed, and no invented times', async (t) => {
  const first = await startService({ env })
  t.teardown(() => first.stop())
  const started = await first.post('/exec', { command: 'echo one; echo two; exec sleep 300', background: true })
  const { id } = (await started.json()) as { id: string }
  const folder = join(first.home, 'runs')
  const isStored = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).some(
      (name) => name.includes(id) && statSync(join(folder, name)).size === 'one\ntwo\n'.length,
    )
  await until(async () => isStored())
  await first.kill('SIGKILL')
  const second = await startService({ home: first.home, env })
  t.teardown(() => second.stop())
  const { page, context, pageErrors } = await openPaired(browser, second, { view: `#/runs/${id}` })
  await page.locator('.facts').last().waitFor()
  await page.locator('.tools').waitFor()
  t.ok(await until(async () => (await shown(page)) === 'one\ntwo\n'))
  const facts = await page.locator('.facts').last().textContent()
  t.match(facts, /Requested.*\d\d:\d\d/)
  t.match(facts, /Endedunknown, because the service stopped during the run/)
  t.notMatch(facts, /Took/)
  t.same(pageErrors, [])
  await context.close()
})

t.test('a screen as narrow as a phone has a button for earlier commands, also with the options open', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { viewport: sizes.phone })
  const token = await page.evaluate<string>("JSON.parse(localStorage.getItem('shellphone.access')).token")
  const send = (command: string, more = {}) =>
    service.request('/exec', {
      method: 'POST',
      body: JSON.stringify({ command }),
      headers: { 'content-type': 'application/json' },
      ...more,
    })
  await send('echo older', { token })
  await send('echo of another token')
  await send('echo newer', { token })
  await page.getByText('Options', { exact: true }).click()
  await page.getByText('tap ↑ next to the command field').waitFor()
  const command = () => page.getByLabel('Command', { exact: true }).inputValue()
  // it begins again after the oldest; what other tokens sent is not offered
  for (const expected of ['echo newer', 'echo older', 'echo newer']) {
    await page.getByRole('button', { name: 'Earlier command' }).click()
    t.ok(await until(async () => (await command()) === expected), expected)
  }
  t.same(pageErrors, [])
  await context.close()
})
