import { dirname, isAbsolute, join, normalize } from 'node:path/posix'
import type { Static, TObject, TSchema } from '@sinclair/typebox'
import {
  type ApprovalOutcome,
  argumentsOfModel,
  type Decision,
  type Finding,
  firstError,
  type Stream,
  unknownField,
  visible,
} from '../../shared/schema/index.ts'
import type { CanonicalEnded, Ended, DialectWorld } from './dialect.ts'

/**
 * Checks a tool's arguments and adds the defaults of their schema, or returns a refusal, also for a name that the tool does not have. `noCommand`: the tool's own message for a missing
 * or blank command.
 */
export function readArguments<Schema extends TObject>(
  schema: Schema,
  given: unknown,
  noCommand: string,
): { values: Static<Schema> } | { refusal: string } {
  const values = argumentsOfModel(schema, given)
  const { command } = values
  const stranger = strangerIn(schema, given)
  if (stranger !== undefined) {
    return { refusal: unknownField(visible(stranger.slice(0, 60)), Object.keys(schema.properties)) }
  }
  const fault = firstError(schema, values)
  if (fault) return { refusal: command === undefined ? noCommand : fault.message }
  const isBlank = typeof command === 'string' && command.trim() === ''
  return isBlank ? { refusal: noCommand } : { values: values as Static<Schema> }
}

/** Checks a tool's arguments, which may contain objects, with the leniency that models and their SDKs need. */
export function readFields<Schema extends TObject>(
  schema: Schema,
  given: unknown,
): { values: Static<Schema> } | { refusal: string } {
  const values = lenient({ ...schema, additionalProperties: false }, given)
  const fault = firstError({ ...schema, additionalProperties: false }, values)
  return fault ? { refusal: fault.message } : { values: values as Static<Schema> }
}

/** Numbers may be strings, one item may stand for a list of it, null counts as omitted, and names may be in camelCase. */
function lenient(schema: TSchema, value: unknown): unknown {
  if (schema.type === 'object' && schema.properties !== undefined && isObject(value)) {
    const fields = Object.entries(value).filter(([, field]) => field !== null)
    return Object.fromEntries(
      fields.map(([key, field]) => {
        const name = Object.hasOwn(schema.properties, key) ? key : snakeCase(key)
        return Object.hasOwn(schema.properties, name) ? [name, lenient(schema.properties[name], field)] : [key, field]
      }),
    )
  }
  if (schema.type === 'array')
    return (Array.isArray(value) ? value : [value]).map((item) => lenient(schema.items, item))
  const isNumeric = schema.type === 'integer' && typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value)
  return isNumeric ? Number(value) : value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Returns the first name among the arguments that the tool does not have. */
export const strangerIn = ({ properties }: TObject, given: unknown): string | undefined =>
  typeof given === 'object' && given !== null && !Array.isArray(given)
    ? Object.keys(given).find((name) => !Object.hasOwn(properties, name))
    : undefined

/** Returns the absolute form of a path in a request: `~` stands for the home, and a relative path starts at `base`. */
export function absolutePath(path: string, base: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return normalize(join(home, path.slice(1)))
  const whole = normalize(isAbsolute(path) ? path : join(base, path))
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

/** The kernel rejects longer paths (PATH_MAX). */
const MAX_PATH_LENGTH = 4096

/** Resolves the symbolic links in the deepest existing ancestor of a path, and appends the part that does not exist yet. */
export function realPlace(path: string, world: Pick<DialectWorld, 'realpath'>): string {
  if (path.length > MAX_PATH_LENGTH) return path
  let ancestor = path
  while (ancestor !== '/' && world.realpath(ancestor) === null) ancestor = dirname(ancestor)
  return normalize(join(world.realpath(ancestor) ?? ancestor, path.slice(ancestor.length)))
}

/** Appends `next` on a new line to `text`, which stays verbatim. */
export const onOwnLine = (text: string, next: string): string =>
  text === '' || text.endsWith('\n') ? text + next : `${text}\n${next}`

/** Returns the length in characters (code points), so that an emoji counts once. */
export function countCharacters(text: string): number {
  let count = 0
  for (const character of text) if (character !== '') count++
  return count
}

/** Returns the first `max` characters (code points) without splitting any. */
export function firstCharacters(text: string, max: number): string {
  if (text.length <= max) return text
  let end = 0
  for (let count = 0; count < max && end < text.length; count++) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** Returns the first characters that fit into `maxBytes` of UTF-8, without splitting any. */
export function firstBytes(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxBytes) return text
  let end = maxBytes
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** Returns how many bytes of a stream are missing from the text, because the dialect did not request them or they were not stored. */
export const missingBytes = (ended: Ended, stream: Stream): number =>
  ended[`${stream}_bytes`] - ended.givenBytes[stream]

/** Returns the findings that are as strict as the decision; without any, a finding for the decision's own rule (`guard/rule`). */
export function decisive(decision: CanonicalEnded['decision']): Finding[] {
  const spoke = (decision.guards ?? []).filter((finding) => finding.verdict === decision.verdict)
  return spoke.length > 0 ? spoke : [alone(decision)]
}

function alone({ verdict, rule, reason }: Pick<Decision, 'verdict' | 'rule' | 'reason'>): Finding {
  const [, guard = '', name = rule] = /^([^/]+)\/(.+)$/.exec(rule ?? '') ?? []
  return { guard, verdict, risk: 'high', rule: name, command: null, reason }
}

/** Returns the finding whose guard comes first in `order`. Guards that `order` does not contain come last. */
export function firstOf(findings: Finding[], order: string[]): Finding {
  const rank = ({ guard }: Finding) => (order.includes(guard) ? order.indexOf(guard) : order.length)
  return findings.reduce((first, next) => (rank(next) < rank(first) ? next : first))
}

const answers: Partial<Record<ApprovalOutcome, string>> = {
  approved: 'approved',
  denied: 'approval was refused',
  timeout: 'approval was not given in time',
}

/** What the owner can change so that a person can answer. */
const remedies: Partial<Record<ApprovalOutcome, string>> = {
  nobody:
    ' (the setting approval_timeout_seconds is 0; raise it so that a person can answer with shellphone approvals)',
  full: ' (the setting max_pending_approvals allows no more pending requests)',
}

/** Returns whether the command required approval and did not get it. */
export const lacksApproval = ({ decision, approval }: CanonicalEnded): boolean =>
  decision.verdict === 'ask' || (approval !== undefined && approval.outcome !== 'approved')

/** Explains why a command that required approval did not run. */
export function noApproval({ approval, decision: { reason } }: CanonicalEnded): string {
  const nobody = 'approval is required, but nobody can be asked'
  const why = approval ? (answers[approval.outcome] ?? nobody) : 'approval required'
  const remedy = (approval && remedies[approval.outcome]) ?? ''
  return `${why}${reason ? `: ${reason}` : ''}${remedy}`
}
