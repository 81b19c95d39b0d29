import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { root } from '../test/helper.ts'

/** Follows a run to its end in whatever has WebSocket and crypto.subtle, and says what came. */
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
export interface Followed {
  bytes: number
  sha256: string
}

const cache = join(homedir(), '.cache/shellphone-drills')

/** The package in a folder of the drills' cache, installed at its first use. */
function cached(name: string, packages: string[], ...flags: string[]): string {
  const folder = join(cache, name)
  if (existsSync(join(folder, 'node_modules'))) return folder
  mkdirSync(folder, { recursive: true })
  spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...flags, ...packages])
  return folder
}

/** By a Node: this one, or the newest, of the npm package \`node\`. */
export async function followInNode(
  which: 'this' | 'newest',
  url: string,
  token: string,
  command: string,
): Promise<Followed> {
  const node = which === 'this' ? process.execPath : join(cached('node', ['node@latest']), 'node_modules/node/bin/node')
  const code = `
    import { connect } from ${JSON.stringify(pathToFileURL(join(root, which === 'this' ? 'dist/client-node.js' : 'dist/client.js')).href)}
    const [url, token, command] = ${JSON.stringify([url, token, command])}
    console.log(JSON.stringify(await (async () => {${program}})()))
  `
  const { stdout } = spawn(node, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(stdout))
}

/** By a page in Chromium; null: there is none. */
export async function followInChromium(url: string, token: string, command: string): Promise<Followed | null> {
  const browser = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync)
  if (!browser) return null
  const { chromium } = await import(
    pathToFileURL(
      join(cached('playwright', ['playwright-core'], '--ignore-scripts'), 'node_modules/playwright-core/index.mjs'),
    ).href
  )
  const page = await servePage()
  const opened = await chromium.launch({ executablePath: browser, args: ['--no-sandbox'] })
  try {
    const tab = await opened.newPage()
    await tab.goto(page.url)
    const code = `(async () => { const { connect } = await import('/client.js'); const [url, token, command] = ${JSON.stringify([url, token, command])};${program}})()`
    return await tab.evaluate(code)
  } finally {
    await opened.close()
    page.close()
  }
}

/** Where the pages of the drill come from. */
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
