import { createHash } from 'node:crypto'
import type { Test } from 'tap'
import { openSocket, type Service, soon, until } from './helper.ts'
import type { LinkProxy } from './link-proxy.ts'
import { json, type PlaneClient } from './plane.ts'

const MIB = 1_048_576

/** A plane and a phone, for tests that a fast and a slow suite share. */
interface Through {
  plane: PlaneClient
  /** the name of the phone */
  name: string
}

/** Opens `count` WebSockets, runs a command on each and closes them; the phone must then have fewer than `mostLeft` connections. */
export async function commandOnEachSocket(
  t: Test,
  { plane, name, phone, count, mostLeft }: Through & { phone: Service; count: number; mostLeft: number },
): Promise<void> {
  const url = `${plane.url}/phones/${name}`
  const sockets = await Promise.all(Array.from({ length: count }, () => openSocket(url, plane.file.token)))
  const all = await Promise.all(sockets.map((socket, n) => soon(socket.exec('x', { command: `echo ${n}` }))))
  t.same(
    all.map(({ stdout }) => stdout),
    sockets.map((_, n) => `${n}\n`),
  )
  await Promise.all(sockets.map((socket) => socket.close()))
  const left = async () =>
    ((await (await phone.request('/connections')).json()) as { connections: [] }).connections.length
  t.ok(await until(async () => (await left()) < mostLeft), `the phone has closed them too: ${await left()} are left`)
}

/** Reads a run's output of many MiB over a link that is cut ten times, each time after another `cutMib` MiB. */
export async function readOverCuts(
  t: Test,
  { plane, name, link, mib, cutMib }: Through & { link: LinkProxy; mib: number; cutMib: number },
): Promise<void> {
  const body = { command: `head -c ${mib * MIB} /dev/urandom`, max_length: 1000, timeout_seconds: 600 }
  const { id, stdout_sha256, stdout_bytes } = await json(await plane.post(`/phones/${name}/exec`, body))
  t.equal(stdout_bytes, mib * MIB)
  const hash = createHash('sha256')
  let [bytes, cuts] = [0, 0]
  const answer = await plane.request(`/phones/${name}/runs/${id}/output`)
  for await (const chunk of answer.body!) {
    hash.update(chunk)
    bytes += chunk.length
    if (cuts >= 10 || bytes < (cuts + 1) * cutMib * MIB) continue
    cuts += 1
    link.cut()
  }
  t.equal(bytes, mib * MIB)
  t.equal(cuts, 10)
  t.equal(hash.digest('hex'), stdout_sha256)
}
