#!/usr/bin/env node
import { join } from 'node:path'
import { helpText, readCommandLine, type SubcommandHelp } from './cli.ts'
import type { Place } from './client/index.ts'
import { homeFolder, termuxPrefix, tolerateHiddenInterfaces } from './host/index.ts'
import { MARK_NAME, SettingError, type SettingRow } from './schema/index.ts'
import type { Settled } from './run-doctor.ts'
import { allSettings, type Config, readConfig } from './settings.ts'
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
  doctor: {
    usage: 'doctor [--json]',
    meaning: 'Looks for what can go wrong here, and says what to do; exit code 0, 1 warnings, 2 errors',
    run: async ({ flags }) => {
      const json = flags.delete('json')
      const { runDoctor } = await import('./run-doctor.ts')
      return runDoctor(await installed(flags), json)
    },
  },
  setup: {
    usage: 'setup [--lan|--local] [--port N]',
    meaning: 'Makes it a service that starts by itself (Termux, systemd); shows each change first',
    more: [
      'setup --upgrade (restarts it onto what is installed)',
      'setup --undo [--purge]',
      'setup --yes --no-start --no-wake-lock|--wake-lock',
    ],
    run: async ({ flags, operands }) => {
      const { runSetup } = await import('./run-setup.ts')
      const { examine } = await import('./run-doctor.ts')
      return runSetup(flags, operands, process.env, async () => examine(await installed(new Map())))
    },
  },
  help: { usage: 'help', meaning: 'Prints this', run: async ({ rows }) => console.log(helpText(rows, helps)) },
  version: { usage: 'version', meaning: 'Prints the version', run: async () => console.log(version) },
}
const helps = Object.values(subcommands)

const machine = { platform: process.platform, home: homeFolder(process.env), prefix: termuxPrefix(process.env) }

const config = (flags: Map<string, string>, env: NodeJS.ProcessEnv = process.env) => readConfig(env, flags, machine)

/** Settings as the installed service has them: setup gave it some that a terminal's environment lacks. */
async function installed(flags: Map<string, string>): Promise<Settled> {
  const { keptSettings } = await import('./setup/index.ts')
  const env = { ...keptSettings({ ...machine, env: process.env }), ...process.env }
  const defaults = async () => ({
    ...(await config(new Map(), { SHELLPHONE_HOME: '/nonexistent' })),
    home: env.SHELLPHONE_HOME ?? join(machine.home, '.shellphone'),
  })
  return { env, read: () => config(flags, env), defaults, placeOf }
}

/** Where the service of these settings is, for its own command line. */
const place = async (flags: Map<string, string>) => placeOf(await (await installed(flags)).read())

function placeOf({ settings, home, token }: Config): Place {
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
