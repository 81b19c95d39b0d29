import { CANONICAL_DIALECT, type PendingApproval, type SavedRule, visible } from '../../shared/schema/index.ts'
import type { Style } from '../print/index.ts'

/** BAR starts each line of a value, so that an agent cannot write text to the left of it. BROKEN_BAR starts the rest of a wrapped line. */
const BAR = '│ '
const BROKEN_BAR = '┆ '
const NAME_WIDTH = 10
const MIN_VALUE_WIDTH = 20
/** The width if the output is no terminal. */
const USUAL_COLUMNS = 80
/** A longer word is broken where the line ends. */
const MAX_WORD = 20

/** Formats an approval request for a person: everything that the answer is bound to, wrapped at `columns`, with control characters escaped. */
export function describeApproval(approval: PendingApproval & { phone?: string }, style: Style, nowMs: number): string {
  const { always, risk, phone } = approval
  return describe(style, [
    ...(phone === undefined ? [] : [['phone', phone] as LabelledValue]),
    ['request', `${approval.id} (run ${approval.run_id})`],
    ['from', approval.token],
    ['command', approval.command],
    ['directory', approval.working_directory],
    ...(approval.session ? [['session', approval.session.name] as LabelledValue] : []),
    ...Object.entries(approval.env).map(([name, value]): LabelledValue => ['env', `${name}=${value}`]),
    ...(approval.session?.unset ?? []).map((name): LabelledValue => ['unset', name]),
    ...stdinRows(approval),
    ...changeRows(approval),
    ...boundRows(approval),
    ['rule', `${approval.rule ?? '-'}: ${approval.reason ?? '-'}`],
    ['risk', risk ?? 'unknown', riskPainter(risk, style)],
    [
      'always',
      always ? `would save: ${always.covers}, until ${always.expires_at}` : `not available ${noRule(approval)}`,
    ],
    ['time', `${secondsLeft(approval, nowMs)} s left`],
  ])
}

export const riskPainter = (risk: PendingApproval['risk'], { green, yellow, red }: Style): ((text: string) => string) =>
  risk === 'low' ? green : risk === 'medium' ? yellow : red

/** Formats a saved approval for `shellphone approvals rules`. */
export function describeRule(rule: Omit<SavedRule, 'digest'>, style: Style): string {
  return describe(style, [
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

/** Why no saved approval can cover a request. */
export const noRule = ({ changes }: PendingApproval) =>
  changes ? 'for a change of a file, which can happen only once' : 'while stdin stays open'

/** What a file tool would change, as diffs. */
const changeRows = ({ changes = [] }: PendingApproval): LabelledValue[] =>
  changes.flatMap(({ path, before, after, diff, complete }): LabelledValue[] => [
    ['change', path],
    ['hash', `${before ?? 'no file'} → ${after ?? 'no file'}`],
    ['diff', complete ? diff.trimEnd() : `${diff.trimEnd()}\n(the diff does not show the whole change)`],
  ])

function boundRows({ files, sandbox, network, writable, dialect }: Bound): LabelledValue[] {
  return [
    ...files.map(({ path, sha256 }): LabelledValue => ['script', `${path} (sha256 ${sha256})`]),
    ['sandbox', sandbox === 'none' ? 'none' : `${sandbox}, ${network ? 'with' : 'without'} network`],
    ...writable.map((path): LabelledValue => ['writable', path]),
    ...(dialect === CANONICAL_DIALECT ? [] : [['dialect', dialect] as LabelledValue]),
  ]
}

type Bound = Pick<PendingApproval, 'files' | 'sandbox' | 'network' | 'writable' | 'dialect'>

/** Whole seconds until the service denies the unanswered request. */
export const secondsLeft = ({ expires_at }: PendingApproval, nowMs: number): number =>
  Math.max(0, Math.ceil((Date.parse(expires_at) - nowMs) / 1000))

type LabelledValue = [name: string, value: string, paint?: (text: string) => string]

function describe(style: Style, rows: LabelledValue[]): string {
  const columns = style.columns === Infinity ? USUAL_COLUMNS : style.columns
  const width = Math.max(MIN_VALUE_WIDTH, columns - NAME_WIDTH - BAR.length - 1)
  return rows.flatMap((row) => field(row, width, style)).join('\n')
}

/** Preserves the lines of a script, but wraps long ones, because the terminal would wrap them without the bar. */
function field([name, value, paint = String]: LabelledValue, width: number, { dim }: Style): string[] {
  const lines = value
    .split('\n')
    .flatMap((line) =>
      broken(visible(line), width).map((part, index) => dim(index === 0 ? BAR : BROKEN_BAR) + paint(part)),
    )
  return lines.map((line, index) => `${dim((index === 0 ? name : '').padEnd(NAME_WIDTH))}${line}`)
}

/** A character that may be two columns wide counts as two. */
const columnsOf = (character: string) => (character > '\u02ff' ? 2 : 1)

function broken(line: string, width: number): string[] {
  const lines: string[] = []
  let [part, used] = ['', 0]
  for (const character of line) {
    const wide = columnsOf(character)
    if (used + wide > width) {
      const [whole, rest] = atLastSpace(part)
      lines.push(whole)
      ;[part, used] = [rest, [...rest].reduce((sum, one) => sum + columnsOf(one), 0)]
    }
    part += character
    used += wide
  }
  return [...lines, part]
}

/** Splits a full line after its last space if a word began shortly before the end, so that words stay whole. */
function atLastSpace(line: string): [string, string] {
  const end = line.lastIndexOf(' ') + 1
  return line.length - end <= MAX_WORD ? [line.slice(0, end), line.slice(end)] : [line, '']
}
