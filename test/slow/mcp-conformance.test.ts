import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { startService } from '../support/helper.ts'
import { bundleSuite, runSuite } from './mcp/conformance.ts'
import { startFixtures } from './mcp/fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'shellphone-conformance-'))
const service = await startService({
  env: {
    SHELLPHONE_AUTONOMY: 'supervised',
    SHELLPHONE_MCP_PATIENCE_SECONDS: '0.5',
    SHELLPHONE_WORKING_DIRECTORY: folder,
  },
})
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

t.test('the conformance suite passes as often as expected', async (t) => {
  const suite = bundleSuite(folder)
  const fixtures = await startFixtures('sesame-open-sesame')
  t.teardown(fixtures.stop)
  const [own, onGlue] = await Promise.all([
    runSuite(suite, service.url, service.token, 'baseline-own.yml'),
    runSuite(suite, fixtures.url, 'sesame-open-sesame', 'baseline.yml'),
  ])
  const total = (said: string) => /Total: .*/.exec(said)?.[0]
  t.equal(own.code, 0, `our tools: ${total(own.said)}`)
  t.equal(onGlue.code, 0, `fixture tools on our glue: ${total(onGlue.said)}`)
  t.equal(total(onGlue.said), 'Total: 30 passed, 14 failed')
  t.comment(`our tools: ${total(own.said)}; fixtures: ${total(onGlue.said)}`)
})
