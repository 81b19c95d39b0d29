import { dirname, join } from 'node:path'
import type { Settings } from '../config/index.ts'
import { decide, flavourAt, type Lookups, type PolicySettings, presetSettings, type Subject } from '../policy/index.ts'
import type { Who } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import { realpathOrNull } from './lookups.ts'

export interface JudgeParts {
  settings: PolicySettings
  /** the terminal setting, and the working directory, which is the workspace unless the policy sets one */
  service: Pick<Settings, 'terminal' | 'working_directory'>
  /** absolute path of the shell that runs the commands */
  shell: string
  /** $HOME of the commands */
  home: string
  /** $SHELLPHONE_HOME, which commands must not access */
  serviceHome: string
  /** the port of the service; 0: the system chooses it */
  servicePort: number
  baseEnvironment: Record<string, string>
}

/** The part of a subject that depends on the caller or their token. */
type OfCaller = Pick<Subject, 'cwd' | 'byPerson'>
type SharedSubject = Omit<Subject, keyof OfCaller | 'script'>

/** The part of a subject that is the same for every command of this service, with the current working directory. */
export function sharedSubject(parts: JudgeParts): SharedSubject {
  return {
    get workspace() {
      return parts.service.working_directory
    },
    home: parts.home,
    env: parts.baseEnvironment,
    serviceHome: parts.serviceHome,
    servicePid: process.pid,
    servicePort: parts.servicePort,
    shellFlavour: flavourOf(parts.shell),
    // commands that call `sh` run the one in the same folder as the shell
    shFlavour: flavourOf(join(dirname(parts.shell), 'sh')),
  }
}

export const ofCaller = ({ cwd }: Command, { approves }: Who): OfCaller => ({ cwd, byPerson: approves === 'all' })

/** Returns the kind of shell at a path; null: unknown. */
function flavourOf(path: string) {
  const real = realpathOrNull(path)
  return real === null ? null : flavourAt(real)
}

const nothingOn = presetSettings('open')

/** Returns the owner's settings, the settings that a dialect adds, and the token's preset with the owner's workspace. */
export function settingsFor(
  { dialectOptions: { policy } }: Command,
  who: Who,
  owners: PolicySettings,
): PolicySettings[] {
  const { workspace_dir, allowed_paths } = owners
  const dialects = Object.keys(policy).length > 0 ? [{ ...nothingOn, ...policy }] : []
  const preset = who.policy === null ? [] : [{ ...presetSettings(who.policy), workspace_dir, allowed_paths }]
  return [owners, ...dialects, ...preset]
}

/** Returns a test for whether all of these settings let a command read a file, regardless of the program that reads it. */
export function readsUnder(
  all: PolicySettings[],
  place: Omit<Subject, 'script'>,
  lookups: Lookups,
): (path: string) => boolean {
  const script = (path: string) => `< '${path.replaceAll("'", "'\\''")}'`
  // this redirection is not part of the command, so single_command does not apply to it
  const lets = (one: PolicySettings, path: string) =>
    decide({ ...place, script: script(path) }, { ...one, single_command: false }, lookups).verdict === 'allow'
  return (path) => all.every((one) => lets(one, path))
}
