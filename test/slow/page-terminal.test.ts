import type { Page } from 'playwright-core'
import t from 'tap'
import { goTo, noBrowser, openBrowser, openPaired, shotFolder, sizes } from './browser.ts'
import { noTerminals, processesWith, startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)

const service = await startService({
  env: { SHELLPHONE_TERMINAL: 'on', SHELLPHONE_ENVIRONMENT: 'minimal', SHELL: '/bin/sh', ENV: '' },
})
t.teardown(() => service.stop())
const skip = (await noTerminals(service)) ?? false
const browser = await openBrowser()
t.teardown(() => browser.close())

/** What the screen shows, a line each, without empty ones at the end. */
const screen = (page: Page) =>
  page.evaluate(
    `[...document.querySelectorAll('.xterm-rows > div')].map((row) => row.textContent.replace(/\\u00a0/g, ' ').trimEnd()).join('\\n').trimEnd()`,
  ) as Promise<string>
const shows = (page: Page, what: RegExp) => until(async () => what.test(await screen(page)))
const type = async (page: Page, text: string) => {
  await page.locator('.xterm-helper-textarea').focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}
let asked = 0
/** [rows, columns] as the terminal's own shell sees them. */
async function sttySize(page: Page): Promise<[number, number]> {
  const mark = `size${asked++}`
  await type(page, `echo ${mark} $(stty size)`)
  const said = new RegExp(`^${mark} (\\d+) (\\d+)$`, 'm')
  await shows(page, said)
  const [rows = 0, columns = 0] = (said.exec(await screen(page)) ?? []).slice(1).map(Number)
  return [rows, columns]
}

t.test('a terminal in the page', { skip }, async (t) => {
  const { page, context, troubles } = await openPaired(browser, service, { view: '#/terminal', colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Open a terminal' }).click()
  await page.waitForURL(/#\/terminal\/\w+/)
  t.ok(await shows(page, /[#$] ?$/), 'there is a prompt')

  const before = await sttySize(page)
  await page.setViewportSize({ width: 900, height: 600 })
  let after = before
  const isSmaller = async () => {
    after = await sttySize(page)
    return after[0] < before[0] && after[1] < before[1]
  }
  t.ok(await until(isSmaller), `stty size follows the window: ${before} became ${after}`)

  await type(
    page,
    'clear; printf "\\033[38;2;250;120;10mtrue\\033[0m \\033[1;32mgreen\\033[0m \\033[4munder\\033[0m\\n"',
  )
  t.ok(await shows(page, /true green under/))
  const colour = await page.evaluate(
    `getComputedStyle([...document.querySelectorAll('.xterm-rows span')].find((one) => one.textContent === 'true')).color`,
  )
  t.equal(colour, 'rgb(250, 120, 10)', 'a colour by numbers, under the policy')

  await type(page, 'clear; top')
  t.ok(await shows(page, /PID USER/), 'top draws itself')
  await page.screenshot({ path: `${shotFolder()}/terminal-top.png` })
  await page.reload()
  t.ok(await shows(page, /PID USER/), 'a reload, and it is the same screen')
  await page.keyboard.press('q')
  t.ok(await shows(page, /[#$] ?$/), 'the prompt is back')

  const file = `/tmp/shellphone-page-vi-${process.pid}`
  await type(page, `clear; vi ${file}`)
  t.ok(await shows(page, /^~$/m), 'vi draws itself')
  await page.keyboard.type('ihello from the page')
  await page.keyboard.press('Escape')
  await type(page, ':wq!')
  await type(page, `clear; cat ${file}; rm ${file}`)
  t.ok(await shows(page, /^hello from the page$/m), 'what was typed there was written')

  await type(page, 'clear; printf "\\033[6n"; read answer; echo after')
  t.ok(await shows(page, /\^\[\[\d+;\d+R/), 'the answer has come')
  await page.keyboard.press('Enter')
  t.ok(await shows(page, /^after$/m), 'a program that asks the screen is answered')
  await type(page, 'clear; echo before-the-reload')
  await page.reload()
  t.ok(await shows(page, /before-the-reload/), 'left and come back')
  await type(page, 'echo after-the-reload')
  t.ok(await shows(page, /^after-the-reload$/m))
  t.notMatch(await screen(page), /\d+;\d+R|\d+c/, 'what the screen was asked before is not answered again')

  await goTo(page, '#/terminal')
  t.equal(await page.locator('main .rows li').count(), 1, 'it is in the list of those that are open')
  await page.locator('main .rows a').click()
  t.ok(await shows(page, /before-the-reload/))
  await type(page, 'exit')
  await page.getByText(/The terminal has ended/).waitFor()
  t.same(troubles, [])
  await context.close()
})

t.test('the keys of a touch screen', { skip }, async (t) => {
  const visit = await openPaired(browser, service, {
    viewport: sizes.phone,
    hasTouch: true,
    isMobile: true,
    view: '#/terminal',
  })
  const { page, context, troubles } = visit
  await page.getByRole('button', { name: 'Open a terminal' }).tap()
  t.ok(await shows(page, /[#$] ?$/))
  const key = (name: string) => page.getByRole('toolbar').getByRole('button', { name, exact: true })
  await type(page, 'sleep 7702')
  t.ok(await until(() => processesWith('sleep 7702').length > 0))
  await key('Ctrl-C').tap()
  await type(page, 'echo ended-with $?')
  t.ok(await shows(page, /ended-with 130/), 'Ctrl-C interrupts')
  await type(page, 'sleep 7703')
  t.ok(await until(() => processesWith('sleep 7703').length > 0))
  await key('Ctrl').tap()
  t.equal(await key('Ctrl').getAttribute('aria-pressed'), 'true')
  await page.keyboard.type('c')
  t.equal(await key('Ctrl').getAttribute('aria-pressed'), 'false', 'Ctrl is held for one key')
  await type(page, 'echo again-with $?')
  t.ok(await shows(page, /again-with 130/), 'Ctrl and a letter')
  await type(page, 'cat -v')
  for (const name of ['Esc', 'Up', 'Left', 'Tab']) await key(name).tap()
  await page.keyboard.press('Enter')
  t.ok(await shows(page, /\^\[\^\[\[A\^\[\[D/), 'Esc, arrows')
  await page.screenshot({ path: `${shotFolder()}/terminal-phone.png` })
  await key('Ctrl-D').tap()
  t.ok(await shows(page, /[#$] ?$/), 'cat has ended')
  await key('Ctrl-D').tap()
  await page.getByText(/The terminal has ended: completed|The terminal has ended: failed/).waitFor()
  t.same(troubles, [])
  await context.close()
})
