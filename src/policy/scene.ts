/** What a decision is about: one script, where it would run, under which settings, and what may be looked up. */
import { locate, type RealPath } from './paths.ts'
import type { Script, SimpleCommand, Word } from './script.ts'
import type { PolicySettings } from './settings.ts'

export interface Scene {
  script: Script
  cwd: string
  home: string
  /** Termux's $PREFIX; '/usr' elsewhere */
  prefix: string
  serviceHome: string
  servicePid: number
  settings: PolicySettings
  realpath: RealPath
}

/** Everywhere that a path of this command can lead; empty where the command's own directory is unknown. */
export function located(path: string, command: SimpleCommand, scene: Scene): string[] {
  if (path.startsWith('/')) return locate(path, '/', scene.realpath)
  const places = command.places ?? []
  return [
    ...new Set(
      places.flatMap((place) =>
        directories(place, scene).flatMap((directory) => locate(path, directory, scene.realpath)),
      ),
    ),
  ]
}

function directories(place: string, scene: Scene): string[] {
  return place === '' ? [scene.cwd] : locate(place, scene.cwd, scene.realpath)
}

/** The arguments of a command that are no options. */
export function operands(command: SimpleCommand): Word[] {
  const words = command.words.slice(1)
  const end = words.findIndex((word) => word.literal === '--')
  return words.filter((word, index) => (end >= 0 && index > end) || !/^-./.test(word.prefix))
}

/** Whether an option was given: a letter in a cluster of short ones, or a long one (also shortened, as GNU allows). */
export function hasOption(command: SimpleCommand, letters: string, ...long: string[]): boolean {
  return command.args.some((arg) => {
    if (arg.startsWith('--')) return arg.length > 3 && long.some((name) => name.startsWith(arg.replace(/=.*/s, '')))
    return /^-[A-Za-z0-9]/.test(arg) && [...letters].some((letter) => arg.includes(letter))
  })
}
