import { readFileSync } from 'node:fs'
import { loginEnv, type Phone } from './phone.ts'

/** Polls until `ask` returns true; throws after 1200 tries, when only a hang can be the cause. */
export async function until(what: string, ask: () => boolean | Promise<boolean>) {
  for (let tries = 0; tries < 1200; tries++) {
    if (await ask()) return
    await new Promise((next) => setTimeout(next, 100))
  }
  throw new Error(`asked 1200 times and still not: ${what}`)
}

/** A file of the phone. */
export const read = (phone: Phone, path: string) => readFileSync(phone.path(path), 'utf8').trim()
/** The app's processes whose command line contains `part`. */
export const running = (phone: Phone, part: string) => phone.processes().filter((seen) => seen.cmdline.includes(part))
/** Processes `sleep 3NNN`, which the tests' commands start. */
export const sleeping = (phone: Phone) => phone.processes().filter((seen) => /^sleep 3\d\d\d$/.test(seen.cmdline))
/** The server's pid on the phone; NaN if no server runs. */
export const serverPid = (phone: Phone) => running(phone, 'dist/main.js')[0]?.pid ?? Number.NaN

/** Waits until the server responds. */
export async function healthy(phone: Phone, port = 8029) {
  const ask = async () => (await phone.run(`curl -fsS -m 60 http://127.0.0.1:${port}/health`)).code === 0
  await until(`/health answers on ${port}`, ask)
}

const makeToken =
  'node $PREFIX/lib/node_modules/shellphone/dist/main.js token create tests --approves all --read all --shell'
/** Shell code for a person's token, created at its first use. */
export const token = `$(cat ~/token || { ${makeToken} > ~/token; cat ~/token; })`

const asAgent = (port: number, path: string, options = '') =>
  `curl -sS -m 600 -H "Authorization: Bearer ${token}" ${options} http://127.0.0.1:${port}${path}`

/** The complete response of GET /health, with the token. */
export async function health(phone: Phone, port: number) {
  return JSON.parse((await phone.run(asAgent(port, '/health'))).stdout)
}

/** POST /exec by the phone's own curl: the record, or the error. Throws if no response arrives. */
export async function exec(phone: Phone, body: Record<string, unknown>, port = 8029) {
  const script = asAgent(port, '/exec', `-H 'Content-Type: application/json' -d "$BODY"`)
  const ran = await phone.run(script, { ...loginEnv, BODY: JSON.stringify(body) })
  if (ran.code !== 0) throw new Error(`curl ended with ${ran.code}: ${ran.stderr}`)
  return JSON.parse(ran.stdout)
}
