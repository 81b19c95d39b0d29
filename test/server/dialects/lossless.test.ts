import t from 'tap'
import { startService } from '../../support/helper.ts'

const [RUN_BYTES, ALL_BYTES] = [65_536, 1_000_000]

t.test("stores all output of Meka's tool up to the limit for all runs, and fails beyond it", async (t) => {
  const service = await startService({
    env: {
      SHELLPHONE_MAX_RUN_SPOOL_BYTES: String(RUN_BYTES),
      SHELLPHONE_MAX_SPOOL_BYTES: String(ALL_BYTES),
      SHELLPHONE_DIALECTS_MEKA_PERMISSION: 'write',
    },
  })
  t.teardown(service.stop)
  const print = (bytes: number) => `head -c ${bytes} /dev/zero | tr '\\0' x`
  const call = async (bytes: number) => {
    const response = await service.post('/exec/meka', { command: print(bytes), scratchpad: `pad${bytes}` })
    return (await response.json()) as { run_id: string; is_error: boolean; output: string }
  }
  const lengthOf = async (path: string) => {
    const response = await service.request(path)
    const body = await response.text()
    return response.ok ? body.length : `${response.status} ${JSON.parse(body).error.message}`
  }
  const whole = await call(400_000)
  t.match(whole, { is_error: false, output: /^Output saved to scratchpad "pad400000" \(400000 bytes\)/ })
  t.notMatch(whole.output, 'only the first')
  t.same(
    [await lengthOf('/scratchpads/pad400000'), await lengthOf(`/runs/${whole.run_id}/output`)],
    [400_000, 400_000],
    'more than other runs may store',
  )
  const cut = await call(1_200_000)
  t.match(cut, {
    is_error: true,
    output: /^Output partly saved to scratchpad "pad1200000" \(1200000 bytes\).*stdout: only the first \d+ of 1200000/s,
  })
  for (const path of ['/scratchpads/pad1200000', `/runs/${cut.run_id}/output`]) {
    t.match(await lengthOf(path), /^410 stdout: only the first \d+ of 1200000 bytes were stored/, path)
    t.ok(Number(await lengthOf(`${path}?limit=1200000`)) > RUN_BYTES, 'what is stored can be read')
  }
  const other = await service.exec({ command: print(400_000) })
  t.match(
    await lengthOf(`/runs/${other.id}/output`),
    /^410 stdout: only the first 65536 of 400000/,
    'the limit of one run',
  )
})
