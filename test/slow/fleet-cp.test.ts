import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import t from 'tap'
import { startCopies, testCuts } from '../support/fleet-copies.ts'
import { wants } from '../support/helper.ts'
import { noBroker } from '../support/nats.ts'
import { json } from '../support/plane.ts'

wants(t, noBroker)

const MIB = 1_048_576
const copies = await startCopies(t)
const { plane, pixel, at, sha256, cp, differing } = copies
/** The phone's records about a path, newest first. */
const records = async (path: string) =>
  (await json(await plane.request('/phones/pixel/runs?limit=500'))).runs.filter(({ command }: any) =>
    command.includes(path),
  )
const well = { code: 0, err: '' }

fs.writeFileSync(at('file'), randomBytes(64 * MIB))

t.test('copies 64 MiB in both directions with one record each and flat memory', async (t) => {
  const [plain, phone] = [process.memoryUsage.rss(), pixel.rssBytes()]
  let [most, mostPhone] = [0, 0]
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - plain)
    mostPhone = Math.max(mostPhone, pixel.rssBytes() - phone)
  }, 50)
  t.match(await cp(plane.url, '../file', 'fleet/pixel:up'), well)
  t.equal(sha256('up'), sha256('file'))
  t.match(await cp(plane.url, 'fleet/pixel:up', '../down'), well)
  clearInterval(timer)
  t.equal(sha256('down'), sha256('file'))
  t.comment(`plane at most +${(most / MIB).toFixed(0)} MiB, phone +${(mostPhone / MIB).toFixed(0)} MiB`)
  t.ok(most < 200 * MIB && mostPhone < 200 * MIB)
  t.equal((await records(at('up'))).length, 4, 'written, inspected, read, and its sha256 computed')
})

t.test('copies a directory with a file of more than 32 MiB in both directions', async (t) => {
  fs.mkdirSync(at('tree', 'a', 'empty'), { recursive: true })
  fs.writeFileSync(at('tree', 'ünï'), 'x')
  fs.copyFileSync(at('file'), at('tree', 'a', 'large'))
  for (let index = 0; index < 300; index++) fs.writeFileSync(at('tree', `f${index}`), randomBytes(10_000))
  t.match(await cp(plane.url, '-r', '../tree', 'fleet/pixel:tree2'), well)
  t.equal(differing('tree', 'tree2'), '')
  t.match(await cp(plane.url, '-r', 'fleet/pixel:tree2', '../tree3'), well)
  t.equal(differing('tree', 'tree3'), '')
})

testCuts(t, copies, 10)
