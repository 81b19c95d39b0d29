import { ownersShell, warnings } from './host/index.ts'
import type { Config } from './settings.ts'
import { sleptMs } from '../shared/async/index.ts'
import type { LinkStatus } from '../shared/schema/index.ts'
import type { OpenedSpawner } from './spawn/index.ts'

interface FactsParts {
  settings: Config['settings']
  opened: OpenedSpawner
  /** the link to the fleet; null: the service is not in a fleet */
  fleet(): LinkStatus | null
  /** the number of unhandled promise rejections */
  rejections(): number
  /** the modules that have warnings */
  warnable: { warnings(): string[] }[]
}

/** Returns a function that returns what GET /health reports in addition to the pool. */
export function createFacts({
  settings,
  opened,
  fleet,
  rejections,
  warnable,
}: FactsParts): () => Record<string, unknown> {
  const { spawner, sandboxes, reason } = opened
  const lasting = warnings(process.platform, process.env, settings.host)
  return () => ({
    spawner: { name: spawner.name, reason },
    sandbox: { available: sandboxes.available, reason: sandboxes.reason },
    terminal: terminalFacts(opened, settings),
    slept_seconds: Math.round(sleptMs() / 1000),
    fleet: fleet() ?? undefined,
    warnings: [
      ...lasting,
      ...warnable.flatMap((one) => one.warnings()),
      ...[spawner.warning()].filter((warning) => warning !== null),
      ...rejectionWarnings(rejections()),
    ],
  })
}

/** Returns whether commands can have a terminal, the reason if they cannot, and the shell that the owner prefers. */
function terminalFacts({ noTerminal }: OpenedSpawner, { terminal, shell }: Config['settings']) {
  const reason = terminal === 'off' ? 'disabled (setting terminal)' : noTerminal
  return { available: reason === null, reason, shell: ownersShell(process.env, shell) }
}

const rejectionWarnings = (count: number) =>
  count > 0 ? [`internal errors of the service, with their stacks in its log: ${count}`] : []
