import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildSync } from 'esbuild'
import { HANG_MS, root } from '../../support/helper.ts'

/** The suite bundled into one file, because the published one imports fs.globSync, which Node 20 lacks. */
export function bundleSuite(folder: string): string {
  const outfile = join(folder, 'conformance.cjs')
  const entry = join(root, 'test/slow/node_modules/@modelcontextprotocol/conformance/dist/index.js')
  buildSync({ entryPoints: [entry], bundle: true, platform: 'node', format: 'cjs', outfile, logLevel: 'error' })
  return outfile
}

/** A proxy that adds a token to each request, because the suite cannot send one. */
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

/** The suite's last output, and whether the result matches the baseline. */
export async function runSuite(suite: string, target: string, token: string, baseline: string) {
  const proxy = await tokenProxy(target, token)
  const expected = join(root, 'test/slow/mcp', baseline)
  const args = [suite, 'server', '--url', `${proxy.url}/mcp`, '--suite', 'all', '--expected-failures', expected]
  const ran = await promisify(execFile)(process.execPath, args, { timeout: 10 * HANG_MS }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    (error) => ({ code: error.code as number, said: `${error.stdout}${error.stderr}` }),
  )
  proxy.stop()
  return ran
}
