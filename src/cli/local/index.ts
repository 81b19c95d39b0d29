/**
 * local: the subcommands that work on this machine: doctor, setup, config, man. To add one, write its file, export it here, and add its row to
 * subcommands/own-subcommands.ts.
 */
export { changeSetting } from './change-setting.ts'
export { type InstalledSettings, runDoctor } from './run-doctor.ts'
export { runImport } from './run-import.ts'
export { runSetup } from './run-setup.ts'
export { showConfig } from './show-config.ts'
export { writeManual } from './write-manual.ts'
