import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WantedFile } from './wanted-file.ts'
import type { SetupWorld } from './setup-world.ts'

type TermuxPaths = Pick<SetupWorld, 'home' | 'tree'> & { prefix: string }

/** The directories of the log of the runit service, and of the crash count that our finish script stores. */
export const logFolder = (prefix: string) => join(prefix, 'var/log/sv/shellphone')
export const stateFolder = (prefix: string) => join(prefix, 'var/run/shellphone')
export const bootFile = (home: string) => join(home, '.termux/boot/shellphone')

const SCRIPT_MODE = 0o700

/** The scripts of the runit service in `folder`. */
export function serviceScripts(machine: TermuxPaths, folder: string): WantedFile[] {
  return ['run', 'finish', 'log/run'].map((name) => ({
    path: join(folder, name),
    text: rendered(machine, `service/${name}`),
    mode: SCRIPT_MODE,
  }))
}

/** The script for Termux:Boot, with or without a wake lock. */
export function bootScript(machine: TermuxPaths, wakeLock: boolean): WantedFile {
  const text = rendered(machine, 'boot')
  const lines = text.split('\n').filter((line) => wakeLock || !line.includes('wake-lock'))
  return { path: bootFile(machine.home), text: lines.join('\n'), mode: SCRIPT_MODE }
}

/** Both variants of the boot script; empty outside Termux. */
export const bootScripts = ({ prefix, ...machine }: Pick<SetupWorld, 'home' | 'tree' | 'prefix'>): string[] =>
  prefix === undefined ? [] : [true, false].map((wakeLock) => bootScript({ ...machine, prefix }, wakeLock).text)

/** A script from termux/ with this machine's paths, and with a first line that names an existing shell. */
function rendered({ prefix, home, tree }: TermuxPaths, name: string): string {
  return readFileSync(join(tree, 'termux', name), 'utf8')
    .replace(/^.*/, () => `#!${prefix}/bin/sh`)
    .replaceAll('@PREFIX@', () => prefix)
    .replaceAll('@HOME@', () => home)
    .replaceAll('@TREE@', () => tree)
}
