import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { baseEnvironment } from './exec/index.ts'
import { type Home, preloadLibrary, urlOf } from './host/index.ts'
import { commandWay, type Notifier, openNotifier, tellElsewhere, together, urlWay, type Way } from './notify/index.ts'
import type { Config } from './settings.ts'
import { runTool } from './spawn/index.ts'
import type { Approvals } from './store/index.ts'
import { openTools } from './tools.ts'

/** Termux:API never answers where its app is missing, stopped or frozen. */
const TOOL_LIMITS = { stdin: null, timeoutMs: 10_000, maxOutputBytes: 1024 }
const COMMAND_MS = 10_000

/** What a notification has to know of where the service is. */
interface Whereabouts {
  /** where it listens, once it does */
  address(): AddressInfo
  /** where a person elsewhere opens its page */
  page(): Promise<string>
}

/** Questions told to people, in every way that the settings want. */
export function openNotifications(
  { settings }: Config,
  questions: Approvals,
  home: Home,
  where: Whereabouts,
  log: Logger,
): Notifier {
  if (settings.approval_timeout_seconds === 0) return together([]) // nobody is asked
  const warn = (facts: Record<string, unknown>, sentence: string) => log.warn(facts, sentence)
  const elsewhere = waysOf(settings, where).map((way) => tellElsewhere(questions, way, warn))
  const onScreen = settings.approval_notifications ? [openScreen(questions, home, where, warn)] : []
  return together([...onScreen, ...elsewhere])
}

/** On the phone's own screen. */
function openScreen(
  questions: Approvals,
  home: Home,
  { address }: Whereabouts,
  log: (facts: Record<string, unknown>, sentence: string) => void,
): Notifier {
  const { platform } = process
  const prefix = process.env.PREFIX
  const preload = preloadLibrary(platform, prefix)
  const env = baseEnvironment({ mode: 'minimal', service: process.env, keep: [], preload })
  return openNotifier({
    questions,
    platform,
    prefix,
    folder: join(home.directory, 'buttons'),
    url: () => urlOf(address().address, address().port),
    run: (argv, signal) => runTool({ argv, env, signal, ...TOOL_LIMITS }),
    log,
  })
}

function waysOf({ approval_command: argv, approval_url: url }: Config['settings'], { page }: Whereabouts): Way[] {
  const { run } = openTools(process.env)
  return [
    ...(argv?.length ? [commandWay((stdin, signal) => run(argv, COMMAND_MS, {}, { stdin, signal }))] : []),
    ...(url === null ? [] : [urlWay(url, page)]),
  ]
}
