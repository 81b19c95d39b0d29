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
/** A page with a task this long is frozen on any machine. The comments that the test prints show how smooth it is on an idle one. */
const FROZEN_MS = 60_000
const MAX_NODES = 15_000
const MAX_HEAP_BYTES = 80_000_000

/** Opens a paired page that records its long tasks. */
async function openMeasured() {
  const visit = await openPaired(browser, service)
  await visit.page.evaluate(`globalThis.tasks = []; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration) }).observe({ type: 'longtask' })`)
  const devtools = await visit.context.newCDPSession(visit.page)
  await devtools.send('Performance.enable')
  return { ...visit, devtools }
}
type MeasuredPage = Awaited<ReturnType<typeof openMeasured>>

/** Runs a command until the page shows its last line; asserts bounds on nodes, heap and the longest task. */
async function flood(t: Test, { page, devtools }: MeasuredPage, [name, command, lastLine]: (typeof floods)[number]) {
  await page.evaluate('tasks.length = 0')
  const start = performance.now()
  await runIn(page, command)
  const isComplete = async () => (await shown(page)).trimEnd().split('\n').at(-1) === lastLine
  t.ok(await until(isComplete), `${name}: the last line is shown`)
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

t.test('a flood of output neither freezes nor bloats the page', async (t) => {
  const measured = await openMeasured()
  for (const one of floods) await flood(t, measured, one)
  t.same(measured.pageErrors, [])
  await measured.context.close()
})

t.test('two pages handle a flood each at the same time', async (t) => {
  const pages = [await openMeasured(), await openMeasured()]
  const both = [floods[0]!, floods[2]!]
  await Promise.all(pages.map((measured, index) => flood(t, measured, both[index]!)))
  for (const { context, pageErrors } of pages) {
    t.same(pageErrors, [])
    await context.close()
  }
})
