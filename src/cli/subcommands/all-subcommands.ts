import type { Subcommands } from '../parser/index.ts'
import { clientSubcommands } from './client-subcommands.ts'
import { fleetSubcommand } from './fleet-subcommand.ts'
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
