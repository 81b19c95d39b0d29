import { performance } from 'node:perf_hooks'
import t from 'tap'
import { noBrowser, openBrowser, openPaired, runIn, shown } from './browser.ts'
import { startService, until } from './helper.ts'

if (noBrowser) {
  t.plan(0, noBrowser)
  process.exit(0)
}
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser(['--enable-precise-memory-info'])
t.teardown(() => Promise.all([browser.close(), service.stop()]))

/** How much longer than alone a busy loop takes on this machine now: what a limit of time is worth. */
function contention(): number {
  const before = process.cpuUsage()
  const start = performance.now()
  while (performance.now() - start < 150);
  const { user, system } = process.cpuUsage(before)
  return Math.max(1, ((performance.now() - start) * 1000) / (user + system))
}

const floods: [name: string, command: string, lastLine: string][] = [
  ['200 000 lines', 'seq 1 200000', '200000'],
  ['a line of 20 MB', "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo end", 'end'],
  [
    '50 000 coloured lines',
    `awk 'BEGIN { for (i = 1; i <= 50000; i++) printf "\\033[3%dmline\\033[0m \\033[1;38;5;%dm%d\\033[0m\\n", i % 8, i % 256, i }'`,
    'line 50000',
  ],
]
const WORST_MS = 250
const MAX_NODES = 15_000
const MAX_HEAP_BYTES = 80_000_000

t.test('floods: the page stays smooth, and small', async (t) => {
  const visit = await openPaired(browser, service)
  const { page } = visit
  await page.evaluate(`globalThis.tasks = []; new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.push(duration) }).observe({ type: 'longtask' })`)
  const devtools = await visit.context.newCDPSession(page)
  await devtools.send('Performance.enable')
  for (const [name, command, lastLine] of floods) {
    await page.evaluate('tasks.length = 0')
    const load = contention()
    const start = performance.now()
    await runIn(visit.page, command)
    const isWhole = async () => (await shown(visit.page)).trimEnd().split('\n').at(-1) === lastLine
    t.ok(await until(isWhole, 30_000), `${name}: the end is shown`)
    const seconds = (performance.now() - start) / 1000
    await devtools.send('HeapProfiler.collectGarbage')
    const { metrics } = await devtools.send('Performance.getMetrics')
    const metric = (wanted: string) => metrics.find(({ name }) => name === wanted)!.value
    const worst = await page.evaluate<number>('Math.max(0, ...tasks)')
    const heap = metric('JSHeapUsedSize')
    const limit = WORST_MS * Math.max(load, contention())
    const nodes =
      await page.evaluate<number>(`(() => { const walker = document.createTreeWalker(document, NodeFilter.SHOW_ALL)
      let count = 0; while (walker.nextNode()) count++; return count })()`)
    t.comment(
      `${name}: ${seconds.toFixed(1)} s, worst task ${worst.toFixed(0)} ms (limit ${limit.toFixed(0)}), ${nodes} nodes, heap ${(heap / 1e6).toFixed(1)} MB`,
    )
    t.ok(worst < limit, `${name}: worst task ${worst} ms`)
    t.ok(nodes < MAX_NODES, `${name}: ${nodes} nodes`)
    t.ok(heap < MAX_HEAP_BYTES, `${name}: heap of ${heap} bytes`)
  }
  t.same(visit.troubles, [])
  await visit.context.close()
})
