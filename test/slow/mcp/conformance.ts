import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { root } from '../../support/helper.ts'

/** The suite as one file: as it is published it imports fs.globSync, which Node 20 has not. */
export function bundleSuite(folder: string): string {
  const outfile = join(folder, 'conformance.cjs')
  const entry = join(root, 'test/slow/node_modules/@modelcontextprotocol/conformance/dist/index.js')
  buildSync({ entryPoints: [entry], bundle: true, platform: 'node', format: 'cjs', outfile, logLevel: 'error' })
  return outfile
}

/** The suite cannot show a token: everything passes through here, and gets one. */
async function tokenProxy(target: string, token: string) {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` }
    const { method, url } = incoming
    const outgoing = request(new URL(url!, target), { method, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers)
      answer.flushHeaders()
      reply.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    answer.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, stop }
}

/** What the suite says at its end, and whether that is what the baseline expects. */
export async function runSuite(suite: string, target: string, token: string, baseline: string) {
  const proxy = await tokenProxy(target, token)
  const expected = join(root, 'test/slow/mcp', baseline)
  const args = [suite, 'server', '--url', `${proxy.url}/mcp`, '--suite', 'all', '--expected-failures', expected]
  const ran = await promisify(execFile)(process.execPath, args, { timeout: 60_000 }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error) => ({ code: error.code as number, said: `${error.stdout}${error.stderr}` }),
  )
  proxy.stop()
  return ran
}
