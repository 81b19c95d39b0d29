/** Determines the standard input of a command: from the request, a pipe, a file or a here-document. */
import { type Call, callOf, descriptorOf } from '../programs/index.ts'
import { joinPath } from '../script/directories.ts'
import { type CommandInput, literalWord, type Redirection, type SimpleCommand, type Word } from '../script/script.ts'
import type { Walk } from './state.ts'
import { doubt } from './survey.ts'

/** Returns the standard input of a command with these redirections. */
export const inputOf = (redirections: readonly Redirection[], walk: Walk): CommandInput | null =>
  inputOn(0, redirections, inherited(walk), walk)

// returns the input that `exec` opened; unknown if the script also has another input
function inherited({ input, opened }: Walk): CommandInput | null {
  return input && opened.input ? { from: 'pipe', text: null } : (opened.input ?? input)
}

/** Records the input that `exec < FILE` opens for every later command. */
export function recordOpenedInput({ redirections }: SimpleCommand, walk: Walk): void {
  const input = inputOn(0, redirections, null, walk)
  if (input) walk.opened.input = inherited(walk) ? { from: 'pipe', text: null } : input
}

// evaluates the redirections from left to right
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

/** Returns whether a path is a device, a pipe, or a file that this script wrote, rather than an existing file. */
export function isStream({ literal, fields }: Word, walk: Walk): boolean {
  if (literal === null) return fields === null && walk.pipes.used
  if (writtenTo(literal, walk) === null) return true
  if (walk.here.directories === null && /^(?:\.?\/)*(?:\d+|stdin)$/.test(literal)) return true
  return absolutePaths(literal, walk).some((path) => devices.test(path))
}

// returns all absolute paths that a path can mean; the paths are relative if the start directory is unknown
function absolutePaths(path: string, walk: Walk): string[] {
  const start = walk.scope.environment.PWD ?? ''
  return (walk.here.directories ?? ['']).map((place) => joinPath(joinPath(start, place), path))
}

/** Returns what this script wrote to a file; null: unknown content; undefined: the script did not write the file. */
export function writtenTo(path: string, walk: Walk): string | null | undefined {
  const known = absolutePaths(path, walk).find((place) => walk.written.has(place))
  return known === undefined ? undefined : walk.written.get(known)
}

const devices = /^\/(?:dev|proc)\/(?!null$)/

/** Returns the possible contents of a file: what this script wrote to it, or else the contents on disk in each possible directory. */
export function fileTexts(path: string, walk: Walk): string[] {
  const written = writtenTo(path, walk)
  if (written !== undefined) return written === null ? [] : [written]
  const { environment } = walk.scope
  if (environment.PWD === undefined || walk.here.directories === null || inSystem.test(path)) return []
  return [...new Set(absolutePaths(path, walk))].flatMap((place) => walk.readFile(place) ?? [])
}

/** Returns all possible contents of a file as one text; null: unknown. */
export function fileText(path: string, walk: Walk): string | null {
  const texts = fileTexts(path, walk)
  return texts.length > 0 ? texts.join('\n') : null
}

/** Reads the files that the commands of a pipe name: an approver sees them, and the answer covers only what they contain now. */
export function readSources({ pipedFrom }: SimpleCommand, walk: Walk): void {
  for (let from = pipedFrom; from !== null; from = from.pipedFrom) {
    for (const path of from.args) if (!path.startsWith('-')) fileTexts(path, walk)
  }
}

// system directories contain programs, not the scripts of an agent
const inSystem = /^\/(?:usr|s?bin|system|vendor|apex|dev|proc|sys|data\/data\/com\.termux\/files\/usr)\//

const outputsOf = ({ redirections }: SimpleCommand) =>
  redirections.filter(({ descriptor, operator }) => descriptor === 1 && operator.startsWith('>'))

/** Returns what the commands of one part of a pipeline pass to the next part. */
export function pipeOf(commands: readonly SimpleCommand[]): CommandInput {
  const isAlone = commands.slice(0, -1).every((one) => callOf(one).program?.transparent)
  return { from: 'pipe', text: isAlone && commands.length > 0 ? outputOf(commands.at(-1)!) : null }
}

/** Returns what a command prints; null: unknown. */
function outputOf(command: SimpleCommand): string | null {
  const { program, operands } = callOf(command)
  if (!program || outputsOf(command).length > 0) return null
  if (program.passesInput)
    return program.passesInput === 'always' || operands.length === 0 ? (command.input?.text ?? null) : null
  if (command.words.some((word) => word.fields === null)) return null
  const texts = program.prints?.(command.words.slice(1), { name: command.name })
  return texts?.length === 1 && program.printsExactly ? `${texts[0]}\n` : null
}

/** Returns the words that a command reads from a pipe such as `echo a b |`; null: unknown. */
export function fedWords({ input }: SimpleCommand): Word[] | null {
  const text = input?.text ?? null
  return text === null || /[\\%'"]/.test(text) ? null : text.split(/\s+/).filter(Boolean).map(literalWord)
}

const MAX_WRITTEN = 64
/** The key of what was written to files whose names are unknown: any file that runs later may contain it. */
const UNNAMED = '\0'
/** In UTF-16 units; the script is opaque beyond it. */
const MAX_UNNAMED = 262_144

/** The known texts that this script wrote to files with unknown names; null: none. */
export const unnamedText = ({ written }: Walk): string | null => written.get(UNNAMED) ?? null

/** Records what a command writes to files. */
export function recordWrites({ command: made, program, operands }: Call, walk: Walk): void {
  if (walk.written.size >= MAX_WRITTEN) return
  const output = outputOf({ ...made, redirections: [] }) ?? (made.input?.from === 'here' ? made.input.text : null)
  const keep = (path: string | null | undefined, text: string | null) => {
    if (path) for (const place of absolutePaths(path, walk)) walk.written.set(place, text)
    if (path !== null || text === null) return
    const all = `${unnamedText(walk) ?? ''}${text}\n`
    if (all.length > MAX_UNNAMED) doubt(walk, 'too-large')
    else walk.written.set(UNNAMED, all)
  }
  for (const { operator, target } of outputsOf(made)) {
    const path = target?.literal
    if (path === '' || path?.startsWith('/dev/')) continue
    const before = operator === '>>' && path ? (fileText(path, walk) ?? '') : ''
    keep(path, output === null ? null : before + output)
  }
  if (program?.passesInput === 'always') for (const { literal } of operands) keep(literal, output)
  const [from, to, ...more] = operands
  if (program?.copies && from?.literal && more.length === 0) keep(to?.literal, fileText(from.literal, walk))
}
