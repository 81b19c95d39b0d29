import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { cuttingProxy } from './cutting-proxy.ts'
import { until } from './helper.ts'
import { linkProxy } from './link-proxy.ts'
import { startBroker } from './nats.ts'
import { addPhone, fleetCli, startPlane } from './plane.ts'

/** A fleet whose phone pixel is behind a proxy, with functions that compare files in its home. */
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
    /** runs `shellphone cp` in the folder `cli`, over the plane or a proxy */
    cp: (url: string, ...args: string[]) => fleetCli(url, plane.file.token, at('cli')).start(['cp', ...args]).ended,
    /** the differences between two directories, as diff prints them */
    differing: (a: string, b: string) => spawnSync('diff', ['-r', at(a), at(b)], { encoding: 'utf8' }).stdout,
  }
}

type Copies = Awaited<ReturnType<typeof startCopies>>

/** Tests copies of `file` (larger than 512 KiB per cut) and of a directory in both directions, each with this many cuts. */
export function testCuts(t: Test, copies: Copies, cuts: number): void {
  const { plane, link, at, sha256, cp, differing } = copies
  const well = { code: 0, err: '' }
  const cutBytes = 524_288

  t.test(`${cuts} cuts between the client and the plane`, async (t) => {
    mkdirSync(at('many'))
    for (let index = 0; index < cuts * 25; index++) writeFileSync(at('many', `f${index}`), randomBytes(10_000))
    for (const [from, to, args, made] of [
      ['../file', 'fleet/pixel:cut-up', [], 'cut-up'],
      ['fleet/pixel:file', '../cut-down', [], 'cut-down'],
      ['../many', 'fleet/pixel:many-up', ['-r'], 'many-up'],
      ['fleet/pixel:many', '../many-down', ['-r'], 'many-down'],
    ] as const) {
      const bytes = args.length > 0 ? 200_000 : cutBytes
      const proxy = await cuttingProxy(Number(new URL(plane.url).port), () => bytes, cuts)
      t.teardown(proxy.close)
      t.match(await cp(`http://127.0.0.1:${proxy.port}`, ...args, from, to), well, `${from} ${to}`)
      t.equal(proxy.cuts(), cuts)
      if (args.length > 0) t.equal(differing('many', made), '')
      else t.equal(sha256(made), sha256('file'))
    }
  })

  t.test(`${cuts} cuts between the phone and the broker`, async (t) => {
    const isThere = async () => (await plane.request('/phones/pixel/health')).ok
    for (const [from, to, made] of [
      ['../file', 'fleet/pixel:far-up', 'far-up'],
      ['fleet/pixel:file', '../far-down', 'far-down'],
    ] as const) {
      const done = link.cutEvery(cutBytes, cuts)
      t.match(await cp(plane.url, from, to), well, `${from} ${to}`)
      t.equal(done(), cuts)
      t.ok(await until(isThere))
      t.equal(sha256(made), sha256('file'))
    }
  })
}
