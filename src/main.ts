#!/usr/bin/env node
import { homedir } from 'node:os'
import { helpText, readCommandLine } from './cli.ts'
import { readConfig, SettingError } from './config.ts'
import { settingRows } from './config-rows.ts'
import { tolerateHiddenInterfaces } from './network-interfaces.ts'
import { version } from './version.ts'

/** Subcommands by name; each is loaded when it is asked for. */
const subcommands: Record<string, (run: Invocation) => Promise<void>> = {
  serve: async (invocation) => (await import('./serve.ts')).serve(await config(invocation)),
  help: async ({ rows }) => console.log(helpText(rows)),
  version: async () => console.log(version),
}

interface Invocation {
  rows: ReturnType<typeof settingRows>
  flags: Map<string, string>
  operands: string[]
}

const machine = { platform: process.platform, home: process.env.HOME ?? homedir(), prefix: process.env.PREFIX }

const config = ({ flags }: Invocation) => readConfig(process.env, flags, machine)

/** Reads argv and the environment, here alone. What is wrong with them stops the start with one line. */
async function main(): Promise<void> {
  tolerateHiddenInterfaces()
  const rows = settingRows(machine)
  const { subcommand, flags, operands } = readCommandLine(process.argv.slice(2), rows, Object.keys(subcommands))
  await subcommands[subcommand]!({ rows, flags, operands })
}

main().catch((error) => {
  console.error(error instanceof SettingError ? `shellphone: ${error.message}` : error)
  process.exitCode = 1
})
