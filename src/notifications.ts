import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { baseEnvironment, createNotifier, isPlainPath, type Notifier } from './exec/index.ts'
import { preloadLibrary } from './machine.ts'
import { runTool } from './spawn/index.ts'
import type { Approvals } from './store/index.ts'

/** Termux:API never answers where its app is missing, stopped or frozen (termux.md section 6). */
const TOOL_TIMEOUT_MS = 10_000
const TOOL_OUTPUT_BYTES = 1024
const REST_MS = 60_000
const NOT_SHOWN = 'questions do not show as notifications'

const silent = (...warnings: string[]): Notifier => ({ warnings: () => warnings, close: async () => {} })

/** Questions as notifications with Approve and Deny, where there is a termux-notification; elsewhere nothing, and on Android a warning. */
export function openNotifier(
  { settings }: Config,
  approvals: Approvals,
  address: () => AddressInfo,
  log: Logger,
): Notifier {
  if (!settings.approval_notifications || settings.approval_timeout_seconds === 0) return silent()
  const prefix = process.env.PREFIX
  const toolFolder = join(prefix ?? '/', 'bin')
  const curl = join(toolFolder, 'curl')
  if (!prefix || !existsSync(join(toolFolder, 'termux-notification'))) return silent(...missing())
  if (!existsSync(curl) || !isPlainPath(curl)) return silent(`${NOT_SHOWN}: their buttons need ${curl}`)
  const env = baseEnvironment({
    mode: 'minimal',
    service: process.env,
    keep: [],
    preload: preloadLibrary(process.platform, prefix),
  })
  const limits = { stdin: null, timeoutMs: TOOL_TIMEOUT_MS, maxOutputBytes: TOOL_OUTPUT_BYTES }
  return createNotifier({
    approvals,
    toolFolder,
    buttons: () => ({ curl, url: urlOf(address()) }),
    run: (argv, signal) => runTool({ argv, env, signal, ...limits }),
    probe: process.platform === 'android',
    restMs: REST_MS,
    log: (facts, sentence) => log.warn(facts, sentence),
  })
}

function missing(): string[] {
  if (process.platform !== 'android') return []
  return [`${NOT_SHOWN}: install the app Termux:API and its package (pkg install termux-api)`]
}

/** How this machine itself reaches an address that it listens at. */
function urlOf({ address, port }: AddressInfo): string {
  const own = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`
}
