/** What a command reads on its standard input: the request's, a pipe's, a file's or a here-document's. */
import { type Call, callOf, descriptorOf } from '../programs/index.ts'
import { joinPath } from '../script/places.ts'
import { type CommandInput, literalWord, type Redirection, type SimpleCommand, type Word } from '../script/script.ts'
import type { Walk } from './state.ts'

/** The input of a command with these redirections. */
export const inputOf = (redirections: readonly Redirection[], walk: Walk): CommandInput | null =>
  inputOn(0, redirections, inherited(walk), walk)

// what `exec` has opened, unless something else may stand there
function inherited({ input, opened }: Walk): CommandInput | null {
  return input && opened.input ? { from: 'pipe', text: null } : (opened.input ?? input)
}

/** `exec < FILE`: every later command reads what it opens. */
export function keepOpen({ redirections }: SimpleCommand, walk: Walk): void {
  const input = inputOn(0, redirections, null, walk)
  if (input) walk.opened.input = inherited(walk) ? { from: 'pipe', text: null } : input
}

// as the redirections from left to right make it
function inputOn(
  wanted: number,
  redirections: readonly Redirection[],
  given: CommandInput | null,
  walk: Walk,
): CommandInput | null {
  const at = redirections.findLastIndex(({ descriptor, operator }) => descriptor === wanted && operator.startsWith('<'))
  if (at < 0) return wanted === 0 ? given : { from: 'pipe', text: null }
  const { operator, target, text } = redirections[at]!
  if (operator.startsWith('<<')) return { from: 'here', text }
  const path = target?.literal ?? ''
  if (path === '/dev/null' || (operator === '<&' && path === '-')) return null
  const other = operator === '<&' ? Number.parseInt(path, 10) : descriptorOf(path)
  if (other !== null) return inputOn(other, redirections.slice(0, at), given, walk)
  return { from: target && isStream(target, walk) ? 'pipe' : 'file', text: path ? fileText(path, walk) : null }
}

/** Whether a path is no file that was there before: a device, a pipe, or what this script has written. */
export function isStream({ literal, fields }: Word, walk: Walk): boolean {
  if (literal === null) return fields === null && walk.pipes.used
  if (writtenTo(literal, walk) === null) return true
  if (walk.here.places === null && /^(?:\.?\/)*(?:\d+|stdin)$/.test(literal)) return true
  return placesOf(literal, walk).some((path) => devices.test(path))
}

// everywhere that a path leads: absolute, where it is known where the script starts
function placesOf(path: string, walk: Walk): string[] {
  const start = walk.scope.environment.PWD ?? ''
  return (walk.here.places ?? ['']).map((place) => joinPath(joinPath(start, place), path))
}

/** What this script has written to a file: null where that is not known, undefined where it has written none there. */
export function writtenTo(path: string, walk: Walk): string | null | undefined {
  const known = placesOf(path, walk).find((place) => walk.written.has(place))
  return known === undefined ? undefined : walk.written.get(known)
}

const devices = /^\/(?:dev|proc)\/(?!null$)/

/** What a file can hold: what this script wrote to it, else what the disk has in each place where it may lie. */
export function fileTexts(path: string, walk: Walk): string[] {
  const written = writtenTo(path, walk)
  if (written !== undefined) return written === null ? [] : [written]
  const { environment } = walk.scope
  if (environment.PWD === undefined || walk.here.places === null || inSystem.test(path)) return []
  return [...new Set(placesOf(path, walk))].flatMap((place) => walk.readFile(place) ?? [])
}

/** All that a file can hold, as one text; null: unknown. */
export function fileText(path: string, walk: Walk): string | null {
  const texts = fileTexts(path, walk)
  return texts.length > 0 ? texts.join('\n') : null
}

// programs, not the scripts of an agent
const inSystem = /^\/(?:usr|s?bin|system|vendor|apex|dev|proc|sys|data\/data\/com\.termux\/files\/usr)\//

const outputsOf = ({ redirections }: SimpleCommand) =>
  redirections.filter(({ descriptor, operator }) => descriptor === 1 && operator.startsWith('>'))

/** What the commands of one part of a pipeline hand to the next. */
export function pipeOf(commands: readonly SimpleCommand[]): CommandInput {
  const isAlone = commands.slice(0, -1).every((one) => callOf(one).program?.transparent)
  return { from: 'pipe', text: isAlone && commands.length > 0 ? outputOf(commands.at(-1)!) : null }
}

/** What a command prints, where that is known. */
function outputOf(command: SimpleCommand): string | null {
  const { program, operands } = callOf(command)
  if (!program || outputsOf(command).length > 0) return null
  if (program.passes) return program.passes === 'always' || operands.length === 0 ? (command.input?.text ?? null) : null
  if (command.words.some((word) => word.fields === null)) return null
  const texts = program.prints?.(command.words.slice(1), { name: command.name })
  return texts?.length === 1 && program.says ? `${texts[0]}\n` : null
}

/** What `echo a b |` hands on as words; null: unknown. */
export function fedWords({ input }: SimpleCommand): Word[] | null {
  const text = input?.text ?? null
  return text === null || /[\\%'"]/.test(text) ? null : text.split(/\s+/).filter(Boolean).map(literalWord)
}

const MAX_WRITTEN = 64

/** Keeps what a command writes to files, where that is known. */
export function note({ command: made, program, operands }: Call, walk: Walk): void {
  if (walk.written.size >= MAX_WRITTEN) return
  const output = outputOf({ ...made, redirections: [] }) ?? (made.input?.from === 'here' ? made.input.text : null)
  const keep = (path: string | null | undefined, text: string | null) => {
    if (path) for (const place of placesOf(path, walk)) walk.written.set(place, text)
  }
  for (const { operator, target } of outputsOf(made)) {
    const path = target?.literal
    if (!path || path.startsWith('/dev/')) continue
    const before = operator === '>>' ? (fileText(path, walk) ?? '') : ''
    keep(path, output === null ? null : before + output)
  }
  if (program?.passes === 'always') for (const { literal } of operands) keep(literal, output)
  const [from, to, ...more] = operands
  if (program?.copies && from?.literal && more.length === 0) keep(to?.literal, fileText(from.literal, walk))
}
