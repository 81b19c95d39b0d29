import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { chromium } from '../../test/slow/browser.ts'
import { root } from '../../test/support/helper.ts'
import { cachedNode } from './cached.ts'

/** A program that follows a run to its end, in Node or a browser, and reports what it received. */
const program = `
  const chunks = []
  const phone = connect({ url, token })
  const run = await phone.run(command)
  for await (const { stream, bytes } of run.output()) if (stream === 'stdout') chunks.push(bytes.slice())
  const whole = new Uint8Array(await new Blob(chunks).arrayBuffer())
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', whole))
  const { stdout_sha256 } = await run.result
  return { bytes: whole.length, sha256: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''), stdout_sha256 }
`
interface Followed {
  bytes: number
  sha256: string
}

/** Follows the run in this version of Node, or in the newest one (the npm package \`node\`). */
export async function followInNode(
  which: 'this' | 'newest',
  url: string,
  token: string,
  command: string,
): Promise<Followed | null> {
  const node = which === 'this' ? process.execPath : cachedNode(26)
  if (node === null) return null
  const code = `
    import { connect } from ${JSON.stringify(pathToFileURL(join(root, which === 'this' ? 'dist/client-node.js' : 'dist/client.js')).href)}
    const [url, token, command] = ${JSON.stringify([url, token, command])}
    console.log(JSON.stringify(await (async () => {${program}})()))
  `
  const { stdout } = spawn(node, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(stdout))
}

/** Follows the run on a page in Chromium; null if Chromium is not installed. */
export async function followInChromium(url: string, token: string, command: string): Promise<Followed | null> {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync)
  if (!executablePath) return null
  const page = await servePage()
  const opened = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const tab = await opened.newPage()
    await tab.goto(page.url)
    const code = `(async () => { const { connect } = await import('/client.js'); const [url, token, command] = ${JSON.stringify([url, token, command])};${program}})()`
    return await tab.evaluate<Followed>(code)
  } finally {
    await opened.close()
    page.close()
  }
}

/** The port of the drill's page. */
export const PAGE_PORT = 18_391

async function servePage() {
  const server = createServer((request, reply) => {
    const isClient = request.url === '/client.js'
    reply.setHeader('content-type', isClient ? 'text/javascript' : 'text/html')
    reply.end(isClient ? readFileSync(join(root, 'dist/client.js')) : '<!doctype html>')
  }).listen(PAGE_PORT, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() }
}
