import { type CheckResult, type CheckStatus, type DoctorReport, visible } from '../../shared/schema/index.ts'

const signs = { ok: '✔', warning: '!', error: '✖' }

/** Formats the report as text: one line per check, with the reason and the fix below each problem. Skipped checks come last. */
export function describeReport({ checks }: DoctorReport): string {
  return [...checks.flatMap(linesOf), ...skippedLines(checks), '', summaryOf(checks)].join('\n')
}

/** Returns the exit code of doctor: 0 without problems, otherwise 1; 2 would mean an invalid command line. The status in the report says how bad it is. */
export const exitCodeOf = ({ status }: DoctorReport): number => (status === 'warning' || status === 'error' ? 1 : 0)

function linesOf({ name, status, found, why, fix }: CheckResult): string[] {
  if (status === 'skipped') return []
  const isProblem = status !== 'ok'
  return [
    `${signs[status]} ${name}: ${visible(found)}`,
    ...(isProblem ? [`    why: ${why}`] : []),
    ...(fix === null ? [] : [`    ${isProblem ? 'do' : 'if not done yet'}: ${visible(fix)}`]),
  ]
}

/** Returns one line for each reason. */
function skippedLines(checks: CheckResult[]): string[] {
  const skipped = checks.filter(({ status }) => status === 'skipped')
  const reasons = [...new Set(skipped.map(({ found }) => found))]
  return reasons.map((reason) => {
    const names = skipped.filter(({ found }) => found === reason).map(({ name }) => name)
    return `- ${visible(reason)}: ${names.join(', ')}`
  })
}

function summaryOf(checks: CheckResult[]): string {
  const count = (status: CheckStatus) => checks.filter((check) => check.status === status).length
  const counted = (status: CheckStatus) => `${count(status)} ${status}${count(status) === 1 ? '' : 's'}`
  return `${counted('error')}, ${counted('warning')}, ${count('ok')} ok, ${count('skipped')} skipped`
}
