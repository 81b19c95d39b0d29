import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { findProgram } from '../../../src/server/spawn/index.ts'
import { checkBuilt } from '../helper.ts'

const repository = join(import.meta.dirname, '../../..')
export const appUid = 10123
const files = '/data/data/com.termux/files'
export const prefix = `${files}/usr`
export const home = `${files}/home`

/** The environment of a background task in Termux 0.118.3 (Termux:Boot, Tasker): no LD_PRELOAD, no SHELL. */
export const bootEnv: Record<string, string> = {
  ANDROID_DATA: '/data',
  ANDROID_ROOT: '/system',
  ANDROID_STORAGE: '/storage',
  ANDROID_ART_ROOT: '/apex/com.android.art',
  ANDROID_I18N_ROOT: '/apex/com.android.i18n',
  ANDROID_TZDATA_ROOT: '/apex/com.android.tzdata',
  BOOTCLASSPATH: '/apex/com.android.art/javalib/core-oj.jar',
  DEX2OATBOOTCLASSPATH: 'null',
  EXTERNAL_STORAGE: '/sdcard',
  COLORTERM: 'truecolor',
  TERM: 'xterm-256color',
  LANG: 'en_US.UTF-8',
  HOME: home,
  PREFIX: prefix,
  PATH: `${prefix}/bin`,
  TMPDIR: `${prefix}/tmp`,
  PWD: home,
  TERMUX_VERSION: '0.118.3',
  TERMUX_APP_PID: '4242',
  TERMUX_APK_RELEASE: 'F_DROID',
  TERMUX__PREFIX: prefix,
}

/** The environment of a shell in the app's terminal after `login`. */
export const loginEnv: Record<string, string> = {
  ...bootEnv,
  LD_PRELOAD: `${prefix}/lib/libtermux-exec-ld-preload.so`,
  SHELL: `${prefix}/bin/bash`,
}

interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** One process of the pretend phone, as root on this machine sees it. */
interface Seen {
  pid: number
  cmdline: string
}

export interface Phone {
  /** its first process, on this machine */
  pid: number
  /** path on this machine of a path on the phone */
  path(onPhone: string): string
  /** runs a script as the app's user with exactly this environment; kills a script that hangs for 10 minutes */
  run(script: string, env?: Record<string, string>): Promise<Ran>
  /** processes of the app, without zombies */
  processes(): Seen[]
  stop(): Promise<void>
}

/** Why the pretend phone is not available on this machine, or null. */
export function whyNot(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux, for unshare and chroot'
  const missing = ['toybox', 'mksh', 'busybox', 'unshare', 'nsenter', 'setpriv', 'ip', 'curl', 'dash', 'ps'].filter(
    (name) => !find(name),
  )
  if (missing.length > 0) return `needs ${missing.join(', ')} (scripts/test/apt-packages.sh)`
  if (!runitFolder()) return 'needs runit (scripts/test/apt-packages.sh)'
  const tried = spawnSync('unshare', ['-mpnf', 'true'], { encoding: 'utf8' })
  return tried.status === 0 ? null : `unshare is refused here: ${tried.stderr.trim()}`
}

const find = (name: string) => findProgram(name, process.env.PATH ?? '')

/** Why the pretend phone has no termux-exec, or null. */
export const noCompiler = find('cc') ? null : 'needs cc, for termux-exec'

function runitFolder(): string | undefined {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const unpacked = join(cache, 'shellphone/debian/usr/bin')
  const program = findProgram('runsvdir', `${process.env.PATH}${delimiter}${unpacked}`)
  return program ? dirname(program) : undefined
}

/** Copies the files of the npm package, as built by `npm test`, to `folder`. The launcher is not among them; the phone builds it if it can. */
function copyPackage(folder: string): string {
  checkBuilt(repository)
  const { files } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { files: string[] }
  const copy = `for path in package.json ${files.join(' ')}; do [ ! -e "$path" ] || cp -R --parents "$path" "$0"; done`
  must('sh', ['-c', copy, folder])
  return folder
}

function must(program: string, argv: string[]) {
  const ran = spawnSync(program, argv, { cwd: repository, encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`${program} ${argv.join(' ')}: ${ran.error?.message ?? ran.stderr}`)
}

/** The launcher of this machine, which the phone's pretend compiler returns. */
export const launcher = join(repository, 'dist/launcher')

/** What the phone's pkg installs in place of our package: Node, and a directory of npm. */
interface PhonePackages {
  node: string
  npm?: string
}

/** Starts a pretend phone with the package where `npm i -g` installs it, or without the package. `stop` removes everything. */
export async function startPhone(brought: PhonePackages | null = null): Promise<Phone> {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-package-'))
  const holds = brought
    ? { NODE: brought.node, NPM: brought.npm ?? '' }
    : { NODE: process.execPath, TREE: copyPackage(folder) }
  const shell = spawn('bash', [join(import.meta.dirname, '../../fixtures/termux/fake-android.sh')], {
    env: { ...process.env, ...holds, RUNIT: runitFolder() },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(shell, 'close')
  const pid = await readyPid(shell)
  rmSync(folder, { recursive: true })
  const root = `/proc/${pid}/root`
  return {
    pid: Number(pid),
    path: (onPhone) => `${root}${onPhone}`,
    run: (script, env = loginEnv) => enter(pid, script, env),
    processes: () => processesIn(root),
    stop: async () => {
      shell.stdin.end()
      await closed
    },
  }
}

async function readyPid(shell: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: shell.stdout! })) {
    const [word, pid] = line.split(' ')
    if (word === 'ready' && pid) return pid
  }
  throw new Error('fake-android.sh ended before the phone was ready')
}

async function enter(pid: string, script: string, env: Record<string, string>): Promise<Ran> {
  const asApp = [`--reuid=${appUid}`, `--regid=${appUid}`, '--clear-groups', '--no-new-privs']
  const namespaces = [`--root=/proc/${pid}/root`, `--wd=/proc/${pid}/root${home}`, '-t', pid, '-m', '-p', '-n']
  const asEnv = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const shell = [`${prefix}/bin/env`, '-i', ...asEnv, `${prefix}/bin/sh`, '-c', script]
  const child = spawn('nsenter', [...namespaces, `${prefix}/bin/setpriv`, ...asApp, ...shell], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
    killSignal: 'SIGKILL',
  })
  const ran: Ran = { code: null, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { ...ran, code }
}

function processesIn(root: string): Seen[] {
  return readdirSync(`${root}/proc`)
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), cmdline: cmdlineOf(`${root}/proc/${name}`) }))
    .filter((seen) => seen.cmdline !== '')
}

function cmdlineOf(folder: string): string {
  try {
    if (statSync(folder).uid !== appUid) return '' // the phone's init
    return readFileSync(join(folder, 'cmdline'), 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return '' // the process has ended since it was listed
  }
}
