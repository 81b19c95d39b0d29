import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { baseEnvironment } from './exec/index.ts'
import { type Home, preloadLibrary, urlOf } from './host/index.ts'
import {
  combineNotifiers,
  commandChannel,
  createRemoteNotifier,
  type Notifier,
  type NotifyChannel,
  openNotifier,
  urlChannel,
} from './notify/index.ts'
import type { Config } from './settings.ts'
import { runTool } from './spawn/index.ts'
import type { Approvals } from './store/index.ts'
import { openTools } from './tools.ts'

/** Limits for Termux:API, which never responds if its app is missing, stopped or frozen. */
const TOOL_LIMITS = { stdin: null, timeoutMs: 10_000, maxOutputBytes: 1024 }
const COMMAND_MS = 10_000

/** The service's addresses, for notifications. */
interface ServiceAddresses {
  /** the address on which the service listens, once it listens */
  address(): AddressInfo
  /** the URL at which a person on another device opens the page */
  page(): Promise<string>
}

/** Notifies people of pending approvals through every channel that the settings configure. */
export function openNotifications(
  { settings }: Config,
  approvals: Approvals,
  home: Home,
  addresses: ServiceAddresses,
  log: Logger,
): Notifier {
  const warn = (facts: Record<string, unknown>, sentence: string) => log.warn(facts, sentence)
  const remote = channelsOf(settings, addresses).map((channel) => createRemoteNotifier(approvals, channel, warn))
  const onScreen = settings.approval_notifications ? [openScreen(approvals, home, addresses, warn)] : []
  return combineNotifiers([...onScreen, ...remote])
}

/** Opens the notifier for the phone's own screen. */
function openScreen(
  approvals: Approvals,
  home: Home,
  { address }: ServiceAddresses,
  log: (facts: Record<string, unknown>, sentence: string) => void,
): Notifier {
  const { platform } = process
  const prefix = process.env.PREFIX
  const preload = preloadLibrary(platform, prefix)
  const env = baseEnvironment({ mode: 'minimal', service: process.env, keep: [], preload })
  return openNotifier({
    approvals,
    platform,
    prefix,
    folder: join(home.directory, 'buttons'),
    url: () => urlOf(address().address, address().port),
    run: (argv, signal) => runTool({ argv, env, signal, ...TOOL_LIMITS }),
    log,
  })
}

function channelsOf(
  { approval_command: argv, approval_url: url }: Config['settings'],
  { page }: ServiceAddresses,
): NotifyChannel[] {
  const { run } = openTools(process.env)
  return [
    ...(argv?.length ? [commandChannel((stdin, signal) => run(argv, COMMAND_MS, {}, { stdin, signal }))] : []),
    ...(url === null ? [] : [urlChannel(url, page)]),
  ]
}
