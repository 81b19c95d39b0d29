import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { usualLimits, type DoctorWorld } from '../../../src/server/doctor/index.ts'
import { type Token, DEFAULT_RIGHTS } from '../../../src/shared/schema/index.ts'
import { openTools } from '../../../src/server/tools.ts'

/** The phone was started two hours ago; its files have times of this machine's clock. */
export const NOW_MS = Date.now()
export const DAY_MS = 86_400_000
const UP_SECONDS = 7200

const BOOT_SCRIPT = '#!/bin/sh\nstart\n'

/** A phone in a folder: its files, its programs as scripts on PATH, and the /health of its service. */
export interface Pretend {
  folder: string
  prefix: string
  world: DoctorWorld
  health: Record<string, unknown>
  runs: object[]
  write(path: string, text: string): void
  /** writes a program on PATH; null removes it */
  program(name: string, script: string | null): void
  /** svlogd's lines: minutes before now, and the text */
  log(...lines: [minutesAgo: number, text: string][]): void
  remove(): void
}

/** A phone on which every check passes. */
export function pretendPhone(): Pretend {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-doctor-'))
  const prefix = join(folder, 'usr')
  const path = (name: string) => join(folder, name)
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), text, { mode: 0o600 })
  }
  const program = (name: string, script: string | null) => {
    rmSync(path(`usr/bin/${name}`), { force: true })
    if (script === null) return
    write(`usr/bin/${name}`, `#!/bin/sh\n${script}\n`)
    chmodSync(path(`usr/bin/${name}`), 0o755)
  }
  const log = (...lines: [number, string][]) => {
    const stamp = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString().replace('T', '_').slice(0, -1)
    write('usr/var/log/sv/shellphone/current', lines.map(([ago, text]) => `${stamp(ago)}00 ${text}\n`).join(''))
  }
  program('getprop', 'echo 34')
  program('pm', 'echo package:/data/app/$2/base.apk')
  program('termux-battery-status', 'echo \'{ "health": "GOOD", "percentage": 82 }\'')
  program('sv', 'echo "run: $2: (pid 7) 60s"')
  program('sh', 'exec /bin/sh "$@"')
  write('usr/var/service/shellphone/run', '')
  write('home/.termux/boot/shellphone', BOOT_SCRIPT)
  write('home/.shellphone/token', 'secret\n')
  chmodSync(path('home/.shellphone'), 0o700)
  log([180, '{"event":"LISTENING"}'], [130, '{"event":"STOPPING"}'], [118, '{"event":"LISTENING"}'])
  mkdirSync(path('usr/tmp'))
  const phone: Pretend = {
    folder,
    prefix,
    world: worldOf(folder, prefix),
    health: {
      status: 'ok',
      version: '1.2.3',
      uptime_seconds: 7000,
      slept_seconds: 0,
      spawner: { name: 'launcher', reason: 'the launcher was built and works' },
      sandbox: { available: ['none'], reason: 'Landlock is off' },
      warnings: ['known'],
    },
    runs: [],
    write,
    program,
    log,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
  phone.world.ask = async (asked) => (asked === '/health' ? phone.health : { runs: phone.runs })
  return phone
}

function worldOf(folder: string, prefix: string): DoctorWorld {
  const env = {
    PREFIX: prefix,
    PATH: join(prefix, 'bin'),
    TMPDIR: join(prefix, 'tmp'),
    TERMUX_VERSION: '0.118.3',
    SVDIR: 'set',
  }
  return {
    platform: 'android',
    env,
    home: join(folder, 'home'),
    prefix,
    serviceHome: join(folder, 'home/.shellphone'),
    version: '1.2.3',
    nodeVersion: 'v24.18.0',
    nowMs: NOW_MS,
    uptimeSeconds: UP_SECONDS,
    settings: {
      host: '127.0.0.1',
      port: 8029,
      policy: 'guarded',
      allowed_origins: [],
      min_free_bytes: 0,
      max_run_spool_bytes: 0,
    },
    settingsError: null,
    areSettingsKnown: true,
    isEncrypted: false,
    certificate: null,
    tokens: () => [],
    preload: '',
    bootScripts: [BOOT_SCRIPT],
    knownWarnings: ['known'],
    run: openTools(env).run,
    limits: usualLimits,
    ask: async () => {}, // replaced when the phone exists
    addresses: async () => ['127.0.0.1'],
  }
}

const daysFromNow = (days: number) => new Date(NOW_MS + days * DAY_MS).toISOString()

/** A named token that expires and was used yesterday; `more` overrides its fields. */
export const token = (name: string, more: Partial<Token> = {}): Token => ({
  ...DEFAULT_RIGHTS,
  id: 'an-id',
  name,
  addresses: [],
  created_at: daysFromNow(-21),
  idle_days: null,
  expires_at: daysFromNow(300),
  last_used_at: daysFromNow(-1),
  ...more,
})
