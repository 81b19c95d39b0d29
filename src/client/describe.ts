import { type PendingApproval, type SavedRule, visible } from '../schema/index.ts'

/** The bar that every line of a value starts with: what stands left of it cannot come from an agent. */
const BAR = '│ '
const NAME_WIDTH = 10
const MIN_VALUE_WIDTH = 20

/** A question for a person: everything that an answer is bound to, in `columns` columns, nothing of it obeyed by the terminal. */
export function describeQuestion(approval: PendingApproval, columns: number, nowMs: number): string {
  const { always } = approval
  return describe(columns, [
    ['question', `${approval.id} (run ${approval.run_id})`],
    ['command', approval.command],
    ['directory', approval.working_directory],
    ...Object.entries(approval.env).map(([name, value]): Row => ['env', `${name}=${value}`]),
    ['dialect', approval.dialect],
    ['rule', `${approval.rule ?? '-'}: ${approval.reason ?? '-'}`],
    ['risk', approval.risk ?? 'unknown'],
    ['always', `would save: ${always.covers}, until ${always.expires_at}`],
    ['time', `${secondsLeft(approval, nowMs)} s left`],
  ])
}

/** A saved answer, as `shellphone approvals rules` lists it. */
export function describeRule(rule: Omit<SavedRule, 'digest'>, columns: number): string {
  return describe(columns, [
    ['rule', rule.id],
    ['command', rule.command],
    ['directory', rule.working_directory],
    ...(rule.env_names.length > 0 ? [['env', rule.env_names.join(' ')] as Row] : []),
    ['dialect', rule.dialect],
    ['asked by', rule.rule ?? '-'],
    ['saved', `${rule.created_at} by ${rule.by} (${rule.how}), until ${rule.expires_at}`],
  ])
}

/** Whole seconds until silence is no. */
export const secondsLeft = ({ expires_at }: PendingApproval, nowMs: number): number =>
  Math.max(0, Math.ceil((Date.parse(expires_at) - nowMs) / 1000))

type Row = [name: string, value: string]

function describe(columns: number, rows: Row[]): string {
  const width = Math.max(MIN_VALUE_WIDTH, columns - NAME_WIDTH - BAR.length - 1)
  return rows.flatMap(([name, value]) => field(name, value, width)).join('\n')
}

/** The lines of a script stay lines; each is broken by us, for the terminal would break it without the bar. */
function field(name: string, value: string, width: number): string[] {
  const lines = value.split('\n').flatMap((line) => broken(visible(line), width))
  return lines.map((line, index) => `${(index === 0 ? name : '').padEnd(NAME_WIDTH)}${BAR}${line}`)
}

function broken(line: string, width: number): string[] {
  const lines: string[] = []
  let [part, used] = ['', 0]
  for (const character of line) {
    const wide = character > '\u02ff' ? 2 : 1 // what may be two columns wide counts as two
    if (used + wide > width) {
      lines.push(part)
      ;[part, used] = ['', 0]
    }
    part += character
    used += wide
  }
  return [...lines, part]
}
