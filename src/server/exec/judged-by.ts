import { dirname, join } from 'node:path'
import type { Settings } from '../config/index.ts'
import { decide, flavourAt, type Lookups, type PolicySettings, presetSettings, type Subject } from '../policy/index.ts'
import { shellWord, type Who } from '../../shared/schema/index.ts'
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

/** What a command brings with it. */
interface Contents extends Pick<Subject, 'script' | 'stdin'> {
  additions?: Command['additions']
  /** the variables whose values are in the environment without being judged again */
  known?: Command['additions']
}

/**
 * Returns a function that says what runs, where, and on which service. It names every field, because it is called for each command, and
 * with spreads of the shared ones a decision took 17 µs, now 11 µs (the command `true`).
 */
export function createSubjects(parts: JudgeParts): (contents: Contents, command: Command, who: Who) => Subject {
  const { home, serviceHome, servicePort, baseEnvironment } = parts
  const shellFlavour = flavourOf(parts.shell)
  // commands that call `sh` run the one in the same folder as the shell
  const shFlavour = flavourOf(join(dirname(parts.shell), 'sh'))
  return ({ script, stdin = null, additions, known }, { cwd, unset }, { approves }) => ({
    script,
    stdin,
    additions: additions ?? undefined,
    env: environmentFor(baseEnvironment, unset, { ...known, ...additions }),
    cwd,
    workspace: parts.service.working_directory,
    home,
    serviceHome,
    servicePid: process.pid,
    servicePort,
    byPerson: approves === 'all',
    shellFlavour,
    shFlavour,
  })
}

function environmentFor(base: Record<string, string>, unset: string[], additions: Record<string, string>) {
  if (unset.length === 0 && Object.keys(additions).length === 0) return base
  const env = { ...base, ...additions }
  for (const name of unset) delete env[name]
  return env
}

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
  const script = (path: string) => `< ${shellWord(path)}`
  // this redirection is not part of the command, so single_command does not apply to it
  const lets = (one: PolicySettings, path: string) =>
    decide({ ...place, script: script(path) }, { ...one, single_command: false }, lookups).verdict === 'allow'
  return (path) => all.every((one) => lets(one, path))
}
