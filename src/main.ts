#!/usr/bin/env node
import { helpText, readCommandLine, type SubcommandHelp } from './cli.ts'
import type { Place } from './client/index.ts'
import { homeFolder, termuxPrefix, tolerateHiddenInterfaces } from './host/index.ts'
import { MARK_NAME, SettingError, type SettingRow } from './schema/index.ts'
import type { Serving } from './serve.ts'
import { allSettings, readConfig } from './settings.ts'
import { version } from './version.ts'

interface Invocation {
  rows: SettingRow[]
  flags: Map<string, string>
  operands: string[]
}

/** One subcommand: its line of the help, and what it does; what that needs is loaded when it is asked for. */
interface Subcommand extends SubcommandHelp {
  /** resolves with the exit code, if it has one to give */
  run(invocation: Invocation): Promise<unknown>
}

const subcommands: Record<string, Subcommand> = {
  serve: {
    usage: 'serve',
    meaning: 'Serves until a signal; it is what no subcommand means',
    run: async ({ flags }) => (await import('./serve.ts')).serve(await config(flags)),
  },
  approvals: {
    usage: 'approvals',
    meaning: 'Shows what waits for a person, and takes y, n or a (always)',
    more: ['approvals list|rules', 'approvals approve ID [--always]', 'approvals deny ID', 'approvals revoke RULE'],
    run: async ({ flags, operands }) => {
      const always = flags.delete('always')
      const { approvals } = await import('./client/index.ts')
      return approvals(await place(flags), operands, always)
    },
  },
  check: {
    usage: "check 'COMMAND' [--policy PRESET|JSON]",
    meaning: 'Prints every rule that would speak, and why; exit code 0 allow, 1 deny, 2 ask, 3 no answer',
    run: async ({ flags, operands }) => {
      const policy = flags.get('policy')
      flags.delete('policy')
      const { check } = await import('./client/index.ts')
      return check(await place(flags), operands, policy)
    },
  },
  mcp: {
    usage: 'mcp',
    meaning:
      'Speaks MCP over stdin and stdout for the service of these settings; where none runs, for one in this process',
    run: async ({ flags }) => {
      const { findService, mcp } = await import('./client/index.ts')
      let here: Serving | null = null
      const start = async () => {
        const { serve, STDERR } = await import('./serve.ts')
        here = await serve(await config(flags.set('host', '127.0.0.1')), STDERR)
        return { url: here.url, headers: { authorization: `Bearer ${here.token}` } }
      }
      await mcp({ running: findService(await place(flags)), start }, process.stdin, process.stdout)
      await (here as Serving | null)?.close()
      process.exit()
    },
  },
  help: { usage: 'help', meaning: 'Prints this', run: async ({ rows }) => console.log(helpText(rows, helps)) },
  version: { usage: 'version', meaning: 'Prints the version', run: async () => console.log(version) },
}
const helps = Object.values(subcommands)

const machine = { platform: process.platform, home: homeFolder(process.env), prefix: termuxPrefix(process.env) }

const config = (flags: Map<string, string>) => readConfig(process.env, flags, machine)

/** Where the service of these settings is, for its own command line. */
async function place(flags: Map<string, string>): Promise<Place> {
  const { settings, home, token } = await config(flags)
  const person = process.env.USER ?? process.env.LOGNAME ?? 'owner'
  const isInsideRun = process.env[MARK_NAME] !== undefined
  return { host: settings.host, port: settings.port, home, token, person, isInsideRun }
}

/** Reads argv and the environment, here alone. What is wrong with them stops the start with one line. */
async function main(): Promise<void> {
  tolerateHiddenInterfaces()
  const rows = allSettings(machine)
  const { subcommand, flags, operands } = readCommandLine(process.argv.slice(2), rows, Object.keys(subcommands))
  const exitCode = await subcommands[subcommand]!.run({ rows, flags, operands })
  if (typeof exitCode === 'number') process.exitCode = exitCode
}

main().catch((error) => {
  const isExpected = error instanceof SettingError || 'exitCode' in error
  console.error(isExpected ? `shellphone: ${error.message}` : error)
  process.exitCode = error.exitCode ?? 1
})
