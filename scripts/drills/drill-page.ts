/**
 * Measures the page: the first paint on a phone that is four times slower than this machine over slow 4G, and the cost of an unused page for the
 * service. Tests a minute of sleep, and every view in Debian's Firefox.
 *
 *     npx tsx scripts/drills/drill-page.ts
 */
import { existsSync } from 'node:fs'
import {
  type Browser,
  type CDPSession,
  noBrowser,
  openBrowser,
  openVisit,
  pairingLink,
  puppeteer,
  sizes,
} from '../../test/slow/browser.ts'
import { type Service, startService } from '../../test/support/helper.ts'
import { suspendedProcesses, suspendDuringRun } from '../../test/slow/page-suspend.ts'

const FIREFOX = '/usr/bin/firefox-esr'
const MAX_PAINT_MS = 1_500
/** Lighthouse's slow 4G: 1.6 Mbit/s down, 750 kbit/s up, 150 ms round trip. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const ROUNDS = 5
const ASLEEP_MS = 60_000

const middle = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
let isBad = false
const say = (name: string, text: string, isGood = true) => {
  isBad ||= !isGood
  console.log(`${isGood ? 'ok ' : 'BAD'} ${name}: ${text}`)
}

async function slowDown(session: CDPSession): Promise<void> {
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', SLOW_4G)
}

const paintMs = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null`

/** Measures the first contentful paint on a first visit, and on a later one. */
async function firstPaint(browser: Browser, service: Service): Promise<void> {
  const rows: Record<'cold' | 'again', number[]> = { cold: [], again: [] }
  for (let round = 0; round < ROUNDS; round++) {
    const { page, context } = await openVisit(browser, {
      viewport: sizes.phone,
      isMobile: true,
      serviceWorkers: 'block',
    })
    await slowDown(await context.newCDPSession(page))
    for (const visit of ['cold', 'again'] as const) {
      await page.goto(service.url)
      await page.locator('main h1').waitFor()
      await page.waitForFunction(paintMs)
      rows[visit].push(await page.evaluate(paintMs))
    }
    await context.close()
  }
  const cold = middle(rows.cold)
  say('first paint', `${Math.round(cold)} ms cold, ${Math.round(middle(rows.again))} ms again`, cold < MAX_PAINT_MS)
}

/** Measures the cost of a page that nobody opens, as medians of alternating starts with and without the page. */
async function idleCost(): Promise<void> {
  const seen = {
    true: { startMs: [] as number[], rss: [] as number[] },
    false: { startMs: [] as number[], rss: [] as number[] },
  }
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const page = round % 2 === 0 ? 'true' : 'false'
    const service = await startService({ env: { SHELLPHONE_PAGE: page } })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    seen[page].startMs.push(service.startupMs)
    seen[page].rss.push(service.rssBytes() / 1_048_576)
    await service.stop()
  }
  const [start, rss] = (['startMs', 'rss'] as const).map((what) => middle(seen.true[what]) / middle(seen.false[what]))
  const MB = middle(seen.true.rss).toFixed(1)
  say('a page that nobody opens', `start ×${start!.toFixed(2)}, memory ×${rss!.toFixed(2)} (${MB} MiB)`, rss! < 1.1)
}

/** Tests a laptop that sleeps for a minute, and a tab that is frozen for a minute. */
async function asleep(browser: Browser): Promise<void> {
  const service = await startService({ env: { SHELLPHONE_POLICY: 'supervised' } })
  for (const [who, kind] of Object.entries(suspendedProcesses)) {
    await suspendDuringRun(browser, service, kind, ASLEEP_MS)
    say(`asleep for a minute (${who})`, 'shows every byte once afterwards', true)
  }
  await service.stop()
}

/** Pairs, runs a command and opens every view in Firefox. */
async function firefox(service: Service): Promise<void> {
  if (!existsSync(FIREFOX)) return say('Firefox', `skipped: ${FIREFOX} is missing (scripts/test/apt-packages.sh cross)`)
  const browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX, headless: true })
  try {
    const page = await browser.newPage()
    const errors: string[] = []
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(await pairingLink(service))
    await page.waitForSelector('.connection.connected')
    await service.exec({ command: 'echo for firefox' })
    for (const view of ['run', 'runs', 'approvals', 'rules', 'policy', 'phone', 'settings', 'access']) {
      await page.evaluate(`location.hash = '#/${view}'`)
      await page.waitForSelector('main h1')
      await page.waitForSelector('.state.loading', { hidden: true })
      if (await page.$('.state.failed')) errors.push(`${view}: it failed`)
    }
    say(
      'Firefox',
      errors.length === 0 ? 'every view, no errors on the console' : errors.join(' | '),
      errors.length === 0,
    )
  } finally {
    await browser.close()
  }
}

const service = await startService()
if (noBrowser) say('first paint', `skipped: ${noBrowser}`)
else {
  const browser = await openBrowser()
  await firstPaint(browser, service)
  await asleep(browser)
  await browser.close()
}
await firefox(service)
await service.stop()
await idleCost()
process.exit(isBad ? 1 : 0)
