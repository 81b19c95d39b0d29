import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { cuttingProxy } from '../../test/support/cutting-proxy.ts'
import { freePort, root, type Service, startService } from '../../test/support/helper.ts'

/**
 * Transfers 1 GiB in each direction over a connection that is cut ten times, and compares the SHA-256. Measures the service's memory, the speed
 * compared with scp over sshd on loopback, and a directory of 10 000 files. Skips scp if openssh-server is not installed.
 *
 *     npx tsx scripts/drills/drill-files.ts [MiB] [files]       exit code 1 if a bound is exceeded
 */
const MIB = Number(process.argv[2] ?? 1024)
const FILES = Number(process.argv[3] ?? 10_000)
const MiB = 1_048_576
const CUTS = 10
/** The maximum memory growth: the buffers of one transfer and uncollected garbage. If the service buffered the file, it would grow by the size of the file. */
const MAX_GROWTH_MIB = 160
/** The maximum ratio to scp, which is written in C and computes no SHA-256. */
const MIN_RATIO = 0.2

const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'shellphone-drill-files-')))
const at = (...names: string[]) => join(folder, ...names)
let broken = 0
function figure(name: string, value: string, isGood = true): void {
  if (!isGood) broken++
  console.log(`${isGood ? '  ' : '! '}${name}: ${value}`)
}

function sha256(path: string): string {
  const hash = createHash('sha256')
  const block = Buffer.alloc(MiB)
  const file = fs.openSync(path, 'r')
  for (let bytes = 1; bytes > 0;) {
    bytes = fs.readSync(file, block)
    hash.update(block.subarray(0, bytes))
  }
  fs.closeSync(file)
  return hash.digest('hex')
}

/** The seconds that a program takes. Throws if it fails. */
async function timed(argv: string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const [program, ...args] = argv
  const began = performance.now()
  const [code] = await once(spawn(program!, args, { env, stdio: ['ignore', 'ignore', 'inherit'] }), 'close')
  if (code !== 0) throw new Error(`${argv.join(' ').slice(0, 200)} ended with ${code}`)
  return (performance.now() - began) / 1000
}

const cp = ({ home }: Service, port: number, args: string[]) =>
  timed([process.execPath, join(root, 'dist/main.js'), 'cp', '--port', String(port), ...args], {
    ...process.env,
    SHELLPHONE_HOME: home,
  })

interface Sshd {
  scp(from: string, to: string, more?: string[]): Promise<number>
  end(): void
}

/** Starts sshd on loopback with its own keys. Returns the reason if it cannot start. */
async function startSshd(): Promise<Sshd | string> {
  const program = ['/usr/sbin/sshd', '/usr/bin/sshd'].find((path) => fs.existsSync(path))
  if (!program || spawnSync('scp').error) return 'openssh-server is not installed (apt-get install openssh-server)'
  if (userInfo().uid === 0) fs.mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  fs.mkdirSync(at('ssh'), { mode: 0o700 })
  for (const key of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', at('ssh', key)])
  }
  fs.copyFileSync(at('ssh', 'user.pub'), at('ssh', 'authorized'))
  const port = await freePort()
  const settings = {
    ListenAddress: '127.0.0.1',
    Port: port,
    HostKey: at('ssh', 'host'),
    AuthorizedKeysFile: at('ssh', 'authorized'),
  }
  const more = {
    StrictModes: 'no',
    UsePAM: 'no',
    PasswordAuthentication: 'no',
    PidFile: 'none',
    Subsystem: 'sftp internal-sftp',
  }
  const lines = Object.entries({ ...settings, ...more }).map(([name, value]) => `${name} ${value}`)
  fs.writeFileSync(at('ssh', 'config'), `${lines.join('\n')}\n`)
  const child: ChildProcess = spawn(program, ['-D', '-e', '-f', at('ssh', 'config')], { stdio: 'ignore' })
  process.once('exit', () => child.kill())
  const options = [
    '-q',
    '-P',
    String(port),
    '-i',
    at('ssh', 'user'),
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
  ]
  const sshd: Sshd = {
    scp: (from, to, more = []) => timed(['scp', ...options, ...more, from, to]),
    end: () => void child.kill(),
  }
  fs.writeFileSync(at('probe'), 'x')
  for (let tries = 0; tries < 20; tries++) {
    const isThere = await sshd.scp(at('probe'), `${userInfo().username}@127.0.0.1:${at('probe2')}`).catch(() => null)
    if (isThere !== null) return sshd
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  sshd.end()
  return 'sshd rejects our key on this machine'
}

const isEqual = (a: string, b: string) => sha256(at(a)) === sha256(at(b))

async function cutTransfers(service: Service): Promise<void> {
  console.log(`${MIB} MiB over a connection that is cut ${CUTS} times`)
  const idle = service.rssBytes()
  let peak = idle
  const look = setInterval(() => {
    peak = Math.max(peak, service.rssBytes())
  }, 50)
  for (const [name, from, to, path] of [
    ['up', at('file'), `:${at('up')}`, 'up'],
    ['down', `:${at('file')}`, at('down'), 'down'],
  ] as const) {
    const proxy = await cuttingProxy(service.port, () => (MIB * MiB) / (CUTS + 2), CUTS)
    await cp(service, proxy.port, ['-q', from, to])
    proxy.close()
    figure(
      name,
      `${proxy.cuts()} cuts, sha256 ${isEqual('file', path) ? 'equal' : 'differs'}`,
      proxy.cuts() === CUTS && isEqual('file', path),
    )
    fs.rmSync(at(path))
  }
  clearInterval(look)
  const growth = (peak - idle) / MiB
  figure(
    'memory of the service',
    `${(idle / MiB).toFixed(0)} MiB, at most ${growth.toFixed(0)} MiB more`,
    growth < MAX_GROWTH_MIB,
  )
}

async function besideScp(service: Service, sshd: Sshd | string): Promise<void> {
  const there = (path: string) => `${userInfo().username}@127.0.0.1:${path}`
  /** [name, our arguments, scp's arguments, the size as text] */
  const rows: [string, string[], [string, string, string[]], string][] = [
    ['up', ['-q', at('file'), `:${at('ours')}`], [at('file'), there(at('scps')), []], `${MIB} MiB`],
    ['down', ['-q', `:${at('file')}`, at('ours')], [there(at('file')), at('scps'), []], `${MIB} MiB`],
    ['files up', ['-q', '-r', at('many'), `:${at('ours')}`], [at('many'), there(at('scps')), ['-r']], `${FILES} files`],
    [
      'files down',
      ['-q', '-r', `:${at('many')}`, at('ours')],
      [there(at('many')), at('scps'), ['-r']],
      `${FILES} files`,
    ],
  ]
  console.log(typeof sshd === 'string' ? `scp is skipped: ${sshd}` : 'compared with scp over sshd on loopback')
  for (const [name, ours, [from, to, more], what] of rows) {
    const seconds = await cp(service, service.port, ours)
    const source = name.startsWith('files') ? 'many' : 'file'
    const isSame = spawnSync('diff', ['-rq', at(source), at('ours')]).status === 0
    const theirs = typeof sshd === 'string' ? null : await sshd.scp(from, to, more)
    const ratio = theirs === null ? null : theirs / seconds
    const rate = name.startsWith('files')
      ? `${(FILES / seconds).toFixed(0)} files/s`
      : `${((MIB * MiB) / 1e6 / seconds).toFixed(0)} MB/s`
    const beside = ratio === null ? '' : `, ×${ratio.toFixed(2)} of scp's`
    figure(
      `${name} (${what})`,
      `${rate}${beside}, ${isSame ? 'equal' : 'different'}`,
      isSame && (ratio ?? 1) >= MIN_RATIO,
    )
    for (const path of ['ours', 'scps']) fs.rmSync(at(path), { recursive: true, force: true })
  }
}

/** An upload that lasts longer than Node's default request timeout. */
async function slowUpload(service: Service): Promise<void> {
  const seconds = 66
  const command = `(for i in $(seq ${seconds}); do echo $i; sleep 1; done) | curl -sS -H 'Authorization: Bearer ${service.token}' -T - '${service.url}/files?path=${at('slow')}'`
  await timed(['sh', '-c', command])
  const lines = fs.readFileSync(at('slow'), 'utf8').trim().split('\n').length
  figure('an upload that takes 66 s', `${lines} of ${seconds} lines`, lines === seconds)
}

async function main(): Promise<void> {
  execFileSync('sh', ['-c', `head -c ${MIB * MiB} /dev/urandom > ${at('file')}`])
  for (let index = 0; index < FILES; index++) {
    if (index % 100 === 0) fs.mkdirSync(at('many', `d${index / 100}`), { recursive: true })
    fs.writeFileSync(at('many', `d${Math.floor(index / 100)}`, `f${index}`), `file ${index}\n`.repeat(index % 50))
  }
  const service = await startService()
  const sshd = await startSshd()
  const slow = slowUpload(service)
  await cutTransfers(service)
  await besideScp(service, sshd)
  await slow
  if (typeof sshd !== 'string') sshd.end()
  await service.stop()
}

try {
  await main()
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
process.exit(broken > 0 ? 1 : 0)
