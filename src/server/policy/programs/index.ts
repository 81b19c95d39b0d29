/**
 * programs: describes what each program does with its arguments. To add a program, add a row to its family's table (table.ts explains
 * how) and examples to test/server/policy/program-examples.ts. The table test requires both.
 */
import type { Assignment, Redirection, SimpleCommand } from '../script/script.ts'
import { changes, type Effect, hidden, type PathWord, unknownFiles, when } from './effect.ts'
import { readsData } from './data-readers.ts'
import { effectsOfCode } from './languages.ts'
import { pathOf, pathsOf, written } from './paths.ts'
import { anyLike, type Argument, wantsHelp, type Call, firstOf, isOn, valuesOfOption } from './program.ts'
import { callOf, programOf } from './read-call.ts'
import { isCommand, rows } from './rows.ts'
import { descriptorOf, startedBy } from './unwrap.ts'
import { maySteer, runsLater, variableOf } from './variables.ts'

/** Returns all effects of a command, including its redirections and variables. Cached on the command, because every guard needs them. */
export function effectsOf(command: SimpleCommand & { effects?: readonly Effect[] }): readonly Effect[] {
  if (command.effects) return command.effects
  const call = callOf(command)
  const { program } = call
  const effects: Effect[] = []
  for (const redirection of command.redirections) effects.push(...redirected(redirection))
  effects.push(...ofName(command))
  for (const argument of call.arguments) effects.push(...ofArgument(argument, call))
  effects.push(...ofStarted(call))
  if (command.code) effects.push(...effectsOfCode(command.code.language, command.code.text))
  if (alters(call)) effects.push(changes)
  effects.push(...(program?.does ?? []), ...(program?.effects?.(call, programOf) ?? []))
  if (program?.stream) effects.push({ does: 'prints', what: program.stream })
  const given = assigned(command)
  if (given.length > 0) effects.push(...ofVariables(given, command))
  if (command.fed && takesNames(call)) effects.push({ does: 'unknown', what: 'names' })
  return (command.effects = effects)
}

function redirected({ operator, target }: Redirection): Effect[] {
  if (!target || operator === '<<<' || (/&$/.test(operator) && /^(?:\d|-)$/.test(target.literal ?? ''))) return []
  const path = pathOf(target)
  return [/^<(?!>)/.test(operator) ? { does: 'reads', path } : { does: 'writes', path, redirect: true }]
}

// a command that is named by a path also reads that file
function ofName({ words: [word], path }: SimpleCommand): Effect[] {
  if (!word || path === '' || !(word.prefix.includes('/') || word.fields === null)) return []
  return [{ does: 'reads', path: pathOf(word), program: true }]
}

// whether the call runs a command among its words, which are judged as that command
const follows = ({ program, verb }: Call) =>
  program?.runs === true && (program.after === undefined || isOn(program.after, verb ?? ''))

const reads = (paths: readonly PathWord[]): Effect[] => paths.map((path) => ({ does: 'reads', path }))

function ofArgument({ word, kind, option }: Argument, call: Call): Effect[] {
  const { command, program } = call
  switch (kind) {
    case 'write':
      return written([word])
    case 'delete':
      return []
    case 'name':
      return [{ does: 'reads', path: pathOf(word), names: true }]
    case 'read':
    case 'dir':
    case 'script':
      return reads(word.prefix.startsWith('file:') ? pathsOf(word, true) : [pathOf(word)])
    case 'list':
      return [...reads([pathOf(word)]), unknownFiles]
    case 'maybe':
      return follows(call) && option === null ? [] : reads(pathsOf(word, false, program?.remote))
    default:
      // curl -H @FILE
      if (option !== null && word.prefix.startsWith('@')) return reads(pathsOf(word, false, program?.remote))
      // the shell expands a pattern, whatever the program does with the result
      return word.glob && word.fields !== null && command.path !== '' ? reads(pathsOf(word, false)) : []
  }
}

function alters(call: Call): boolean {
  const { program, command } = call
  if (program?.changingVerbs) return isOn(program.changingVerbs, firstOf(call))
  if (!program?.readOnlyVerbs || wantsHelp(call)) return false
  return !isOn(program.readOnlyVerbs, firstOf(call)) && !isOn(program.readOnlyVerbs, command.args[0] ?? '')
}

// whether the program uses the file names that xargs passes to it as files
function takesNames({ program }: Call): boolean {
  if (program?.runs || program?.shell) return false
  return program === null || /(?:read|write|delete|name)$/.test(program.operands ?? '')
}

function ofStarted(call: Call): readonly Effect[] {
  const { program, command, operands } = call
  const { commands, code, readsInput } = startedBy(call)
  const { knownVerbs, startsOthers, language = '', shell = false } = program ?? {}
  const verb = operands[0]?.literal
  // a verb that is not built into the program runs a plug-in
  const plugged = knownVerbs !== undefined && verb !== undefined && !isOn(knownVerbs, verb ?? '')
  const transparent = program?.transparent === true && code.length === 0
  const effects: Effect[] = []
  if (plugged || (!language && startsOthers && anyLike(command.args, startsOthers))) effects.push(hidden)
  if (commands.length > 0) effects.push({ does: 'runs', what: 'words', transparent })
  if (code.length > 0) effects.push({ does: 'runs', what: 'code', shell })
  // other effects cover languages that only process text
  if (readsInput && !/^(?:sql|awk|sed|escape)$/.test(language)) effects.push({ does: 'runs', what: 'input' })
  return effects
}

// variables whose values look like paths but name no single file
const lists =
  /^(?:PATH|MANPATH|CDPATH|LD_LIBRARY_PATH|PKG_CONFIG_PATH|LANG|LC_\w+|TERM|SHELL|PAGER|GIT_PAGER|EDITOR|TZ|\w*_URL|\w*URI|HTTPS?_PROXY|https?_proxy)$/

function ofVariables(given: readonly Assignment[], { assignments, path, wrappers }: SimpleCommand): readonly Effect[] {
  // an assignment without a command sets a variable of the shell, which reaches no program unless the request has set it
  const reaches = path !== '' || wrappers.length > 0
  const files = assignments.filter(({ name }) => path !== '' && !lists.test(name))
  const steers = given.some(({ name, word: { literal } }) => {
    const value = literal?.startsWith(`${name}=`) ? literal.slice(name.length + 1) : literal
    return reaches ? maySteer(name, value) : variableOf(name) !== undefined
  })
  return [...reads(files.flatMap(({ word }) => pathsOf(word, false))), ...when(steers, { does: 'steers' })]
}

/** Returns every variable that a command sets for itself or its children: NAME=value before it, or among the words of `env`, `export`. */
export function assigned(command: SimpleCommand): readonly Assignment[] {
  const { program, words } = callOf(command)
  if (!program?.assignments && !program?.declares) return command.assignments
  const among = words.flatMap((word) => {
    const name = /^([A-Za-z_]\w*)=/.exec(word.prefix)?.[1]
    return name ? [{ name, word }] : []
  })
  return [...command.assignments, ...among]
}

/** Returns whether a command only changes the state of its own shell. */
export const isSteering = (command: SimpleCommand): boolean =>
  command.path === command.name && callOf(command).program?.steering === true

/** Returns whether a command opens no file and only prints its words. */
export const isPrinter = (command: SimpleCommand): boolean => callOf(command).program?.printsExactly === true

/** Returns whether a word names a shell or an interpreter. */
export function isInterpreter(text: string): boolean {
  if (text.length < 3 && text !== 'sh') return false
  const row = programOf(text.replace(/^.*\//s, ''))
  return row?.shell === true || /^(?:python|javascript|perl|ruby|php|lua|other)$/.test(row?.language ?? '')
}

export type { Effect, PathWord, SignalTarget as Target } from './effect.ts'
export { scriptsIn, startsPrograms } from './languages.ts'
export { type Argument, type Call, callOf, descriptorOf, isCommand, programOf, rows, runsLater }
export { pathsOf, readsData, startedBy, valuesOfOption, variableOf }
