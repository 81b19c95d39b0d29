import { dirname, join } from 'node:path'
import type { Settings } from '../config/index.ts'
import { decide, flavourAt, type Lookups, type PolicySettings, presetSettings, type Subject } from '../policy/index.ts'
import type { Who } from '../../shared/schema/index.ts'
import type { Command } from './command.ts'
import { realpathOrNull } from './lookups.ts'

export interface JudgeParts {
  settings: PolicySettings
  /** what is said of opening a terminal, and where the workspace is that the policy names none of */
  service: Pick<Settings, 'terminal' | 'working_directory'>
  /** absolute path of the shell that runs the commands */
  shell: string
  /** $HOME of the commands */
  home: string
  /** $SHELLPHONE_HOME: commands must not touch it */
  serviceHome: string
  /** what it listens on; 0: the system chooses */
  servicePort: number
  baseEnvironment: Record<string, string>
}

/** What of a subject a caller decides, or their token. */
type OfCaller = Pick<Subject, 'cwd' | 'byPerson'>
type SharedSubject = Omit<Subject, keyof OfCaller | 'script'>

/** What is the same for every command of this service; the working directory is the one that is set now. */
export function placeOf(parts: JudgeParts): SharedSubject {
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
    // what commands call `sh` lies in the same folder
    shFlavour: flavourOf(join(dirname(parts.shell), 'sh')),
  }
}

export const ofCaller = ({ cwd }: Command, { approves }: Who): OfCaller => ({ cwd, byPerson: approves === 'all' })

/** Which shell a path leads to; null: none of those that are known. */
function flavourOf(path: string) {
  const real = realpathOrNull(path)
  return real === null ? null : flavourAt(real)
}

const nothingOn = presetSettings('open')

/** The owner's settings, what a dialect switches on beside them, and the preset of the token, which keeps the owner's workspace. */
export function settingsFor({ wish: { policy } }: Command, who: Who, owners: PolicySettings): PolicySettings[] {
  const { workspace_dir, allowed_paths } = owners
  const dialects = Object.keys(policy).length > 0 ? [{ ...nothingOn, ...policy }] : []
  const preset = who.policy === null ? [] : [{ ...presetSettings(who.policy), workspace_dir, allowed_paths }]
  return [owners, ...dialects, ...preset]
}

/** Whether all of these settings let a command read a file, whichever program it is. */
export function readsUnder(
  all: PolicySettings[],
  place: Omit<Subject, 'script'>,
  lookups: Lookups,
): (path: string) => boolean {
  const script = (path: string) => `< '${path.replaceAll("'", "'\\''")}'`
  // the redirection is no syntax of the command's own
  const lets = (one: PolicySettings, path: string) =>
    decide({ ...place, script: script(path) }, { ...one, single_command: false }, lookups).verdict === 'allow'
  return (path) => all.every((one) => lets(one, path))
}
