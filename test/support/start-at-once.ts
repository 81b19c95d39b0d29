import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { startService } from './helper.ts'

/** Starts three services at once on a home with a stale lock, `rounds` times; exactly one must run. */
export async function startAtOnce(t: Test, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const home = mkdtempSync(join(tmpdir(), 'shellphone-home-'))
    t.teardown(() => rmSync(home, { recursive: true, force: true }))
    writeFileSync(join(home, 'lock'), '999999999 1')
    const starts = await Promise.allSettled(Array.from({ length: 3 }, () => startService({ home })))
    const services = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
    t.equal(services.length, 1, `round ${round}`)
    for (const service of services) t.equal(await service.stop(), 0)
    t.same(
      readdirSync(home).filter((name) => name.startsWith('lock')),
      [],
      'no lock is left',
    )
  }
}
