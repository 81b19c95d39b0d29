import { dirname, join } from 'node:path'
import { decide, flavourAt, type PolicySettings, type PresetName, presetSettings } from '../policy/index.ts'
import type { Settings } from '../config/index.ts'
import { type Decision, type Finding, risks, strictness } from '../schema/index.ts'
import type { Command } from './command.ts'
import { createHourlyLimits } from './hourly-limits.ts'
import { hiddenBy, readScript, realpathForCommands, realpathOrNull, type SeenScripts } from './lookups.ts'
import { openingFinding } from './terminal-request.ts'

interface JudgeParts {
  settings: PolicySettings
  /** what is said of opening a terminal */
  openings: Pick<Settings, 'terminal'>
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

interface JudgeWish {
  /** to suppose instead of the owner's */
  settings?: PolicySettings
  /** what is read of the scripts that the command runs is noted there */
  seen?: SeenScripts
  /** of the token that brought it; null: the owner's settings alone */
  preset?: PresetName | null
}

export interface Judge {
  /** The owner's guards and the dialect's, the strictest wins. Counts nothing. */
  decide(command: Command, wish?: JudgeWish): Decision
  /** Counts one action of this token against the owner's hourly limit and the dialect's; a refused one is not counted. */
  admit(command: Command, decision: Decision, token: string): Decision
}

/** Command → Decision. It keeps the one state that policy needs: when each token's actions of the last hour were. */
export function createJudge(parts: JudgeParts): Judge {
  const hourlyLimits = createHourlyLimits()
  const nothingOn = presetSettings('open')
  const isHidden = hiddenBy([parts.serviceHome])
  const realpath = realpathForCommands(realpathOrNull(parts.serviceHome) ?? parts.serviceHome)
  const flavours = {
    shellFlavour: flavourOf(parts.shell),
    // what commands call `sh` lies in the same folder
    shFlavour: flavourOf(join(dirname(parts.shell), 'sh')),
  }
  return {
    decide(command, { settings = parts.settings, seen = new Map(), preset = null } = {}) {
      const readFile = (path: string) => readScript(path, seen, isHidden)
      const lookups = { realpath, readFile }
      const { additions, stdin } = command
      const subject = {
        script: command.script,
        cwd: command.cwd,
        home: parts.home,
        env: additions ? { ...parts.baseEnvironment, ...additions } : parts.baseEnvironment,
        serviceHome: parts.serviceHome,
        servicePid: process.pid,
        servicePort: parts.servicePort,
        ...flavours,
        ...(additions && { additions }),
        stdin: stdin === null ? null : fedTo(command),
      }
      const own = decide(subject, settings, lookups)
      const { policy, ask } = command.wish
      // a dialect's own guards, beside the owner's: what it switches on, and nothing else
      const theirs = Object.keys(policy).length > 0 ? [decide(subject, { ...nothingOn, ...policy }, lookups)] : []
      if (preset !== null) theirs.push(decide(subject, presetSettings(preset), lookups))
      if (ask) theirs.push(onlyFinding(wishToAsk(ask)))
      // that it opens a terminal is the first thing that a person hears
      const first = command.tty ? stricter(onlyFinding(openingFinding(parts.openings.terminal)), own) : own
      const all = theirs.reduce(stricter, first)
      return { ...all, guards: [...all.guards, silentRate] }
    },
    admit({ wish, dialect }, decision, token) {
      if (decision.verdict === 'deny') return decision
      const limits = [
        { counter: JSON.stringify([token]), most: parts.settings.max_actions_per_hour },
        { counter: JSON.stringify([token, dialect]), most: wish.policy.max_actions_per_hour ?? null },
      ]
      const refusal = hourlyLimits.count(
        limits.flatMap(({ counter, most }) => (most === null ? [] : { counter, most })),
      )
      return refusal ? stricter(decision, onlyFinding(tooMany(refusal.most, refusal.retryAfterMs))) : decision
    },
  }
}

/** What guards are told of its stdin; what will be typed in a terminal is no part of the command. */
function fedTo({ stdin, tty }: Command) {
  if (Buffer.isBuffer(stdin)) return { text: stdin.toString() }
  return tty ? null : stdin
}

/** Which shell a path leads to; null: none of those that are known. */
function flavourOf(path: string) {
  const real = realpathOrNull(path)
  return real === null ? null : flavourAt(real)
}

const silentRate: Finding = { guard: 'rate', verdict: 'allow', risk: 'low', rule: null, command: null, reason: null }

function tooMany(limit: number, retryAfterMs: number | null): Finding {
  const again = retryAfterMs === null ? 'never' : `in ${Math.ceil(retryAfterMs / 1000)} s`
  const reason = `more than ${limit} commands within an hour; the next one is possible ${again}`
  return { ...silentRate, verdict: 'deny', rule: 'max-actions-per-hour', reason }
}

function wishToAsk({ rule, reason }: { rule: string; reason: string }): Finding {
  return { guard: 'dialect', verdict: 'ask', risk: 'medium', rule, command: null, reason }
}

const onlyFinding = (finding: Finding): Decision => ({ ...finding, opaque: false, guards: [finding] })

/** Of two decisions about one command the stricter speaks; every finding of both stays listed. */
function stricter(a: Decision, b: Decision): Decision {
  const speaker = strictness[b.verdict] > strictness[a.verdict] ? b : a
  const risk = risks[Math.max(risks.indexOf(a.risk), risks.indexOf(b.risk))]!
  return { ...speaker, risk, opaque: a.opaque || b.opaque, guards: joined([...a.guards, ...b.guards]) }
}

/** Each rule once for each command, as strict as it was anywhere; a guard that was silent everywhere, once. */
function joined(findings: Finding[]): Finding[] {
  const found = new Map<string, Finding>()
  const spoke = new Set<string>()
  for (const { rule, guard } of findings) if (rule !== null) spoke.add(guard)
  for (const finding of findings) {
    if (finding.rule === null && spoke.has(finding.guard)) continue
    const key = JSON.stringify([finding.guard, finding.rule, finding.command])
    const known = found.get(key)
    if (!known || strictness[finding.verdict] > strictness[known.verdict]) found.set(key, finding)
  }
  return [...found.values()]
}
