import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Browser } from 'playwright-core'
import { openPaired, shown } from './browser.ts'
import { type Service, until } from '../support/helper.ts'

/** Types of the processes to suspend: the whole browser, as when a laptop is closed, or only its pages, as a browser freezes tabs. */
export const suspendedProcesses = { laptop: /./, tab: /^renderer$/ }

/** The pids of a browser's processes whose type matches. */
async function pidsOf(browser: Browser, kind: RegExp): Promise<number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => kind.test(type)).map(({ id }) => id)
}

/** The lines of the run: the page is suspended when it has drawn the first of them. */
const [LINES, FIRST_LINES, LINE_BYTES] = [4900, 20, 301]

/**
 * Suspends a page for `ms` milliseconds of real time during a run, while a command asks for approval; waits until the page shows
 * all of its output, and the approval; resolves with the errors of the page.
 */
export async function suspendDuringRun(browser: Browser, service: Service, kind: RegExp, ms: number) {
  const go = join(mkdtempSync(join(tmpdir(), 'shellphone-suspend-')), 'go')
  const { page, context, pageErrors } = await openPaired(browser, service, { expected: [/WebSocket connection/] })
  await page.getByLabel('Command', { exact: true }).fill(
    `print() { for i in $(seq $1 $2); do printf '%0${LINE_BYTES - 1}d\\n' $i; [ $((i % 20)) != 0 ] || sleep 0.03; done; }
      print 1 ${FIRST_LINES}; until [ -e ${go} ]; do sleep 0.1; done; print ${FIRST_LINES + 1} ${LINES}`,
  )
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/run\/\w{26}/)
  const id = /\w{26}$/.exec(page.url())![0]
  await until(async () => (await shown(page)).length === FIRST_LINES * LINE_BYTES)
  const pids = await pidsOf(browser, kind)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    writeFileSync(go, '')
    await service.post('/exec', { command: `touch asked-while-the-${kind}-slept`, background: true })
    await new Promise((resolve) => setTimeout(resolve, ms))
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await page.locator('.run-end').waitFor()
  const { stdout_sha256 } = await service.request(`/runs/${id}`).then((answer) => answer.json() as any)
  const isSame = async () =>
    createHash('sha256')
      .update(await shown(page))
      .digest('hex') === stdout_sha256
  await until(isSame)
  await page.locator('.approval-bar', { hasText: 'slept' }).waitFor()
  await context.close()
  rmSync(dirname(go), { recursive: true })
  return pageErrors
}
