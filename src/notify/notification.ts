import { type PendingApproval, visible } from '../schema/index.ts'

/** What fits into an open notification; a longer question has no Approve button. */
const MAX_CONTENT_CHARACTERS = 300

/** Where the buttons lead: curl, and the address that the service listens at. */
export interface Buttons {
  /** absolute path of curl */
  curl: string
  /** http://127.0.0.1:PORT */
  url: string
}

/** Stands in an action as it is, without quotes. */
export const isPlainPath = (path: string): boolean => /^\/[\w./-]+$/.test(path)

export const notificationId = (approvalId: string): string => `shellphone-${approvalId}`

/**
 * The arguments of termux-notification for one question. The agent's text stands in `--content` alone: Termux:API reads that from
 * a pipe, while it hands the title and the actions on with only `"` escaped (termux-api.c), and actions are run by a shell.
 * A notification can be answered on a locked screen, so Approve is offered only where it shows the whole question and the
 * risk is not high. It can be swiped away (after a crash nobody else would remove it), and a swipe is no answer.
 */
export function notificationArgs(
  approval: PendingApproval,
  nonces: { approve: string; deny: string },
  buttons: Buttons,
): string[] {
  const whole = contentOf(approval)
  const isWhole = whole.length <= MAX_CONTENT_CHARACTERS
  const isApprovable = isWhole && (approval.risk === 'low' || approval.risk === 'medium')
  const content = isApprovable ? whole : `${shortened(whole)}\n(approve it in a terminal: shellphone approvals)`
  const press = (nonce: string) => `${buttons.curl} -fsS -m 5 -X POST ${buttons.url}/approvals/press/${nonce}`
  return [
    ...['--id', notificationId(approval.id), '--priority', 'high', '--alert-once'],
    ...['--title', `Shellphone asks (risk: ${approval.risk ?? 'unknown'})`, '--content', content],
    ...(isApprovable ? ['--button1', 'Approve', '--button1-action', press(nonces.approve)] : []),
    ...['--button2', 'Deny', '--button2-action', press(nonces.deny)],
  ]
}

/** One line each: the command, its directory, what it adds to the environment, and the rule that asks. */
function contentOf({ command, working_directory, env, rule }: PendingApproval): string {
  const additions = Object.entries(env).map(([name, value]) => `with ${visible(name)}=${visible(value)}`)
  return [`$ ${visible(command)}`, `in ${visible(working_directory)}`, ...additions, `rule ${rule ?? '-'}`].join('\n')
}

function shortened(text: string): string {
  if (text.length <= MAX_CONTENT_CHARACTERS) return text
  const cut = text.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
  return `${cut}… (${text.length - cut.length} more characters)`
}
