import { readCommandLine, subcommandIn, type Subcommands } from '../parser/index.ts'
import { clientSubcommands } from './client-subcommands.ts'
import { fleetSubcommand } from './fleet-subcommand.ts'
import { settingRows } from './locate-service.ts'
import { ownSubcommands } from './own-subcommands.ts'

const { serve, mcp, doctor, setup, ...own } = ownSubcommands(() => subcommands)

/** Every subcommand, in the order of the help. To add one, add a row to own-subcommands.ts or client-subcommands.ts. */
export const subcommands: Subcommands = {
  serve: serve!,
  ...clientSubcommands,
  mcp: mcp!,
  fleet: fleetSubcommand,
  doctor: doctor!,
  setup: setup!,
  ...own,
}

/** Runs the subcommand in argv. Resolves with its exit code; null: it has none of its own. Rejects with UsageError for a wrong command line. */
export async function runCommandLine(argv: string[]): Promise<number | null> {
  const rows = subcommandIn(argv, subcommands).settings === 'all' ? await settingRows() : []
  const { name, invocation } = readCommandLine(argv, rows, subcommands)
  const exitCode = await subcommands[name]!.run(invocation)
  return typeof exitCode === 'number' ? exitCode : null
}
