import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecRecord } from '../../src/shared/schema/index.ts'
import { type Service, startService } from '../../test/support/helper.ts'
import { damage } from '../../test/server/store/rot.ts'

/** A run that ended before any damage. `record`: its record at that time; `output`: its complete stdout. */
interface Answered {
  id: string
  key: string
  command: string
  record: string
  output: string
}

/** A run that a crash interrupted. `sealed`: the part of its stdout that had a checksum at that time. */
interface CutOff {
  id: string
  sealed: string
}

const RUNS = 32
const SIZES = [10, 5000, 70_000, 400_000]
const BLOCK_BYTES = 65_536
/** The warnings of /health about the store. */
const STORE_WARNING = /history|output|cut off/
const GONE = /no longer stored|service stopped/
const count = 'seq 1 100000'

const textOf = async (service: Service, path: string): Promise<string | null> => {
  try {
    const response = await service.request(path)
    return response.ok ? await response.text() : null
  } catch {
    return null // the response was interrupted: a block is damaged
  }
}
const recordOf = (service: Service, id: string) => textOf(service, `/runs/${id}`)
const outputOf = (service: Service, id: string) => textOf(service, `/runs/${id}/output?stream=stdout`)
const ask = async (service: Service, command: string, key: string) =>
  (await service.post('/exec', { command }, { 'idempotency-key': key })).json() as Promise<Partial<ExecRecord>>

/** Creates runs whose output is stored in records and in files, and runs that are interrupted when the service is killed. */
async function createRuns(home: string): Promise<{ answered: Answered[]; cutOff: CutOff[] }> {
  const service = await startService({ home })
  const answered: Answered[] = []
  for (let n = 0; n < RUNS; n++) {
    const [command, key] = [`head -c ${SIZES[n % 4]} /dev/zero | tr '\\0' x; echo ${n}`, `damage-${n}`]
    const { id } = (await ask(service, command, key)) as ExecRecord
    answered.push({ id, key, command, record: (await recordOf(service, id))!, output: (await outputOf(service, id))! })
  }
  const cutOff: CutOff[] = []
  for (let n = 0; n < 4; n++) {
    const response = await service.post('/exec', { command: `${count}; sleep 100`, background: true })
    cutOff.push({ id: ((await response.json()) as ExecRecord).id, sealed: '' })
  }
  await new Promise((resolve) => setTimeout(resolve, 2500)) // buffers are written after a second
  for (const run of cutOff) {
    const all = (await outputOf(service, run.id)) ?? ''
    run.sealed = all.slice(0, all.length - (all.length % BLOCK_BYTES))
  }
  await service.kill('SIGKILL')
  if (cutOff.some(({ sealed }) => sealed === '')) throw new Error('expected output of the interrupted runs')
  return { answered, cutOff }
}

/** Compares the service's responses with those before the damage. Returns the errors, and the number of lost runs. */
async function check(service: Service, { answered, cutOff }: Awaited<ReturnType<typeof createRuns>>) {
  const faults: string[] = []
  let lost = 0
  for (const { id, key, command, record, output } of answered) {
    const now = await recordOf(service, id)
    if (now !== null && now !== record && !GONE.test(now)) faults.push(`${id} is changed: ${now.slice(0, 200)}`)
    const outputNow = await outputOf(service, id)
    if (now === record && outputNow !== null && outputNow !== output) faults.push(`${id} has other output`)
    if (now !== record || outputNow === null) lost++
    const again = await ask(service, command, key)
    if (again.id !== undefined && again.id !== id) faults.push(`key ${key} ran again`)
  }
  for (const { id, sealed } of cutOff) {
    const output = await outputOf(service, id)
    if (!output?.startsWith(sealed)) lost++
    if (output !== null && !sealed.startsWith(output.slice(0, sealed.length))) faults.push(`${id} (cut off) is changed`)
  }
  return { faults, lost }
}

/** In each round, flips, cuts or deletes one piece of history, keys or outputs. Every response must stay correct, and /health must report each loss. */
export async function damageRounds(home: string, rounds: number): Promise<string[]> {
  const runs = await createRuns(home)
  const copy = `${home}-damaged`
  const faults: string[] = []
  let noticed = 0
  let lostInAll = 0
  for (let round = 0; round < rounds; round++) {
    cpSync(home, copy, { recursive: true })
    const what = damage(join(copy, round % 2 ? 'history' : 'runs'))
    const service = await startService({ home: copy })
    const { faults: found, lost } = await check(service, runs)
    const health = (await (await service.request('/health')).json()) as { warnings: string[] }
    const isNamed = health.warnings.some((warning) => STORE_WARNING.test(warning))
    if (lost > 0 && !isNamed) found.push(`${lost} lost without a warning`)
    if (isNamed) noticed++
    lostInAll += lost
    faults.push(...found.map((fault) => `${what}: ${fault}`))
    await service.stop()
    rmSync(copy, { recursive: true, force: true })
  }
  console.log(
    `${rounds} rounds of damage: reported in ${noticed}, runs lost in total ${lostInAll}, faults ${faults.length}`,
  )
  return faults
}
