#!/usr/bin/env node
import {
  clientSubcommands,
  fleetSubcommand,
  ownSubcommands,
  readCommandLine,
  settingRows,
  subcommandIn,
  type Subcommands,
} from './cli/index.ts'
import { tolerateHiddenInterfaces } from './server/host/index.ts'

const { serve, mcp, doctor, setup, ...own } = ownSubcommands(() => subcommands)

/** Every subcommand, in the order of the help. To add one, add a row to own-subcommands.ts or client-subcommands.ts. */
const subcommands: Subcommands = {
  serve: serve!,
  ...clientSubcommands,
  mcp: mcp!,
  fleet: fleetSubcommand,
  doctor: doctor!,
  setup: setup!,
  ...own,
}

/** Only this file reads argv and the environment. An error in them ends the process with one printed line. */
async function main(): Promise<void> {
  tolerateHiddenInterfaces()
  const argv = process.argv.slice(2)
  const rows = subcommandIn(argv, subcommands).settings === 'all' ? await settingRows() : []
  const { name, invocation } = readCommandLine(argv, rows, subcommands)
  const exitCode = await subcommands[name]!.run(invocation)
  if (typeof exitCode === 'number') process.exitCode = exitCode
}

main().catch((error) => {
  const isExpected = 'exitCode' in error || 'syscall' in error // a failed system call is no fault of this program
  console.error(isExpected ? `shellphone: ${error.message}` : error)
  process.exitCode = isExpected ? (ownErrorCode() ?? error.exitCode ?? 1) : 1
})

/** The exit code of errors of the subcommand in argv. */
function ownErrorCode(): number | undefined {
  try {
    return subcommandIn(process.argv.slice(2), subcommands).ownErrorCode
  } catch {
    return undefined // an unknown subcommand
  }
}
