import { performance } from 'node:perf_hooks'
import t, { type Test } from 'tap'
import { noBrowser, openBrowser, openPaired, runIn, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser(['--enable-precise-memory-info'])
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const floods: [name: string, command: string, lastLine: string][] = [
  ['200 000 lines', 'seq 1 200000', '200000'],
  ['a line of 20 MB', "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end", 'end'],
  [
    '50 000 coloured lines',
    `awk 'BEGIN { for (i = 1; i <= 50000; i++) printf "\\033[3%dmline\\033[0m \\033[1;38;5;%dm%d\\033[0m\\n", i % 8, i % 256, i }'`,
    'line 50000',
  ],
]
/** A page that is stuck for so long is frozen, on any machine; how smooth it is on a quiet one, each flood's comment says. */
const FROZEN_MS = 10_000
const MAX_NODES = 15_000
const MAX_HEAP_BYTES = 80_000_000

/** A paired page that counts its long tasks. */
async function openWatched() {
  const visit = await openPaired(browser, service)
  await visit.page.evaluate(`globalThis.tasks = []; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration) }).observe({ type: 'longtask' })`)
  const devtools = await visit.context.newCDPSession(visit.page)
  await devtools.send('Performance.enable')
  return { ...visit, devtools }
}
type Watched = Awaited<ReturnType<typeof openWatched>>

/** Runs it there until its end is shown; what it took and what it left. */
async function flood(t: Test, { page, devtools }: Watched, [name, command, lastLine]: (typeof floods)[number]) {
  await page.evaluate('tasks.length = 0')
  const start = performance.now()
  await runIn(page, command)
  const isWhole = async () => (await shown(page)).trimEnd().split('\n').at(-1) === lastLine
  t.ok(await until(isWhole), `${name}: the end is shown`)
  const seconds = (performance.now() - start) / 1000
  await devtools.send('HeapProfiler.collectGarbage')
  const { metrics } = await devtools.send('Performance.getMetrics')
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value
  const worst = await page.evaluate<number>('Math.max(0, ...tasks)')
  const nodes =
    await page.evaluate<number>(`(() => { const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
    let count = 0; while (walker.nextNode()) count++; return count })()`)
  t.comment(
    `${name}: ${seconds.toFixed(1)} s, worst task ${worst.toFixed(0)} ms, ${nodes} nodes, heap ${(heap / 1e6).toFixed(1)} MB`,
  )
  t.ok(nodes < MAX_NODES, `${name}: ${nodes} nodes`)
  t.ok(heap < MAX_HEAP_BYTES, `${name}: heap of ${heap} bytes`)
  t.ok(worst < FROZEN_MS, `${name}: worst task ${worst.toFixed(0)} ms`)
}

t.test('floods: the page stays smooth, and small', async (t) => {
  const watched = await openWatched()
  for (const one of floods) await flood(t, watched, one)
  t.same(watched.troubles, [])
  await watched.context.close()
})

t.test('two at once, each in a page of its own', async (t) => {
  const pages = [await openWatched(), await openWatched()]
  const both = [floods[0]!, floods[2]!]
  await Promise.all(pages.map((watched, index) => flood(t, watched, both[index]!)))
  for (const { context, troubles } of pages) {
    t.same(troubles, [])
    await context.close()
  }
})
