import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError, type SetupWorld } from './setup-world.ts'

const ANSWERS_MS = 30_000
const LOOK_MS = 250

/** Waits up to 30 s until the service responds. Rejects with SetupError. */
export async function waitForService({ answers, listensAt }: SetupWorld, log: string): Promise<void> {
  const { host, port } = await listensAt()
  if (await within(ANSWERS_MS, () => answers(host, port))) return
  throw new SetupError(`the service does not respond at ${host} port ${port}. See its log: ${log}`)
}

/** Repeats `test` every 250 ms; false if it did not pass within `limitMs`. */
export async function within(limitMs: number, test: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs
  while (!(await test())) {
    if (performance.now() > end) return false
    await sleep(LOOK_MS)
  }
  return true
}
