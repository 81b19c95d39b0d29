import { CANONICAL_DIALECT, firstCharacters, type PendingApproval, visible } from '../../shared/schema/index.ts'
import type { AnswerPair } from './buttons.ts'

/** Maximum number of characters that fit into an expanded notification. A longer request gets no Approve button. */
const MAX_CONTENT_CHARACTERS = 300

export const notificationId = (approvalId: string): string => `shellphone-${approvalId}`

/**
 * Returns the arguments of termux-notification for one approval request. Only `--content` contains text from the agent: Termux:API reads it
 * from a pipe, but passes on the title and the actions with only `"` escaped (termux-api.c), and a shell runs the actions. Buttons work on a
 * locked screen, so the notification offers Approve only if it shows the whole request and the risk is not high. A person can swipe it
 * away, because nothing else would remove it after a crash. A swipe is not an answer.
 */
export function notificationArgs(approval: PendingApproval, actions: AnswerPair | null): string[] {
  const whole = approvalText(approval)
  const isWhole = whole.length <= MAX_CONTENT_CHARACTERS && isComplete(approval)
  const isApprovable = actions !== null && isWhole && (approval.risk === 'low' || approval.risk === 'medium')
  const content = isApprovable ? whole : `${shortened(whole)}\n(approve it in a terminal: shellphone approvals)`
  return [
    ...['--id', notificationId(approval.id), '--priority', 'high', '--alert-once'],
    ...['--title', `Shellphone asks (risk: ${approval.risk ?? 'unknown'})`, '--content', content],
    ...(isApprovable ? ['--button1', 'Approve', '--button1-action', actions.approve] : []),
    ...(actions ? ['--button2', 'Deny', '--button2-action', actions.deny] : []),
  ]
}

/** Returns everything to which the answer is bound, and the rule that requires approval, one item per line. */
export function approvalText(approval: PendingApproval): string {
  const { command, working_directory, env, session, files, dialect, token, rule } = approval
  return [
    `$ ${visible(command)}`,
    `in ${visible(working_directory)}`,
    ...(session ? [`in the session ${visible(session.name)}`] : []),
    ...Object.entries(env).map(([name, value]) => variableLine(name, value, session)),
    ...(session?.unset ?? []).map((name) => `without ${visible(name)}`),
    ...stdinLines(approval),
    ...changeLines(approval),
    ...files.map(({ path }) => `runs ${visible(path)}`),
    sandboxLine(approval),
    `from ${visible(token)}${dialect === CANONICAL_DIALECT ? '' : ` by ${dialect}`}, rule ${rule ?? '-'}`,
  ].join('\n')
}

/** A variable of a session is shown without its value, which can be a secret: a notification is on the lock screen. */
const variableLine = (name: string, value: string, session: PendingApproval['session']) =>
  session?.set.includes(name) ? `with ${visible(name)} from the session` : `with ${visible(name)}=${visible(value)}`

function stdinLines({ stdin }: PendingApproval): string[] {
  if (stdin === null) return []
  return [stdin === 'open' ? 'fed while it runs' : `fed ${visible(stdin.text)}`]
}

function sandboxLine({ sandbox, network, writable }: PendingApproval): string {
  if (sandbox === 'none') return 'no sandbox'
  const writablePaths = writable.map((path) => `, may write in ${visible(path)}`).join('')
  return `sandbox ${sandbox}${writablePaths}, ${network ? '' : 'no '}network`
}

/** The change of each file as a diff. */
const changeLines = ({ changes = [] }: PendingApproval): string[] =>
  changes.flatMap(({ path, diff }) => [`changes ${visible(path)}:`, ...diff.trimEnd().split('\n').map(visible)])

/**
 * Returns whether the text shows all of stdin, every variable and every change of a file. For open stdin it never does, because open stdin can receive
 * anything.
 */
export const isComplete = ({ stdin, session, changes = [] }: PendingApproval): boolean =>
  !session?.set.length &&
  (stdin === null || (stdin !== 'open' && Buffer.byteLength(stdin.text) === stdin.bytes)) &&
  changes.every(({ complete }) => complete)

function shortened(text: string): string {
  if (text.length <= MAX_CONTENT_CHARACTERS) return text
  const cut = firstCharacters(text, MAX_CONTENT_CHARACTERS)
  return `${cut}… (${text.length - cut.length} more characters)`
}
