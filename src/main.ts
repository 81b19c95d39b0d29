#!/usr/bin/env node
import { endOnWriteError, runCommandLine, subcommandIn, subcommands, tolerateLostTerminal } from './cli/index.ts'
import { tolerateHiddenInterfaces } from './server/host/index.ts'

/** Only this file reads argv and the environment. An error in them ends the process with one printed line. */
async function main(): Promise<void> {
  tolerateHiddenInterfaces()
  tolerateLostTerminal()
  endOnWriteError(() => ownErrorCode() ?? 1)
  const exitCode = await runCommandLine(process.argv.slice(2))
  if (exitCode !== null) process.exitCode = exitCode
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
