import { createHash } from 'node:crypto'
import {
  CANONICAL_DIALECT,
  type ApprovalOutcome,
  type ApprovalAnswer,
  type FileChange,
  type PendingApproval,
  type Risk,
  type Sandbox,
  type ScriptFile,
  toIso,
} from '../../shared/schema/index.ts'
import { newName } from './ids.ts'
import { cutCharacterBytes } from './output.ts'

/** At most this much of stdin is shown; its digest covers all of it. */
const MAX_STDIN_SHOWN_BYTES = 4096

/** Everything that an approval is bound to: any change makes it a different request. */
interface Binding {
  /** the exact script */
  script: string
  /** resolved working directory */
  cwd: string
  /** environment additions of the request */
  env: Record<string, string>
  /** the session, whose directory and variables `cwd` and `env` contain; absent: none. Its name is not bound */
  session?: PendingApproval['session']
  dialect: string
  /** the name of the caller's token */
  token: string
  /** the id of the caller's token, which the answer is bound to */
  tokenId: string
  /** the stdin of the command; `open`: not known yet; null: none */
  stdin: Buffer | 'open' | null
  sandbox: Pick<Sandbox, 'name' | 'network' | 'writable'>
  /** the script files that the command runs, as they were when the policy judged it */
  files: ScriptFile[]
  /** what a file tool would change; empty for a command */
  changes: FileChange[]
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** The digest of stdin; null if the command has no stdin or its content is not known yet. */
export const stdinDigest = ({ stdin }: Binding): string | null => (Buffer.isBuffer(stdin) ? sha256(stdin) : null)

/** One digest (SHA-256, hex) of everything that an approval is bound to. */
export function bindingDigest(binding: Binding): string {
  const { script, cwd, env, session, dialect, tokenId, stdin, sandbox, files, changes } = binding
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
    ...(session?.unset.length ? [['unset', ...session.unset]] : []),
    ...changes.map(({ path, before, after }) => [path, before, after]),
  ]
  return sha256(JSON.stringify(bound))
}

/** An approval request for a person. */
export interface ApprovalQuestion extends Binding {
  runId: string
  /** the policy rule that requires approval, its reason, and the risk of the command */
  rule: string | null
  reason: string | null
  risk: Risk | null
}

export interface HumanAnswer {
  decision: 'approve' | 'deny'
  scope: 'once' | 'always'
  by: string
  how: string
  /** the address of the client; absent: unknown */
  from?: string
}

export type ApprovalEvent =
  | { type: 'approval_requested'; approval: PendingApproval }
  | ({ type: 'approval_decided'; id: string; run_id: string } & ApprovalAnswer)

/** What listeners on this machine learn in addition: the token that sent the request, and the address of the client that answered. */
export interface AnswerContext {
  token: string
  from: string | null
}

/** The answer that ends a request; `who` is empty if no person answered. */
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

/** The fields that a request and a rule saved from it have in common. */
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

/** The request in wire format. `nowMs`: since 1970; it is denied after `ttlMs`, and a rule saved from it expires after `ruleMaxAgeMs`. */
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
  ...(question.session && { session: question.session }),
  stdin: toStdin(question),
  ...(question.changes.length > 0 && { changes: question.changes }),
  rule: question.rule,
  reason: question.reason,
  risk: question.risk,
  requested_at: toIso(nowMs),
  expires_at: toIso(nowMs + ttlMs),
  always: isRepeatable(question) ? { covers: covered(question), expires_at: toIso(nowMs + ruleMaxAgeMs) } : null,
})

/** No rule can cover open stdin, because its content is unknown, or a change of a file, because the file is another one afterwards. */
export const isRepeatable = ({ stdin, changes }: Binding): boolean => stdin !== 'open' && changes.length === 0

function toStdin(binding: Binding): PendingApproval['stdin'] {
  const { stdin } = binding
  if (!Buffer.isBuffer(stdin)) return stdin
  const shown = stdin.subarray(0, MAX_STDIN_SHOWN_BYTES)
  const cut = shown.length < stdin.length ? cutCharacterBytes(shown) : 0
  const text = shown.toString('utf8', 0, shown.length - cut)
  return { text, bytes: stdin.length, sha256: sha256(stdin) }
}

function covered({ cwd, dialect, token, stdin, files }: Binding): string {
  const parts = ['this environment', 'this sandbox']
  if (stdin !== null) parts.push('this stdin')
  if (files.length > 0) parts.push('these script files')
  const by = dialect === CANONICAL_DIALECT ? '' : `by ${dialect} `
  return `exactly this command, in ${cwd}, with ${parts.join(', ')}, ${by}with the token ${token}`
}
