import { dirname, isAbsolute, join, normalize } from 'node:path/posix'
import type { Static, TObject } from '@sinclair/typebox'
import {
  type ApprovalOutcome,
  argumentsOfModel,
  type Decision,
  type Finding,
  firstError,
  type Stream,
} from '../../shared/schema/index.ts'
import type { CanonicalEnded, Ended, DialectWorld } from './dialect.ts'

/** A tool's arguments, checked and completed by the defaults of their schema; or why not. `noCommand`: the tool's own words for that, also for a blank one. */
export function readArguments<Schema extends TObject>(
  schema: Schema,
  given: unknown,
  noCommand: string,
): { values: Static<Schema> } | { refusal: string } {
  const values = argumentsOfModel(schema, given)
  const { command } = values
  const fault = firstError(schema, values)
  if (fault) return { refusal: command === undefined ? noCommand : fault.message }
  const isBlank = typeof command === 'string' && command.trim() === ''
  return isBlank ? { refusal: noCommand } : { values: values as Static<Schema> }
}

/** The absolute form of a path as a request writes it: `~` is the home, relative paths start at `base`. */
export function absolutePath(path: string, base: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return normalize(join(home, path.slice(1)))
  const whole = normalize(isAbsolute(path) ? path : join(base, path))
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

/** Longer than any path that the kernel takes (PATH_MAX). */
const MAX_PATH_LENGTH = 4096

/** Where a path really lies: symlinks of its deepest existing ancestor are followed, what does not exist yet is kept. */
export function realPlace(path: string, world: Pick<DialectWorld, 'realpath'>): string {
  if (path.length > MAX_PATH_LENGTH) return path
  let ancestor = path
  while (ancestor !== '/' && world.realpath(ancestor) === null) ancestor = dirname(ancestor)
  return normalize(join(world.realpath(ancestor) ?? ancestor, path.slice(ancestor.length)))
}

/** `next` on a line of its own below `text`; what is there stays verbatim. */
export const onOwnLine = (text: string, next: string): string =>
  text === '' || text.endsWith('\n') ? text + next : `${text}\n${next}`

/** Length in characters (code points), so that an emoji counts once. */
export function countCharacters(text: string): number {
  let count = 0
  for (const character of text) if (character !== '') count++
  return count
}

/** The first `max` characters (code points); none is ever split. */
export function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (let count = 0; count < max && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** The first characters that fit into `maxBytes` of UTF-8; none is ever split. */
export function firstBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** How many bytes of a stream are not in the text given, because nobody asked for them or they were not kept. */
export const missingBytes = (ended: Ended, stream: Stream): number =>
  ended[`${stream}_bytes`] - ended.givenBytes[stream]

/** The findings that decided: those as strict as the decision; without any, the decision's own rule (`guard/rule`). */
export function decisive(decision: CanonicalEnded['decision']): Finding[] {
  const spoke = (decision.guards ?? []).filter((finding) => finding.verdict === decision.verdict)
  return spoke.length > 0 ? spoke : [alone(decision)]
}

function alone({ verdict, rule, reason }: Pick<Decision, 'verdict' | 'rule' | 'reason'>): Finding {
  const [, guard = '', name = rule] = /^([^/]+)\/(.+)$/.exec(rule ?? '') ?? []
  return { guard, verdict, risk: 'high', rule: name, command: null, reason }
}

/** The finding whose guard comes first in `order`; guards that are not named there come last. */
export function firstOf(findings: Finding[], order: string[]): Finding {
  const rank = ({ guard }: Finding) => (order.includes(guard) ? order.indexOf(guard) : order.length)
  return findings.reduce((first, next) => (rank(next) < rank(first) ? next : first))
}

const answers: Partial<Record<ApprovalOutcome, string>> = {
  approved: 'approved',
  denied: 'approval was refused',
  timeout: 'approval was not given in time',
}

/** What would have to change for somebody to be asked. */
const remedies: Partial<Record<ApprovalOutcome, string>> = {
  nobody: ' (the setting approval_timeout_seconds is 0: above it, a person answers with shellphone approvals)',
  full: ' (as many questions wait as the setting max_pending_approvals allows)',
}

/** Was a person's yes wanted and not had? */
export const lacksApproval = ({ decision, approval }: CanonicalEnded): boolean =>
  decision.verdict === 'ask' || (approval !== undefined && approval.outcome !== 'approved')

/** In plain words why a command that needed a person's yes did not run. */
export function noApproval({ approval, decision: { reason } }: CanonicalEnded): string {
  const nobody = 'approval is required, and there is nobody to ask'
  const why = approval ? (answers[approval.outcome] ?? nobody) : 'approval required'
  const remedy = (approval && remedies[approval.outcome]) ?? ''
  return `${why}${reason ? `: ${reason}` : ''}${remedy}`
}
