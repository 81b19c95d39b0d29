import { createHash } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { openPaired, shown } from './browser.ts'
import { type Service, until } from '../support/helper.ts'

/** Who sleeps: the whole browser, as with a laptop's lid closed, or its pages alone, as a browser freezes tabs. */
export const sleepers = { laptop: /./, tab: /^renderer$/ }

/** The processes of a browser of ours, by their kind. */
async function pidsOf(browser: Browser, kind: RegExp): Promise<number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => kind.test(type)).map(({ id }) => id)
}

/** What a page shows that slept through so many milliseconds of a run, in which somebody asked. */
export async function sleepThrough(browser: Browser, service: Service, kind: RegExp, ms: number) {
  const { page, context, troubles } = await openPaired(browser, service, { expected: [/WebSocket connection/] })
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
  await page.locator('.ask-bar', { hasText: 'slept' }).waitFor()
  await context.close()
  return { ...seen, troubles }
}
