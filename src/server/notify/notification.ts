import { type PendingApproval, visible } from '../../shared/schema/index.ts'
import type { AnswerPair } from './buttons.ts'

/** Maximum that fits into an expanded notification; a longer request has no Approve button. */
const MAX_CONTENT_CHARACTERS = 300

export const notificationId = (approvalId: string): string => `shellphone-${approvalId}`

/**
 * The arguments of termux-notification for one approval request. Only `--content` contains text from the agent: Termux:API reads it from
 * a pipe, but passes on the title and the actions with only `"` escaped (termux-api.c), and a shell runs the actions.
 * A notification can be answered on a locked screen, so it offers Approve only if it shows the whole request and the
 * risk is not high. It can be swiped away (after a crash nothing else would remove it); a swipe is not an answer.
 */
export function notificationArgs(approval: PendingApproval, actions: AnswerPair | null): string[] {
  const whole = approvalText(approval)
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

/** Everything that the answer is bound to and the rule that requires approval, one per line. */
export function approvalText(approval: PendingApproval): string {
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
  const writablePaths = writable.map((path) => `, may write in ${visible(path)}`).join('')
  return `sandbox ${sandbox}${writablePaths}, ${network ? '' : 'no '}network`
}

/** Whether the text shows all of stdin. Open stdin can receive anything, so it never does. */
export const showsStdin = ({ stdin }: PendingApproval): boolean =>
  stdin === null || (stdin !== 'open' && Buffer.byteLength(stdin.text) === stdin.bytes)

function shortened(text: string): string {
  if (text.length <= MAX_CONTENT_CHARACTERS) return text
  const cut = text.slice(0, MAX_CONTENT_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
  return `${cut}… (${text.length - cut.length} more characters)`
}
