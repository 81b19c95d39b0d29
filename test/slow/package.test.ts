import { type ChildProcess, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { bundledCode } from '../../scripts/release/bundled.ts'
import { npmTarball, packageFiles } from '../../scripts/release/npm-package.ts'
import { NOBODY, noNobody, root, spawnBeside, until } from '../support/helper.ts'
import { initialize } from '../support/mcp/raw.ts'

/** An unprivileged user, if the test runs as root. */
const uid = process.getuid!() === 0 ? NOBODY : process.getuid!()
const folder = mkdtempSync(join(tmpdir(), 'shellphone-package-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const place = (name: string) => {
  const path = join(folder, name)
  mkdirSync(path)
  chownSync(path, uid, uid)
  return path
}
chownSync(folder, uid, uid)
const [home, prefix, tools] = [place('home'), place('prefix'), place('tools')]
const installed = join(prefix, 'lib/node_modules/shellphone')

/** A PATH without a compiler. */
const find = (name: string) =>
  process.env
    .PATH!.split(':')
    .map((one) => join(one, name))
    .find((path) => existsSync(path))
for (const name of ['sh', 'ls', 'cat', 'sleep', 'uname', 'env']) symlinkSync(find(name)!, join(tools, name))
symlinkSync(process.execPath, join(tools, 'node'))
const npm = find('npm')!
const env = { HOME: home, SHELLPHONE_HOME: join(home, 'own'), PATH: `${join(prefix, 'bin')}:${tools}` }
const skip = noNobody ?? false
const asUser = { cwd: folder, env, uid, gid: uid, encoding: 'utf8' as const }
const runNpm = (args: string[], more: object = {}) =>
  spawnSync(process.execPath, [npm, '--no-audit', '--no-fund', '--offline', ...args], { ...asUser, ...more })

interface Served {
  process: ChildProcess
  request(path: string, body?: object): Promise<Response>
  stop(): Promise<void>
}

let token: string | undefined

/** Runs `shellphone` as the user. */
async function serve(more: Record<string, string> = {}): Promise<Served> {
  const child = spawnBeside(join(prefix, 'bin/shellphone'), ['serve', '--port', '0'], {
    ...asUser,
    env: { ...env, ...more },
  })
  let said = ''
  child.stdout!.on('data', (chunk) => (said += chunk))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  t.teardown(() => child.kill('SIGKILL'))
  await until(() => said.includes('"msg":"listening"'))
  const url = /"address":"([^"]+)"/.exec(said)![1]!
  token ??= readFileSync(join(env.SHELLPHONE_HOME, 'token'), 'utf8').trim() // the command line removes the file at its first use
  const authorization = `Bearer ${token}`
  const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = (path: string, body?: object) =>
    fetch(url + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { process: child, request, stop }
}

/** The entries of the tarball, as tar lists them. */
const list = (tarball: string, more = '') =>
  spawnSync('tar', [`-tz${more}f`, tarball], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')

t.test('the tarball is small and complete', async (t) => {
  const tarball = join(folder, 'shellphone.tgz')
  writeFileSync(tarball, npmTarball(packageFiles(root, [], bundledCode(root, false))))
  const paths = list(tarball).map((line) => line.split('package/')[1]!)
  t.ok(paths.length <= 72, `${paths.length} files`)
  const unpackedSize = list(tarball, 'v').reduce((sum, line) => sum + Number(line.split(/\s+/)[2]), 0)
  const isMinified = process.env.NODE_V8_COVERAGE === undefined
  t.ok(unpackedSize < (isMinified ? 5_600_000 : 12_000_000), `${unpackedSize} bytes`)
  for (const path of [
    'dist/main.js',
    'openapi.yaml',
    'src/server/routes/docs.html',
    'termux/install.sh',
    'dist/launcher.c',
    'LICENSE',
    'THIRD-PARTY-NOTICES',
  ]) {
    t.ok(paths.includes(path), path)
  }
  t.notOk(paths.includes('dist/launcher'), 'it does not contain the launcher of this machine')
  const packageJson = spawnSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' }).stdout
  const { dependencies, scripts } = JSON.parse(packageJson)
  t.equal(dependencies, undefined, 'npm resolves nothing on a phone')
  t.equal(scripts, undefined, 'npm runs nothing on a phone')
})

t.test('works without root and without a compiler', { skip }, async (t) => {
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!
  chownSync(join(folder, tarball), uid, uid)
  const startedAt = performance.now()
  const ran = runNpm(['install', '--global', '--prefix', prefix, join(folder, tarball)])
  t.equal(ran.status, 0, ran.stderr)
  t.comment(`installed in ${Math.round(performance.now() - startedAt)} ms`)
  t.notOk(existsSync(join(installed, 'node_modules')), 'no other package')

  const service = await serve()
  t.match(await (await service.request('/exec', { command: 'echo on; cat /etc/hostname >/dev/null' })).json(), {
    status: 'completed',
    stdout: 'on\n',
  })
  const { spawner } = (await (await service.request('/health')).json()) as { spawner: { name: string; reason: string } }
  t.match(spawner, {
    name: 'child_process',
    reason: /none could be built here \(no C compiler\).*install a C compiler \(gcc or clang\) and restart/,
  })
  t.match(await (await service.request('/metrics')).text(), 'shellphone_commands_running', 'metrics, loaded late')
  t.equal((await service.request('/mcp', initialize)).status, 200, 'MCP, loaded late')
  t.match(await (await service.request('/docs')).text(), /^<!doctype html>/)
  await service.stop()
})

t.test('builds the launcher at the first start if there is a compiler', { skip }, async (t) => {
  if (!find('cc')) return t.pass('built', { skip: 'needs a C compiler' })
  for (const path of [process.env.PATH!, env.PATH]) {
    const service = await serve({ PATH: path })
    t.match(await (await service.request('/health')).json(), { spawner: { name: 'launcher' } })
    await service.stop()
  }
})

t.test('upgrades under a running service', { skip }, async (t) => {
  const service = await serve()
  renameSync(join(installed, 'dist'), join(installed, 'away'))
  for (const path of ['/metrics', '/mcp']) {
    const answer = await service.request(path, path === '/mcp' ? initialize : undefined)
    t.equal(answer.status, 503, path)
    t.match(
      await answer.json(),
      { error: { type: 'restart_needed', message: /upgraded while it was running; restart/ } },
      path,
    )
  }
  t.match(await (await service.request('/exec', { command: 'echo on' })).json(), { stdout: 'on\n' })
  renameSync(join(installed, 'away'), join(installed, 'dist'))
  t.equal((await service.request('/metrics')).status, 200, 'a file that is back is loaded')
  await service.stop()
})

t.test('a clone that is not built prints what to do', { skip }, async (t) => {
  const clone = place('clone')
  cpSync(join(root, 'package.json'), join(clone, 'package.json'))
  writeFileSync(join(clone, '.npmrc'), '')
  const prepared = runNpm(['run', 'prepare'], { cwd: clone })
  t.equal(prepared.status, 0, prepared.stderr)
  t.match(prepared.stderr, /not built: npm ci without --omit=dev builds it/)
  const start = runNpm(['start'], { cwd: clone })
  t.equal(start.status, 1)
  t.match(start.stderr, /shellphone: not built: npm ci builds it/)
})
