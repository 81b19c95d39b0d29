/**
 * Measures how much of src/ one short command executes: the files and functions that V8 records as called between a request and its response, in
 * a service that has just started. It measures three routes, each on a connection that is already open: POST /exec, exec over a WebSocket, and
 * the tool of a dialect.
 *
 *     npx tsx scripts/bench/coverage.ts [exec|ws|dialect …] [--list]       exit code 1 above the bounds; --list prints every function
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import WebSocket from 'ws'
import { freePort, root, type Service, startService } from '../../test/support/helper.ts'

const MAX_FILES = 55
const MAX_FUNCTIONS = 250
/** A service may still be busy with its start after its "listening" line. */
const SETTLE_MS = 1000

/** Opens the connection and returns the request. */
const routes: Record<string, (service: Service) => Promise<() => Promise<unknown>>> = {
  exec: async (service) => {
    await keepConnection(service)
    return () => service.exec({ command: 'echo new' })
  },
  ws: async (service) => {
    const socket = await service.socket()
    return () => socket.exec('1', { command: 'echo new' })
  },
  dialect: async (service) => {
    await keepConnection(service)
    return async () => (await service.post('/exec/picoclaw', { command: 'echo new' })).text()
  },
}

/** A connection that stays open between commands, as that of an agent does. */
const keepConnection = async (service: Service) => void (await (await service.request('/health')).text())

interface CalledScript {
  url: string
  scriptId: string
  functions: { functionName: string; ranges: { startOffset: number; count: number }[] }[]
}

/** A service from src/ under tsx, with an inspector that records the functions that it calls. */
async function startInspected() {
  const port = await freePort()
  // otherwise V8 does not count functions that have already run a few times
  const node = [
    '--no-lazy-feedback-allocation',
    `--inspect=127.0.0.1:${port}`,
    '--inspect-publish-uid=http',
    '--import',
    'tsx',
  ]
  const service = await startService({ main: 'src/main.ts', node, env: { SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' } })
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as [
    { webSocketDebuggerUrl: string },
  ]
  const inspector = new WebSocket(targets[0].webSocketDebuggerUrl, { maxPayload: 0 })
  await new Promise((resolve) => inspector.once('open', resolve))
  let last = 0
  const ask = (method: string, params = {}) =>
    new Promise<{ result: CalledScript[]; scriptSource: string }>((resolve) => {
      const id = ++last
      const look = (data: WebSocket.RawData) => {
        const answer = JSON.parse(String(data))
        if (answer.id !== id) return
        inspector.off('message', look)
        resolve(answer.result)
      }
      inspector.on('message', look).send(JSON.stringify({ id, method, params }))
    })
  const stop = async () => {
    inspector.terminate()
    await service.stop()
  }
  return { service, ask, stop }
}

/** `module/file.ts` → the functions called in it; the name of an anonymous function is its first 40 characters. */
async function calledIn(
  scripts: CalledScript[],
  sourceOf: (scriptId: string) => Promise<string>,
): Promise<Map<string, string[]>> {
  const called = new Map<string, string[]>()
  for (const { url, scriptId, functions } of scripts) {
    const file = url.startsWith('file:') ? relative(`${root}/src`, fileURLToPath(url).replace(/\?.*/, '')) : '..'
    // tsx wraps functions in its own `__name`
    const ours = functions.filter(({ functionName, ranges }) => functionName !== '__name' && ranges[0]!.count > 0)
    if (file.startsWith('..') || ours.length === 0) continue
    const source = await sourceOf(scriptId)
    const words = (at: number) => `(${source.slice(at, at + 40).replace(/\s+/g, ' ')})`
    const names = ours.map(({ functionName, ranges }) => functionName || words(ranges[0]!.startOffset))
    called.set(file, [...(called.get(file) ?? []), ...names])
  }
  return called
}

async function measure(route: string): Promise<Map<string, string[]>> {
  const { service, ask, stop } = await startInspected()
  try {
    const request = await routes[route]!(service)
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    await ask('Profiler.enable')
    await ask('Debugger.enable')
    await ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    await ask('Profiler.takePreciseCoverage') // resets the counts
    const answer = JSON.stringify(await request())
    if (!/output\W.*new\W/.test(answer)) throw new Error(`${route}: expected the command's output, got ${answer}`)
    const { result } = await ask('Profiler.takePreciseCoverage')
    return await calledIn(
      result,
      async (scriptId) => (await ask('Debugger.getScriptSource', { scriptId })).scriptSource,
    )
  } finally {
    await stop()
  }
}

/** Prints one line for each module, then the total. Returns true if the total is within the bounds. */
function report(route: string, called: Map<string, string[]>, isListed: boolean): boolean {
  const modules: Record<string, { files: number; functions: number }> = {}
  for (const [file, names] of [...called].toSorted()) {
    const module = file.includes('/') ? file.slice(0, file.indexOf('/')) : '.'
    modules[module] ??= { files: 0, functions: 0 }
    modules[module].files += 1
    modules[module].functions += names.length
    if (isListed) console.log(`  ${file}: ${names.join(', ')}`)
  }
  const functions = [...called.values()].flat().length
  const isGood = called.size <= MAX_FILES && functions <= MAX_FUNCTIONS
  for (const [module, counts] of Object.entries(modules)) {
    console.log(
      `  ${module.padEnd(10)} ${String(counts.files).padStart(3)} files ${String(counts.functions).padStart(4)} functions`,
    )
  }
  const bounds = `at most ${MAX_FILES} and ${MAX_FUNCTIONS}`
  console.log(`${isGood ? ' ' : '!'} ${route}: ${called.size} files, ${functions} functions (${bounds})`)
  return isGood
}

const wanted = process.argv.slice(2).filter((name) => name in routes)
let isGood = true
for (const route of wanted.length > 0 ? wanted : Object.keys(routes)) {
  isGood = report(route, await measure(route), process.argv.includes('--list')) && isGood
}
process.exitCode = isGood ? 0 : 1
