import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Service } from '../support/helper.ts'
import { tmpdir } from 'node:os'

// drills take them from here: these packages are installed beside this file only
export { chromium }
export type { Browser, CDPSession } from 'playwright-core'
export { default as puppeteer } from 'puppeteer-core'

const CHROMIUM = '/usr/bin/chromium'
const flags = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
]
/** Anything that is not there in time is not there; a busy machine of two cores takes its time. */
const WAIT_MS = 60_000

/** Why there is no browser on this machine; null: there is one. */
export const noBrowser = existsSync(CHROMIUM) ? null : `${CHROMIUM} is missing (scripts/test/apt-packages.sh)`

/** A real browser without a window; whoever opens it closes it. */
export const openBrowser = (more: string[] = [], executablePath = CHROMIUM): Promise<Browser> =>
  chromium.launch({ executablePath, headless: true, args: [...flags, ...more] })

/** The two sizes that everything must look well in. */
export const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } }

interface Visit {
  context: BrowserContext
  page: Page
  /** console errors, uncaught errors and violations of the policy, as they came; `expected` takes one out */
  troubles: string[]
}

interface VisitOptions extends BrowserContextOptions {
  /** what the browser may say: parts of messages that are no trouble here */
  expected?: RegExp[]
}

/** A browser of its own, with nothing stored, that has not been anywhere. */
export async function openVisit(browser: Browser, options: VisitOptions = {}): Promise<Visit> {
  const { expected = [], ...contextOptions } = options
  const context = await browser.newContext({ viewport: sizes.laptop, ...contextOptions })
  const troubles: string[] = []
  const note = (text: string) => void (expected.some((one) => one.test(text)) || troubles.push(text))
  context.on('console', (message) => {
    if (message.type() === 'error') note(`console: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => note(`error: ${error.error().stack ?? error.error().message}`))
  context.setDefaultTimeout(WAIT_MS)
  const page = await context.newPage()
  return { context, page, troubles }
}

/** The link that a pairing code makes, on loopback. */
export async function pairingLink(service: Service, rights: object = {}): Promise<string> {
  const response = await service.post('/pairing', { approves: 'all', read: 'all', shell: true, ...rights })
  const { code } = (await response.json()) as { code: string }
  return `${service.url}/#pair=${code}`
}

/** The same, paired with a service as a person pairs: by a link; the page is at `view` then (`#/phone`). */
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

/** Waits until the page says that it has its connection. */
export const isConnected = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /^connected/i })
    .first()
    .waitFor()

/** Another view, as a link would open it; what was there before is gone. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.evaluate(`new Promise((gone) => {
    if (location.hash === ${JSON.stringify(view)}) return gone()
    addEventListener('hashchange', () => setTimeout(gone), { once: true }) // behind the page's own listener
    location.hash = ${JSON.stringify(view)}
  })`)
  await page.locator('main h1').first().waitFor()
}

/** Where screenshots are written, for people to look at; each user's own. */
export function shotFolder(): string {
  const folder = join(tmpdir(), `shellphone-screenshots-${process.getuid!()}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Has the page run a command; resolves with the run's id when it has ended there. */
export async function runIn(page: Page, command: string, ms = 60_000): Promise<string> {
  await page.evaluate('location.hash = "#/run"')
  await page.getByLabel('Command', { exact: true }).fill(command)
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/run\/\w{26}/)
  await page.locator('.run-end').waitFor({ timeout: ms })
  return /\w{26}$/.exec(page.url())![0]
}

/** The output of a run, as the page shows it. */
export const shown = (page: Page): Promise<string> => page.evaluate("document.querySelector('.blocks').textContent")
