import { type PendingApproval, type SavedRule, visible } from '../../shared/schema/index.ts'

/** BAR starts each line of a value, so that an agent cannot write text to the left of it. BROKEN_BAR starts the rest of a wrapped line. */
const BAR = '│ '
const BROKEN_BAR = '┆ '
const NAME_WIDTH = 10
const MIN_VALUE_WIDTH = 20

/** Formats an approval request for a person: everything that the answer is bound to, wrapped at `columns`, with control characters escaped. */
export function describeApproval(approval: PendingApproval, columns: number, nowMs: number): string {
  const { always } = approval
  return describe(columns, [
    ['request', `${approval.id} (run ${approval.run_id})`],
    ['command', approval.command],
    ['directory', approval.working_directory],
    ...Object.entries(approval.env).map(([name, value]): LabelledValue => ['env', `${name}=${value}`]),
    ...stdinRows(approval),
    ...boundRows(approval),
    ['rule', `${approval.rule ?? '-'}: ${approval.reason ?? '-'}`],
    ['risk', approval.risk ?? 'unknown'],
    [
      'always',
      always ? `would save: ${always.covers}, until ${always.expires_at}` : 'not available while stdin stays open',
    ],
    ['time', `${secondsLeft(approval, nowMs)} s left`],
  ])
}

/** Formats a saved approval for `shellphone approvals rules`. */
export function describeRule(rule: Omit<SavedRule, 'digest'>, columns: number): string {
  return describe(columns, [
    ['rule', rule.id],
    ['command', rule.command],
    ['directory', rule.working_directory],
    ...(rule.env_names.length > 0 ? [['env', rule.env_names.join(' ')] as LabelledValue] : []),
    ...(rule.stdin_sha256 === null ? [] : [['stdin', `sha256 ${rule.stdin_sha256}`] as LabelledValue]),
    ...boundRows(rule),
    ['asked by', rule.rule ?? '-'],
    ['saved', `${rule.created_at} by ${rule.by} (${rule.how}), until ${rule.expires_at}`],
  ])
}

/** The command's stdin, with its size and hash. */
function stdinRows({ stdin }: PendingApproval): LabelledValue[] {
  if (stdin === null) return []
  if (stdin === 'open') return [['stdin', 'stays open: the holder of the token can send input during the run']]
  const { text, bytes, sha256 } = stdin
  const shown = Buffer.byteLength(text)
  const more = shown < bytes ? `, of which the first ${shown} are shown` : ''
  return [
    ['stdin', text],
    ['digest', `${bytes} bytes${more}, sha256 ${sha256}`],
  ]
}

function boundRows({ files, sandbox, network, writable, dialect }: Bound): LabelledValue[] {
  return [
    ...files.map(({ path, sha256 }): LabelledValue => ['script', `${path} (sha256 ${sha256})`]),
    ['sandbox', sandbox === 'none' ? 'none' : `${sandbox}, ${network ? 'with' : 'without'} network`],
    ...writable.map((path): LabelledValue => ['writable', path]),
    ['dialect', dialect],
  ]
}

type Bound = Pick<PendingApproval, 'files' | 'sandbox' | 'network' | 'writable' | 'dialect'>

/** Whole seconds until the service denies the unanswered request. */
export const secondsLeft = ({ expires_at }: PendingApproval, nowMs: number): number =>
  Math.max(0, Math.ceil((Date.parse(expires_at) - nowMs) / 1000))

type LabelledValue = [name: string, value: string]

function describe(columns: number, rows: LabelledValue[]): string {
  const width = Math.max(MIN_VALUE_WIDTH, columns - NAME_WIDTH - BAR.length - 1)
  return rows.flatMap(([name, value]) => field(name, value, width)).join('\n')
}

/** Preserves the lines of a script, but wraps long ones, because the terminal would wrap them without the bar. */
function field(name: string, value: string, width: number): string[] {
  const lines = value
    .split('\n')
    .flatMap((line) => broken(visible(line), width).map((part, index) => (index === 0 ? BAR : BROKEN_BAR) + part))
  return lines.map((line, index) => `${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${line}`)
}

function broken(line: string, width: number): string[] {
  const lines: string[] = []
  let [part, used] = ['', 0]
  for (const character of line) {
    const wide = character > '\u02ff' ? 2 : 1 // a character that may be two columns wide counts as two
    if (used + wide > width) {
      lines.push(part)
      ;[part, used] = ['', 0]
    }
    part += character
    used += wide
  }
  return [...lines, part]
}
