import type { Page } from 'playwright-core'
import t from 'tap'
import type { RunRecord } from '../../src/sdk/index.ts'
import { goTo, lostErrors, noBrowser, openBrowser, openPaired, settlesAt, shotFolder, sizes } from './browser.ts'
import { allProcessesWith, freePort, noTerminals, startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)

const service = await startService({
  env: { SHELLPHONE_TERMINAL: 'on', SHELLPHONE_ENVIRONMENT: 'minimal', SHELL: '/bin/sh', ENV: '' },
})
t.teardown(() => service.stop())
const skip = (await noTerminals(service)) ?? false
const browser = await openBrowser()
t.teardown(() => browser.close())

/** The lines of the screen, without empty ones at the end. */
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
let queries = 0
/** [rows, columns] as the shell in the terminal reports them. */
async function sttySize(page: Page): Promise<[number, number]> {
  const mark = `size${queries++}`
  await type(page, `echo ${mark} $(stty size)`)
  const pattern = new RegExp(`^${mark} (\\d+) (\\d+)$`, 'm')
  await shows(page, pattern)
  const [rows = 0, columns = 0] = (pattern.exec(await screen(page)) ?? []).slice(1).map(Number)
  return [rows, columns]
}

t.test('a terminal follows the window, draws full-screen programs and survives a reload', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/terminal', colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Open a terminal' }).click()
  await page.waitForURL(/#\/terminal\/\w+/)
  t.ok(await shows(page, /[#$] ?$/), 'shows a prompt')
  const ground = await page.evaluate(`getComputedStyle(document.querySelector('.xterm-viewport')).backgroundColor`)
  t.equal(ground, 'rgba(0, 0, 0, 0)', 'the space below the last row has the colour of the theme')

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
  t.equal(colour, 'rgb(250, 120, 10)', 'shows an RGB colour under the content security policy')

  await type(page, 'clear; top')
  t.ok(await shows(page, /PID USER/), 'top draws its screen')
  await page.screenshot({ path: `${shotFolder()}/terminal-top.png` })
  await page.reload()
  t.ok(await shows(page, /PID USER/), 'a reload shows the same screen')
  await page.keyboard.press('q')
  t.ok(await shows(page, /[#$] ?$/), 'the prompt is back')

  const file = `/tmp/shellphone-page-vi-${process.pid}`
  await type(page, `clear; vi ${file}`)
  t.ok(await shows(page, /^~$/m), 'vi draws its screen')
  await page.keyboard.type('ihello from the page')
  t.ok(await shows(page, /^hello from the page$/m), 'vi shows what was typed')
  await page.keyboard.press('Control+c') // vi could read Escape and a colon that arrive together as one key
  const reportsChange = async () => {
    await page.keyboard.press('Control+g')
    return /modified/i.test(await screen(page))
  }
  t.ok(await until(reportsChange), 'vi reads commands again') // it discards what arrives together with Ctrl-C
  await type(page, ':wq!')
  t.ok(await shows(page, /[#$] ?$/), 'vi has ended') // it discards what is typed while it ends
  await type(page, `clear; cat ${file}; rm ${file}`)
  t.ok(await shows(page, /^hello from the page$/m), 'vi saved what was typed')

  await type(page, 'clear; printf "\\033[6n"; read answer; echo after')
  t.ok(await shows(page, /\^\[\[\d+;\d+R/), 'the screen reports the cursor position')
  await page.keyboard.press('Enter')
  t.ok(await shows(page, /^after$/m), 'the program receives the report')
  await type(page, 'clear; echo before-the-reload')
  await page.reload()
  t.ok(await shows(page, /before-the-reload\n.*[#$] ?$/), 'a reload replays the output') // it ignores keys until then
  await type(page, 'echo after-the-reload')
  t.ok(await shows(page, /^after-the-reload$/m))
  t.notMatch(await screen(page), /\d+;\d+R|\d+c/, 'the screen does not answer replayed requests again')

  await goTo(page, '#/terminal')
  await settlesAt(t, () => page.locator('main .rows li').count(), 1, 'lists the open terminal')
  await page.locator('main .rows a').click()
  t.ok(await shows(page, /before-the-reload/))
  await type(page, 'exit')
  await page.getByText(/The terminal has ended/).waitFor()
  await page.getByRole('button', { name: 'End', exact: true }).waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('a smaller window shows the earlier output of a larger one as it was', { skip }, async (t) => {
  const large = await openPaired(browser, service, { view: '#/terminal', viewport: sizes.laptop })
  await large.page.getByRole('button', { name: 'Open a terminal' }).click()
  t.ok(await shows(large.page, /[#$] ?$/))
  await type(large.page, "clear; printf 'a%60sX\\rB\\n' ''; echo printed")
  t.ok(await shows(large.page, /^B {60}X\nprinted\n/m), 'a program returns to the start of its line')
  const address = large.page.url()
  await large.context.close()
  const small = await openPaired(browser, service, { viewport: sizes.phone })
  await small.page.goto(address)
  t.ok(await shows(small.page, /^B\n +X\nprinted\n/m), 'the line is wrapped, and the start replaced')
  const [, columns] = await sttySize(small.page)
  t.ok(columns < 60, `then the terminal has the size of the window, ${columns} columns`)
  await type(small.page, 'exit')
  await small.page.getByText(/The terminal has ended/).waitFor()
  await small.context.close()
})

t.test('the list of open terminals shows how they differ, and ends one', { skip }, async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/terminal' })
  const open = async () => {
    await goTo(page, '#/terminal')
    await page.getByRole('button', { name: 'Open a terminal' }).click()
    await page.waitForURL(/#\/terminal\/\w+/)
    t.ok(await shows(page, /[#$] ?$/))
    return page.url().replace(/.*#/, '#')
  }
  const first = await open()
  await type(page, String.raw`printf '\033]0;first title\007'; cd /; echo title-is-set`)
  t.ok(await shows(page, /^title-is-set$/m))
  const second = await open()
  await goTo(page, '#/terminal')
  const row = (address: string) => page.locator('main .rows li').filter({ has: page.locator(`a[href="${address}"]`) })
  await row(first).getByText('first title', { exact: true }).waitFor()
  await row(second).getByText('exec /bin/sh -l', { exact: true }).waitFor()
  const { runs } = (await (await service.request('/runs?status=live')).json()) as { runs: RunRecord[] }
  for (const { id, started_at, working_directory } of runs) {
    const text = (await row(`#/terminal/${id}`).textContent())!
    const time = await page.evaluate<string>(
      `new Date('${started_at}').toLocaleTimeString(undefined, { timeStyle: 'medium' })`,
    )
    for (const part of [time, working_directory]) t.ok(text.includes(part), `${text} contains ${part}`)
  }
  await row(first)
    .getByText(/^[1-9]\d* B of output$/)
    .waitFor()
  await page.setViewportSize(sizes.phone)
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), sizes.phone.width, 'it fits on a phone')
  await page.screenshot({ path: `${shotFolder()}/terminal-list.png` })
  await row(first)
    .getByRole('button', { name: /^End started / })
    .click()
  await row(first).waitFor({ state: 'detached' })
  t.equal(await row(second).count(), 1, 'the other one stays open')
  await row(second).getByRole('button', { name: /^End/ }).click()
  await page.getByRole('heading', { name: 'Open terminals' }).waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

t.test('buttons send the keys that a touch screen lacks', { skip }, async (t) => {
  const visit = await openPaired(browser, service, {
    viewport: sizes.phone,
    hasTouch: true,
    isMobile: true,
    view: '#/terminal',
  })
  const { page, context, pageErrors } = visit
  await page.getByRole('button', { name: 'Open a terminal' }).tap()
  t.ok(await shows(page, /[#$] ?$/))
  const key = (name: string) => page.getByRole('toolbar').getByRole('button', { name, exact: true })
  await type(page, `sleep 7702.${process.pid}`)
  t.ok(await until(() => allProcessesWith(`sleep 7702.${process.pid}`).length > 0))
  await key('Ctrl-C').tap()
  t.ok(await shows(page, /\^C\n[#$] ?$/), 'the prompt is back')
  await type(page, 'echo ended-with $?')
  t.ok(await shows(page, /ended-with 130/), 'Ctrl-C interrupts')
  await type(page, `sleep 7703.${process.pid}`)
  t.ok(await until(() => allProcessesWith(`sleep 7703.${process.pid}`).length > 0))
  await key('Ctrl').tap()
  const isHeld = () => key('Ctrl').getAttribute('aria-pressed')
  await settlesAt(t, isHeld, 'true', 'Ctrl is held')
  await page.keyboard.type('c')
  await settlesAt(t, isHeld, 'false', 'Ctrl applies to one key')
  await type(page, 'echo again-with $?')
  t.ok(await shows(page, /again-with 130/), 'Ctrl and c interrupt')
  await type(page, 'cat -v')
  for (const name of ['Esc', 'Up', 'Left', 'Tab']) await key(name).tap()
  await page.keyboard.press('Enter')
  t.ok(await shows(page, /\^\[\^\[\[A\^\[\[D/), 'Esc and the arrow keys send their sequences')
  for (const name of ['|', '/', '~', '-', '*']) await key(name).tap()
  await page.keyboard.press('Enter')
  t.ok(await shows(page, /^\|\/~-\*$/m), 'characters that hide behind the symbols of a keyboard')
  await page.screenshot({ path: `${shotFolder()}/terminal-phone.png` })
  await key('Ctrl-D').tap()
  t.ok(await shows(page, /[#$] ?$/), 'cat has ended')
  await key('Ctrl-D').tap()
  await page.getByText(/The terminal has ended: completed|The terminal has ended: failed/).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('says that the service stopped, and offers a new terminal when it is back', { skip }, async (t) => {
  const options = {
    env: { SHELLPHONE_TERMINAL: 'on', SHELLPHONE_ENVIRONMENT: 'minimal', SHELL: '/bin/sh', ENV: '' },
    flags: ['--port', String(await freePort())],
  }
  const first = await startService(options)
  t.teardown(() => first.stop())
  const { page, context, pageErrors } = await openPaired(browser, first, {
    view: '#/terminal',
    expected: lostErrors,
  })
  await page.getByRole('button', { name: 'Open a terminal' }).click()
  t.ok(await shows(page, /[#$] ?$/))
  await first.kill('SIGTERM')
  await page.getByText('The terminal has ended, because the service stopped.').waitFor()
  const second = await startService({ home: first.home, ...options })
  t.teardown(() => second.stop())
  const before = page.url()
  await page.getByRole('button', { name: 'Open a terminal' }).click()
  await page.waitForURL((url) => url.href !== before)
  t.ok(await shows(page, /[#$] ?$/), 'a new terminal')
  t.same(pageErrors, [])
  await context.close()
})
