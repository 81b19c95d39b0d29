import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WantedFile } from './wanted-file.ts'
import type { SetupWorld } from './setup-world.ts'

type TermuxPaths = Pick<SetupWorld, 'home' | 'tree'> & { prefix: string }

/** Where Termux's runsvdir looks, where its logs lie, where our finish keeps its count. */
export const serviceFolder = (prefix: string) => join(prefix, 'var/service/shellphone')
export const logFolder = (prefix: string) => join(prefix, 'var/log/sv/shellphone')
export const stateFolder = (prefix: string) => join(prefix, 'var/run/shellphone')
export const bootFile = (home: string) => join(home, '.termux/boot/shellphone')

const SCRIPT_MODE = 0o700

/** The scripts of the runit service, as they are to lie in `folder`. */
export function serviceScripts(machine: TermuxPaths, folder: string): WantedFile[] {
  return ['run', 'finish', 'log/run'].map((name) => ({
    path: join(folder, name),
    text: rendered(machine, `service/${name}`),
    mode: SCRIPT_MODE,
  }))
}

/** What Termux:Boot is to run, with a wake lock or without. */
export function bootScript(machine: TermuxPaths, wakeLock: boolean): WantedFile {
  const text = rendered(machine, 'boot')
  const lines = text.split('\n').filter((line) => wakeLock || !line.includes('wake-lock'))
  return { path: bootFile(machine.home), text: lines.join('\n'), mode: SCRIPT_MODE }
}

/** Both that setup can write; empty where there is no Termux. */
export const bootScripts = ({ prefix, ...machine }: Pick<SetupWorld, 'home' | 'tree' | 'prefix'>): string[] =>
  prefix === undefined ? [] : [true, false].map((wakeLock) => bootScript({ ...machine, prefix }, wakeLock).text)

/** A script of termux/ with the paths of this machine in it; its first line names a shell that exists here. */
function rendered({ prefix, home, tree }: TermuxPaths, name: string): string {
  return readFileSync(join(tree, 'termux', name), 'utf8')
    .replace(/^.*/, () => `#!${prefix}/bin/sh`)
    .replaceAll('@PREFIX@', () => prefix)
    .replaceAll('@HOME@', () => home)
    .replaceAll('@TREE@', () => tree)
}
