import { type Finding, type Risk, UsageError, type Verdict, visible } from '../../shared/schema/index.ts'
import { connect, type ServiceLocation } from './connect-service.ts'

interface CheckResponse {
  verdict: Verdict
  risk: Risk
  opaque: boolean
  syntax_error: string | null
  guards: Finding[]
}

type Options = ReadonlyMap<string, string>

/** Not 2, which means invalid input. */
const exitCodes: Record<Verdict, number> = { allow: 0, deny: 1, ask: 4 }

/**
 * `shellphone check [--policy JSON|PRESET] COMMAND`: prints every rule that applies, and why, without running the command. Resolves with
 * the exit code: 0 allow, 1 deny, 4 ask. Throws UsageError (2), and ClientError (3) if the service does not respond.
 */
export async function check(place: ServiceLocation, operands: string[], options: Options): Promise<number> {
  const policy = options.get('policy')
  const command = operands.join(' ')
  const supposed = policy === undefined ? {} : { policy: toSettings(policy) }
  const answer = await connect(place).request<CheckResponse>('POST', '/policy/check', { command, ...supposed })
  console.log(options.has('json') ? JSON.stringify(answer) : describeDecision(answer))
  return exitCodes[answer.verdict]
}

function toSettings(policy: string): object {
  if (!policy.trim().startsWith('{')) return { policy }
  try {
    return JSON.parse(policy)
  } catch {
    throw new UsageError(
      `check: --policy: expected JSON or the name of a preset, got ${visible(policy)}; see shellphone check --help`,
    )
  }
}

function describeDecision({ verdict, risk, opaque, syntax_error, guards }: CheckResponse): string {
  const doubt = opaque ? ', not fully analysed' : ''
  const error = syntax_error === null ? [] : [`  syntax error: ${syntax_error}`]
  return [`${verdict} (risk ${risk}${doubt})`, ...error, ...guards.map(describeFinding)].join('\n')
}

/** One line per guard. If a rule applied, the command and the reason follow on their own lines. */
function describeFinding({ guard, verdict, risk, rule, command, reason }: Finding): string {
  if (rule === null) return `  ${verdict.padEnd(6)}${guard}`
  const about = command === null ? '' : `\n          command: ${visible(command)}`
  return `  ${verdict.padEnd(6)}${guard} / ${rule} (risk ${risk})${about}\n          reason: ${visible(reason ?? '-')}`
}
