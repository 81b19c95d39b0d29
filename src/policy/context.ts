/** What a decision is about: one script, where it would run, under which settings, and what may be looked up. */
import { locate, type RealPath } from './guards/paths.ts'
import type { PolicySettings } from './settings.ts'
import type { Script, SimpleCommand } from './shell/script.ts'

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
