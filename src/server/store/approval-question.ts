import { createHash } from 'node:crypto'
import {
  type ApprovalOutcome,
  type ApprovalAnswer,
  type PendingApproval,
  type Risk,
  type Sandbox,
  type ScriptFile,
  toIso,
} from '../../shared/schema/index.ts'
import { newName } from './ids.ts'
import { cutCharacterBytes } from './output.ts'

/** So much of what is fed is shown; its digest covers all of it. */
const MAX_STDIN_SHOWN_BYTES = 4096

/** What an approval is bound to: change one letter of it and it is another question. */
interface Binding {
  /** the exact script */
  script: string
  /** resolved working directory */
  cwd: string
  /** environment additions of the request */
  env: Record<string, string>
  dialect: string
  /** whose token brought it: its name */
  token: string
  /** … and its id, to which the answer is bound */
  tokenId: string
  /** what is fed; `open`: nobody knows yet; null: nothing */
  stdin: Buffer | 'open' | null
  sandbox: Pick<Sandbox, 'name' | 'network' | 'writable'>
  /** script files that it runs, as they were when it was judged */
  files: ScriptFile[]
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** The digest of what is fed to it; null where that is nothing, or not known yet. */
export const stdinDigest = ({ stdin }: Binding): string | null => (Buffer.isBuffer(stdin) ? sha256(stdin) : null)

/** One digest (sha256, hex) of everything an approval is bound to. */
export function bindingDigest(binding: Binding): string {
  const { script, cwd, env, dialect, tokenId, stdin, sandbox, files } = binding
  const additions = Object.keys(env).sort()
  const bound = [
    script,
    cwd,
    additions.map((name) => [name, env[name]]),
    dialect,
    tokenId,
    stdin === 'open' ? stdin : [stdinDigest(binding)],
    [sandbox.name, sandbox.network, sandbox.writable],
    files.map(({ path, sha256 }) => [path, sha256]),
  ]
  return sha256(JSON.stringify(bound))
}

/** A question for a person. */
export interface ApprovalQuestion extends Binding {
  runId: string
  /** the policy rule that asks, its reason, and how dangerous it finds the command */
  rule: string | null
  reason: string | null
  risk: Risk | null
}

export interface PersonsAnswer {
  decision: 'approve' | 'deny'
  scope: 'once' | 'always'
  by: string
  how: string
}

export type ApprovalEvent =
  | { type: 'approval_requested'; approval: PendingApproval }
  | ({ type: 'approval_decided'; id: string; run_id: string } & ApprovalAnswer)

/** How a question ends; `who` is empty where nobody spoke. */
export const toAnswer = (
  outcome: ApprovalOutcome,
  nowMs: number,
  who: Partial<ApprovalAnswer> = {},
): ApprovalAnswer => ({
  approved: outcome === 'approved',
  outcome,
  by: null,
  how: null,
  at: toIso(nowMs),
  scope: null,
  saved_rule: null,
  ...who,
})

/** What the question and the rule that it may become tell alike. */
export const toApprovalRequest = ({ script, cwd, dialect, token, sandbox, files }: Binding) => ({
  command: script,
  working_directory: cwd,
  dialect,
  token,
  sandbox: sandbox.name,
  network: sandbox.network,
  writable: sandbox.writable,
  files,
})

/** The question in the wire's words. `nowMs`: since 1970; silence for `ttlMs` is no, a rule made of it holds for `ruleMaxAgeMs`. */
export const toPending = (
  question: ApprovalQuestion,
  nowMs: number,
  { ttlMs, ruleMaxAgeMs }: { ttlMs: number; ruleMaxAgeMs: number },
): PendingApproval => ({
  id: newName(),
  run_id: question.runId,
  ...toApprovalRequest(question),
  token_id: question.tokenId,
  env: question.env,
  stdin: toStdin(question),
  rule: question.rule,
  reason: question.reason,
  risk: question.risk,
  requested_at: toIso(nowMs),
  expires_at: toIso(nowMs + ttlMs),
  always: isRepeatable(question) ? { covers: covered(question), expires_at: toIso(nowMs + ruleMaxAgeMs) } : null,
})

/** Nobody knows what will be fed to a command whose stdin stays open, so that no rule can cover it. */
export const isRepeatable = ({ stdin }: Binding): boolean => stdin !== 'open'

function toStdin(binding: Binding): PendingApproval['stdin'] {
  const { stdin } = binding
  if (!Buffer.isBuffer(stdin)) return stdin
  const shown = stdin.subarray(0, MAX_STDIN_SHOWN_BYTES)
  const cut = shown.length < stdin.length ? cutCharacterBytes(shown) : 0
  const text = shown.toString('utf8', 0, shown.length - cut)
  return { text, bytes: stdin.length, sha256: sha256(stdin) }
}

function covered({ cwd, dialect, token, stdin, files }: Binding): string {
  const same = ['this environment', 'this sandbox']
  if (stdin !== null) same.push('this stdin')
  if (files.length > 0) same.push('these script files')
  return `exactly this command, in ${cwd}, with ${same.join(', ')}, by ${dialect} with the token ${token}`
}
