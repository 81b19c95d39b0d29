import { decide, type PolicySettings } from '../policy/index.ts'
import type { Decision, Finding, Who } from '../../shared/schema/index.ts'
import type { Command, CommandSession } from './command.ts'
import { createHourlyLimits } from './hourly-limits.ts'
import { createSubjects, type JudgeParts, readsUnder, settingsFor } from './judged-by.ts'
import { hiddenBy, realpathForCommands, realpathOrNull, scriptReader, type SeenScripts } from './lookups.ts'
import { onlyFinding, stricter } from './stricter.ts'
import { openingFinding } from './terminal-request.ts'

interface JudgeOptions {
  /** hypothetical settings, instead of the owner's */
  settings?: PolicySettings
  /** the caller whose command it is */
  who: Who
}

/** A decision, and the script files that were read for it. */
export interface DecisionWithScripts extends Decision {
  scripts: SeenScripts
}

export interface Judge {
  /** Combines the owner's guards with those of the dialect and the token. The strictest verdict wins. Counts nothing. */
  decide(command: Command, options: JudgeOptions): DecisionWithScripts
  /** Returns a test for whether all guards of this caller let a command read a file. Its path must contain no links. */
  reads(command: Command, who: Who): (path: string) => boolean
  /** Counts one action of this token against the hourly limits of the owner and the dialect. Does not count a refused action. */
  admit(command: Command, decision: Decision, token: string): Decision
}

/** Creates the judge of commands. Its only state is the times of each token's actions in the last hour. */
export function createJudge(parts: JudgeParts): Judge {
  const hourlyLimits = createHourlyLimits()
  const isHidden = hiddenBy([parts.serviceHome])
  const subjectOf = createSubjects(parts)
  const lookups = { realpath: realpathForCommands(realpathOrNull(parts.serviceHome) ?? parts.serviceHome) }
  const reads = (command: Command, who: Who, all: PolicySettings[]) =>
    readsUnder(all, subjectOf({ script: '' }, command, who), lookups)
  /** Judges with these additions; the `known` variables are only in the environment. */
  function judgeWith(
    command: Command,
    additions: Command['additions'],
    known: Record<string, string>,
    { settings, who }: JudgeOptions,
  ): DecisionWithScripts {
    const scripts: SeenScripts = new Map()
    const all = settingsFor(command, who, settings ?? parts.settings)
    const mayRead = (path: string) => reads(command, who, all)(path)
    const readFile = scriptReader(scripts, (real) => isHidden(real) || !mayRead(real))
    const stdin = command.stdin === null ? null : judgedStdin(command)
    const subject = subjectOf({ script: command.script, stdin, additions, known }, command, who)
    const [own, ...others] = all.map((one) => decide(subject, one, { ...lookups, readFile })) as [
      Decision,
      ...Decision[],
    ]
    const { ask } = command.dialectOptions
    if (ask) others.push(onlyFinding(approvalFinding(ask)))
    // listed first, because a person should first read that the command opens a terminal
    const first = command.tty ? stricter(onlyFinding(openingFinding(parts.service.terminal)), own) : own
    const decision = others.reduce(stricter, first)
    return { ...decision, guards: [...decision.guards, silentRate], scripts }
  }
  return {
    decide(command, options) {
      const decision = judgeWith(command, command.additions, {}, options)
      if (decision.verdict !== 'ask' || command.session === null) return decision
      const [known, others] = byKnowledge(command, command.session)
      if (Object.keys(known).length === 0) return decision
      const again = judgeWith(command, others, known, options)
      return again.verdict === 'allow' ? again : decision
    },
    reads: (command, who) => reads(command, who, settingsFor(command, who, parts.settings)),
    admit({ dialectOptions, dialect }, decision, token) {
      if (decision.verdict === 'deny') return decision
      const limits = [
        { counter: JSON.stringify([token]), most: parts.settings.max_actions_per_hour },
        { counter: JSON.stringify([token, dialect]), most: dialectOptions.policy.max_actions_per_hour ?? null },
      ]
      const refusal = hourlyLimits.count(
        limits.flatMap(({ counter, most }) => (most === null ? [] : { counter, most })),
      )
      return refusal ? stricter(decision, onlyFinding(tooMany(refusal.most, refusal.retryAfterMs))) : decision
    },
  }
}

/** Splits the additions into the variables of the session whose values are known, and all others. */
function byKnowledge({ additions }: Command, { turn, names }: CommandSession) {
  const known: Record<string, string> = {}
  const others: Record<string, string> = {}
  for (const [name, value] of Object.entries(additions ?? {})) {
    if (names.includes(name) && turn.known.includes(name)) known[name] = value
    else others[name] = value
  }
  return [known, others] as const
}

/** Returns the stdin that the guards see. Input that a person will type in a terminal is not part of the command. */
function judgedStdin({ stdin, tty }: Command) {
  if (Buffer.isBuffer(stdin)) return { text: stdin.toString() }
  return tty ? null : stdin
}

const silentRate: Finding = { guard: 'rate', verdict: 'allow', risk: 'low', rule: null, command: null, reason: null }

function tooMany(limit: number, retryAfterMs: number | null): Finding {
  const next = retryAfterMs === null ? 'no command may run' : `retry in ${Math.ceil(retryAfterMs / 1000)} s`
  const reason = `The hourly limit of ${limit} commands is reached; ${next}.`
  return { ...silentRate, verdict: 'deny', rule: 'max-actions-per-hour', reason }
}

function approvalFinding({ rule, reason }: { rule: string; reason: string }): Finding {
  return { guard: 'dialect', verdict: 'ask', risk: 'medium', rule, command: null, reason }
}
