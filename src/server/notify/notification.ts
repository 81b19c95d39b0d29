import { type PendingApproval, visible } from '../../shared/schema/index.ts'
import type { Pair } from './buttons.ts'

/** What fits into an open notification; a longer question has no Approve button. */
const MAX_CONTENT_CHARACTERS = 300

export const notificationId = (approvalId: string): string => `shellphone-${approvalId}`

/**
 * The arguments of termux-notification for one question. The agent's text stands in `--content` alone: Termux:API reads that from
 * a pipe, while it hands the title and the actions on with only `"` escaped (termux-api.c), and actions are run by a shell.
 * A notification can be answered on a locked screen, so Approve is offered only where it shows the whole question and the
 * risk is not high. It can be swiped away (after a crash nobody else would remove it), and a swipe is no answer.
 */
export function notificationArgs(approval: PendingApproval, actions: Pair | null): string[] {
  const whole = questionText(approval)
  const isWhole = whole.length <= MAX_CONTENT_CHARACTERS && showsStdin(approval)
  const isApprovable = actions !== null && isWhole && (approval.risk === 'low' || approval.risk === 'medium')
  const content = isApprovable ? whole : `${shortened(whole)}\n(approve it in a terminal: shellphone approvals)`
  return [
    ...['--id', notificationId(approval.id), '--priority', 'high', '--alert-once'],
    ...['--title', `Shellphone asks (risk: ${approval.risk ?? 'unknown'})`, '--content', content],
    ...(isApprovable ? ['--button1', 'Approve', '--button1-action', actions.approve] : []),
    ...(actions ? ['--button2', 'Deny', '--button2-action', actions.deny] : []),
  ]
}

/** One line each: everything that the answer is bound to, and the rule that asks. */
export function questionText(approval: PendingApproval): string {
  const { command, working_directory, env, files, dialect, rule } = approval
  return [
    `$ ${visible(command)}`,
    `in ${visible(working_directory)}`,
    ...Object.entries(env).map(([name, value]) => `with ${visible(name)}=${visible(value)}`),
    ...stdinLines(approval),
    ...files.map(({ path }) => `runs ${visible(path)}`),
    sandboxLine(approval),
    `by ${dialect}, rule ${rule ?? '-'}`,
  ].join('\n')
}

function stdinLines({ stdin }: PendingApproval): string[] {
  if (stdin === null) return []
  return [stdin === 'open' ? 'fed while it runs' : `fed ${visible(stdin.text)}`]
}

function sandboxLine({ sandbox, network, writable }: PendingApproval): string {
  if (sandbox === 'none') return 'no sandbox'
  const places = writable.map((path) => `, may write in ${visible(path)}`).join('')
  return `sandbox ${sandbox}${places}, ${network ? '' : 'no '}network`
}

/** Does the text show all that is fed? Open stdin can be anything, so that nothing of it is shown. */
export const showsStdin = ({ stdin }: PendingApproval): boolean =>
  stdin === null || (stdin !== 'open' && Buffer.byteLength(stdin.text) === stdin.bytes)

function shortened(text: string): string {
  if (text.length <= MAX_CONTENT_CHARACTERS) return text
  const cut = text.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
  return `${cut}… (${text.length - cut.length} more characters)`
}
