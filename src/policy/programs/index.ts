/**
 * programs: what each program does with its arguments. To add one, add a row to its family's file: names, options by what their
 * values are, operands, and examples, which the table test runs.
 */
import { type SimpleCommand, valuesOf, type Word } from '../shell/script.ts'
import { android } from './android.ts'
import { archives } from './archives.ts'
import { build } from './build.ts'
import { containers } from './containers.ts'
import { disks } from './disks.ts'
import type { Effect } from './effect.ts'
import { files } from './files.ts'
import { find } from './find.ts'
import { git } from './git.ts'
import { interpreters } from './interpreters.ts'
import { effectsOfCode } from './languages.ts'
import { network } from './network.ts'
import { packages } from './packages.ts'
import { pathOf, pathsOf } from './paths.ts'
import { processes } from './processes.ts'
import { type Argument, type Call, has, type Program, valuesOfOption } from './program.ts'
import { readCall } from './read-call.ts'
import { shells } from './shells.ts'
import { text } from './text.ts'
import { descriptorOf, nothing, type Unwrapped, unwrap } from './unwrap.ts'
import { maySteer, variableOf } from './variables.ts'
import { wrappers } from './wrappers.ts'

export const programs: readonly Program[] = [
  ...git,
  ...find,
  ...text,
  ...files,
  ...archives,
  ...disks,
  ...shells,
  ...interpreters,
  ...wrappers,
  ...packages,
  ...build,
  ...network,
  ...containers,
  ...processes,
  ...android,
]

const byName = new Map<string, Program>()
for (const program of programs) for (const name of program.names.split(' ')) byName.set(name, program)

/** The row for a program's name; null where there is none. */
export function programOf(name: string): Program | null {
  const plain = /^ld(?:-linux.*|-musl.*)?\.so/.test(name) ? 'ld.so' : name
  return byName.get(plain) ?? byName.get(`${plain.replace(/[-.\d].*$/, '')}*`) ?? null
}

/** A command remembers how it was read and what it does, as both are asked for again and again. */
type Remembering = SimpleCommand & { call?: Call; effects?: readonly Effect[] }

/** A command read by its program's row; once. */
export function callOf(command: Remembering): Call {
  return (command.call ??= readCall(command, programOf(command.name)))
}

/** Everything that a command does, its redirections and variables included; told once. */
export function effectsOf(command: Remembering): readonly Effect[] {
  if (command.effects) return command.effects
  const call = callOf(command)
  const effects = [
    ...command.redirections.flatMap(redirected),
    ...ofName(command),
    ...call.arguments.flatMap((argument) => ofArgument(argument, call)),
    ...started(call, startedBy(call)),
    ...(command.code ? effectsOfCode(command.code.language, command.code.text) : []),
    ...(call.program?.effects?.(call) ?? []),
    ...(call.program?.stream ? [{ does: 'prints', what: call.program.stream } as const] : []),
    ...ofVariables(command),
    ...(takesNames(call) ? [{ does: 'unknown', what: 'names' } as const] : []),
  ]
  command.effects = effects
  return effects
}

/** What a call starts; most start nothing. */
export function startedBy(call: Call): Unwrapped {
  const { program } = call
  const starts = program?.runs ?? program?.shell ?? program?.code ?? program?.sources
  return starts || call.commands.length > 0 || call.arguments.some(({ kind }) => kind === 'code')
    ? unwrap(call)
    : nothing
}

function redirected({ operator, target }: SimpleCommand['redirections'][number]): Effect[] {
  if (!target || operator === '<<<' || (/&$/.test(operator) && /^(?:\d|-)$/.test(target.literal ?? ''))) return []
  const path = pathOf(target, true)
  return [/^<(?!>)/.test(operator) ? { does: 'reads', path } : { does: 'writes', path, redirect: true }]
}

// a program named by a path is a path
function ofName({ words: [word], path }: SimpleCommand): Effect[] {
  if (!word || path === '' || !(word.prefix.includes('/') || word.fields === null)) return []
  return [{ does: 'reads', path: pathOf(word, true), program: true }]
}

// the words of what it runs are judged there
const follows = ({ program, verb }: Call) =>
  program?.runs !== undefined &&
  (program.runs.after === undefined || program.runs.after.split(' ').includes(verb ?? ''))

const maybe = (word: Word, program: Program | null): Effect[] =>
  pathsOf(word, false, program?.remote).map((path) => ({ does: 'reads', path }))

function ofArgument({ word, kind, option }: Argument, call: Call): Effect[] {
  const { command, program } = call
  switch (kind) {
    case 'write':
      return [{ does: 'writes', path: pathOf(word, true) }]
    case 'delete':
      return []
    case 'name':
      return [{ does: 'reads', path: pathOf(word, true), names: true }]
    case 'read':
    case 'dir':
    case 'script':
      return (word.prefix.startsWith('file:') ? pathsOf(word, true) : [pathOf(word, true)]).map((path) => ({
        does: 'reads',
        path,
      }))
    case 'list':
      return [
        { does: 'reads', path: pathOf(word, true) },
        { does: 'unknown', what: 'files' },
      ]
    case 'maybe':
      return follows(call) && option === null ? [] : maybe(word, program)
    default:
      // curl -H @FILE
      if (option !== null && word.prefix.startsWith('@')) return maybe(word, program)
      // the shell itself looks for what a pattern matches, whatever the program does with it
      return word.glob && word.fields !== null && command.path !== ''
        ? pathsOf(word, false).map((path) => ({ does: 'reads', path }))
        : []
  }
}

// names of files that come from a list: xargs hands them on
function takesNames({ command, program }: Call): boolean {
  if (!command.fed || program?.runs || program?.shell) return false
  return program === null || /(?:read|write|delete|name)$/.test(program.operands ?? '')
}

function started(call: Call, { commands, code, readsInput }: Unwrapped): Effect[] {
  const { program, command } = call
  const transparent = program?.runs?.transparent === true && code.length === 0
  const others = program?.others
  const shell = program?.shell === true
  return [
    ...(others && !program.code && command.args.some((arg) => others.test(arg))
      ? [{ does: 'runs', what: 'hidden' } as const]
      : []),
    ...(plugged(call) ? [{ does: 'runs', what: 'hidden' } as const] : []),
    ...(commands.length > 0 ? [{ does: 'runs', what: 'words', transparent } as const] : []),
    ...(code.length > 0 ? [{ does: 'runs', what: 'code', shell } as const] : []),
    // what works on text alone is judged as such
    ...(readsInput && !/^(?:sql|awk|sed|escape)$/.test(program?.code?.language ?? '')
      ? [{ does: 'runs', what: 'input' } as const]
      : []),
  ]
}

// a verb that the program does not know by itself
function plugged({ program, operands }: Call): boolean {
  const verb = operands[0]?.literal
  return program?.known !== undefined && verb !== undefined && !program.known.split(' ').includes(verb ?? '')
}

// no file, though it looks like one
const lists =
  /^(?:PATH|MANPATH|CDPATH|LD_LIBRARY_PATH|PKG_CONFIG_PATH|LANG|LC_\w+|TERM|SHELL|PAGER|GIT_PAGER|EDITOR|TZ|\w*_URL|\w*URI|HTTPS?_PROXY|https?_proxy)$/

function ofVariables(command: SimpleCommand): Effect[] {
  const paths = command.assignments
    .filter(({ name }) => command.path !== '' && !lists.test(name))
    .flatMap(({ word }): Effect[] => pathsOf(word, false).map((path) => ({ does: 'reads', path })))
  // a variable of the shell alone reaches no program, unless the request has set it
  const reaches = command.path !== '' || command.wrappers.length > 0
  const steers = assigned(command).some(({ name, word }) => {
    const value = word.literal?.startsWith(`${name}=`) ? word.literal.slice(name.length + 1) : word.literal
    return reaches ? maySteer(name, value, isCommand) : variableOf(name) !== undefined
  })
  return steers ? [...paths, { does: 'steers' }] : paths
}

/** Every variable that a command sets, for itself or for what it starts: NAME=value before it, or among the words of `env` and `export`. */
export function assigned(command: SimpleCommand): readonly { name: string; word: Word }[] {
  const call = callOf(command)
  const declares = call.program?.runs?.assignments === true || call.program?.declares === true
  const among = declares ? call.words : []
  return [
    ...command.assignments,
    ...among.flatMap((word) => {
      const name = /^([A-Za-z_]\w*)=/.exec(word.prefix)?.[1]
      return name ? [{ name, word }] : []
    }),
  ]
}

/** Whether a command only steers the shell that it stands in. */
export const isSteering = (command: SimpleCommand): boolean =>
  command.path === command.name && callOf(command).program?.steering === true

// what nobody uses as a verb
const commands = new Set(
  'id ls cat echo rm cp mv chmod chown mkdir touch whoami uname sleep printf head tail grep sed ps kill env busybox sudo curl wget nc ncat socat reboot'.split(
    ' ',
  ),
)

/** Whether a word is the name of a program, or a path where programs lie. */
export const isCommand = (text: string): boolean => commands.has(text) || /^\/(?:[\w.]+\/)*s?bin\/\w+$/.test(text)

/** Whether a word names a shell or an interpreter. */
export function isInterpreter(text: string): boolean {
  const row = programOf(text.replace(/^.*\//s, ''))
  if (text.length < 3 && text !== 'sh') return false
  return (
    row !== null &&
    (row.shell === true ||
      (row.code !== undefined && /^(?:python|javascript|perl|ruby|php|lua|other)$/.test(row.code.language)))
  )
}

/** Whether a command opens nothing: it prints its words. */
export const isPrinter = (command: SimpleCommand): boolean => callOf(command).program?.says === true

export type { Effect, PathWord, Target } from './effect.ts'
export { scriptsIn, startsPrograms } from './languages.ts'
export {
  type Argument,
  type Call,
  valuesOfOption,
  descriptorOf,
  has,
  type Program,
  type Unwrapped,
  valuesOf,
  variableOf,
}
