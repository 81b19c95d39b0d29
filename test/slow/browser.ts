import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { becomes, HANG_MS, type Service } from '../support/helper.ts'

// drills import these from here, because the packages are installed only next to this file
export { chromium }
export type { Browser, CDPSession } from 'playwright-core'
export { default as puppeteer } from 'puppeteer-core'

const CHROMIUM = '/usr/bin/chromium'
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]

/** Why this machine has no browser; null if it has one. */
export const noBrowser = existsSync(CHROMIUM) ? null : `${CHROMIUM} is missing (scripts/test/apt-packages.sh)`

/** Starts a headless browser; the caller closes it. */
export const openBrowser = (more: string[] = [], executablePath = CHROMIUM): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: [...flags, ...more], timeout: HANG_MS })

/** The two screen sizes that the page is designed for. */
export const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } }

interface Visit {
  context: BrowserContext
  page: Page
  /** console errors, uncaught errors and policy violations in order, without the expected ones */
  pageErrors: string[]
}

interface VisitOptions extends BrowserContextOptions {
  /** patterns of error messages that the test expects */
  expected?: RegExp[]
}

/** Opens a blank page in a new browser context, which has no stored data. */
export async function openVisit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { expected = [], ...contextOptions } = options
  const context = await browser.newContext({ viewport: sizes.laptop, ...contextOptions })
  const pageErrors: string[] = []
  const note = (text: string) => void (expected.some((one) => one.test(text)) || pageErrors.push(text))
  context.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => note(`error: ${error.error().stack ?? error.error().message}`))
  context.setDefaultTimeout(HANG_MS)
  const page = await context.newPage()
  return { context, page, pageErrors }
}

/** Creates a pairing code and returns its link on loopback. */
export async function pairingLink(service: Service, rights: object = {}): Promise<string> {
  const response = await service.post('/pairing', { approves: 'all', read: 'all', shell: true, ...rights })
  const { code } = (await response.json()) as { code: string }
  return `${service.url}/#pair=${code}`
}

/** Opens the page, pairs it with the service by a link, and goes to `view` (such as `#/phone`). */
export async function openPaired(
  browser: Browser,
  service: Service,
  options: VisitOptions & { view?: string; rights?: object } = {},
): Promise<Visit> {
  const { view, rights, ...rest } = options
  const visit = await openVisit(browser, rest)
  await visit.page.goto(await pairingLink(service, rights))
  await isConnected(visit.page)
  if (view) await goTo(visit.page, view)
  return visit
}

/** Waits until the page shows that it is connected. */
export const isConnected = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^connected/i })
    .first()
    .waitFor()

/** Waits until the page shows since when it has no connection. */
export const isLost = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /No connection since \d/ })
    .waitFor()

/** Opens a view as a link would, and waits until it has replaced the one before. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    if (location.hash === ${JSON.stringify(view)}) return done()
    addEventListener('hashchange', () => setTimeout(done), { once: true }) // after the page's own listener
    location.hash = ${JSON.stringify(view)}
  })`)
  await page.locator('main h1').first().waitFor()
}

/** Waits until the page has drawn its last change and handled the events that the change caused, such as scrolling. */
export const isDrawn = (page: Page) =>
  page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')

/** The directory for screenshots, which people inspect; each user has their own. */
export function shotFolder(): string {
  const folder = join(tmpdir(), `shellphone-screenshots-${process.getuid!()}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Runs a command in the page; resolves with the id of the run when the page shows its end. */
export async function runIn(page: Page, command: string): Promise<string> {
  await goTo(page, '#/run')
  await page.getByLabel('Command', { exact: true }).fill(command)
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/run\/\w{26}/)
  await page.locator('.run-end').waitFor()
  return /\w{26}$/.exec(page.url())![0]
}

/** Moves the scroll bar of the output as a person does, who takes hold of it first; the page may take other scrolling for that of a changed layout. */
export const scrollTo = (page: Page, where: 'top' | 'end' | number) => {
  const top = where === 'top' ? 0 : where === 'end' ? 'screen.scrollHeight' : where
  return page.evaluate(
    `{ const screen = document.querySelector('.screen'); screen.dispatchEvent(new Event('pointerdown')); screen.scrollTop = ${top} }`,
  )
}

/** The output that the page shows; empty before the view of a run has opened. */
export const shown = (page: Page): Promise<string> =>
  page.evaluate("document.querySelector('.blocks')?.textContent ?? ''")

/** Whether a line with this text is visible inside the output of a run. */
export const isInView = (page: Page, text: string) =>
  page.evaluate<boolean>(`(() => {
    const view = document.querySelector('.screen')?.getBoundingClientRect()
    if (!view) return false
    const walker = document.createTreeWalker(document.querySelector('.blocks'), NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(${JSON.stringify(text)})
      if (at < 0) continue
      const range = new Range()
      range.setStart(walker.currentNode, at)
      range.setEnd(walker.currentNode, at + ${text.length})
      const { top, bottom } = range.getBoundingClientRect()
      if (top >= view.top - 1 && bottom <= view.bottom + 1) return true
    }
    return false
  })()`)

/** How many pixels of the text are below the part of the output that the window shows. */
export const hiddenBelow = (page: Page, text: string) =>
  page.evaluate<number>(`(() => {
    const { bottom } = document.querySelector('.screen').getBoundingClientRect()
    const bar = document.querySelector('.bar').getBoundingClientRect()
    const end = bar.top > innerHeight / 2 ? bar.top : innerHeight
    const lines = [...document.querySelectorAll('.blocks .block')].at(-1)
    const walker = document.createTreeWalker(lines, NodeFilter.SHOW_TEXT)
    const range = new Range()
    while (walker.nextNode()) {
      const at = walker.currentNode.data.lastIndexOf(${JSON.stringify(text)})
      if (at < 0) continue
      range.setStart(walker.currentNode, at)
      range.setEnd(walker.currentNode, at + ${text.length})
    }
    return Math.max(0, range.getBoundingClientRect().bottom - Math.min(bottom, end))
  })()`)

/** What the browser reports while the service is away. */
export const lostErrors = [/WebSocket connection|ERR_CONNECTION|ERR_EMPTY|ERR_SOCKET/]

/** Asserts that the page shows `expected`, now or after it has drawn the changes that an action caused. */
export async function settlesAt<Value>(
  t: Test,
  read: () => Promise<Value>,
  expected: Value,
  message: string,
): Promise<void> {
  let value = await read()
  await becomes(async () => isDeepStrictEqual((value = await read()), expected))
  t.same(value, expected, message)
}
