import { setTimeout as sleep } from 'node:timers/promises'
import { SetupError, type SetupWorld } from './setup-world.ts'

const ANSWERS_MS = 30_000
const LOOK_MS = 250

/** Waits until the service answers; SetupError where it does not. */
export async function mustAnswer({ answers, listensAt }: SetupWorld, log: string): Promise<void> {
  const { host, port } = await listensAt()
  if (await within(ANSWERS_MS, () => answers(host, port))) return
  throw new SetupError(`the service does not respond at ${host} port ${port}. See its log: ${log}`)
}

/** Asks again and again: does it hold, at the latest after so long? */
export async function within(limitMs: number, test: () => Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs
  while (!(await test())) {
    if (performance.now() > end) return false
    await sleep(LOOK_MS)
  }
  return true
}
