import { createHash } from 'node:crypto'
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

/** Suspends a page for `ms` milliseconds during a run, while a command asks for approval; resolves with what the page shows afterwards. */
export async function suspendDuringRun(browser: Browser, service: Service, kind: RegExp, ms: number) {
  const { page, context, pageErrors } = await openPaired(browser, service, { expected: [/WebSocket connection/] })
  await page
    .getByLabel('Command', { exact: true })
    .fill(`for i in $(seq 1 4900); do printf '%0300d\\n' $i; [ $((i % 20)) != 0 ] || sleep 0.03; done`)
  await page.keyboard.press('Enter')
  await page.waitForURL(/#\/run\/\w{26}/)
  const id = /\w{26}$/.exec(page.url())![0]
  await until(async () => (await shown(page)).length > 3000)
  const drawn = (await shown(page)).length
  const pids = await pidsOf(browser, kind)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    await service.post('/exec', { command: `touch asked-while-the-${kind}-slept`, background: true })
    await new Promise((resolve) => setTimeout(resolve, ms))
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
  await page.locator('.run-end').waitFor()
  const { stdout_sha256, stdout_bytes } = await service.request(`/runs/${id}`).then((answer) => answer.json() as any)
  const isSame = async () =>
    createHash('sha256')
      .update(await shown(page))
      .digest('hex') === stdout_sha256
  const seen = { isSame: await until(isSame), drawn, bytes: Number(stdout_bytes) }
  await page.locator('.approval-bar', { hasText: 'slept' }).waitFor()
  await context.close()
  return { ...seen, pageErrors }
}
