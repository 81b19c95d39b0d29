/**
 * local: the subcommands that do their work on this machine: doctor, setup, config. To add one, write its file, name it here, add its row in
 * subcommands/own-subcommands.ts.
 */
export { type InstalledSettings as Settled, runDoctor } from './run-doctor.ts'
export { runSetup } from './run-setup.ts'
export { showConfig } from './show-config.ts'
