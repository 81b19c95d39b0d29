import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { linkProxy } from './link-proxy.ts'
import { startBroker } from './nats.ts'
import { addPhone, fleetCli, startPlane } from './plane.ts'

/** A fleet whose phone pixel is reached through a link, and what compares files in the folder that is its home. */
export async function startCopies(t: Pick<Test, 'testdir' | 'teardown'>) {
  const folder = t.testdir()
  const broker = await startBroker()
  const plane = await startPlane(broker)
  const link = await linkProxy(Number(new URL(broker.url).port))
  const far = { ...broker, url: `nats://127.0.0.1:${link.port}` }
  const pixel = await addPhone(plane, far, 'pixel', { env: { SHELLPHONE_POLICY: 'open', HOME: folder } })
  t.teardown(async () => {
    await pixel.stop()
    await plane.close()
    link.close()
    await broker.stop()
  })
  const at = (...names: string[]) => join(folder, ...names)
  mkdirSync(at('cli'))
  return {
    ...{ plane, link, pixel, at },
    sha256: (name: string) =>
      createHash('sha256')
        .update(readFileSync(at(name)))
        .digest('hex'),
    /** `shellphone cp` in the folder `cli`, over the plane or what lies before it */
    cp: (url: string, ...args: string[]) => fleetCli(url, plane.file.token, at('cli')).start(['cp', ...args]).ended,
    /** what differs between two directories, as diff prints it */
    differing: (a: string, b: string) => spawnSync('diff', ['-r', at(a), at(b)], { encoding: 'utf8' }).stdout,
  }
}
