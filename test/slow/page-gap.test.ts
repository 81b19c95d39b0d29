import t from 'tap'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { noBrowser, openBrowser, openPaired, shown } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const TOTAL_BYTES = 9_000_000
const env = { SHELLPHONE_POLICY: 'open', SHELLPHONE_MAX_RUN_SPOOL_BYTES: '1048576' }
const service = await startService({ env })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

t.test('the page follows a live run whose earlier output is no longer stored', async (t) => {
  const command = `yes | head -c ${TOTAL_BYTES}; read go; echo end`
  const started = await service.post('/exec', { command, background: true, stdin: 'open', timeout_seconds: 120 })
  const { id } = (await started.json()) as ExecRecord
  const record = async () => (await (await service.request(`/runs/${id}`)).json()) as ExecRecord
  t.ok(await until(async () => (await record()).stdout_bytes === TOTAL_BYTES))
  const { page, context, pageErrors } = await openPaired(browser, service, { view: `#/runs/${id}` })
  await page.getByText(/[\d.]+ MB are no longer stored/).waitFor()
  await service.post(`/runs/${id}/stdin`, { data: '\n' })
  t.ok(await until(async () => (await shown(page)).endsWith('y\nend\n')), 'it shows the end')
  t.same(pageErrors, [])
  await context.close()
})
