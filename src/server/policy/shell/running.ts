/** Records everything that a command runs: itself, the commands that it wraps, and the code that it passes to an interpreter. */
import {
  assigned,
  type Call,
  callOf,
  descriptorOf,
  programOf,
  readsData,
  startedBy,
  valuesOfOption,
  variableOf,
} from '../programs/index.ts'
import { recordIfSets } from './arguments.ts'
import { MAX_CANDIDATES, MAX_LEVELS, nestExtended, readCode, readInput, runFile, runScript, takeCode } from './code.ts'
import { fedWords, fileText, inputOf, recordOpenedInput, recordWrites, writtenTo } from './input.ts'
import { changeDirectory, joinPath, leafOf } from '../script/directories.ts'
import {
  type Assignment,
  cutWord,
  isAnything,
  literalWord,
  type SimpleCommand,
  valuesOf,
  type Word,
} from '../script/script.ts'
import type { Walk } from './state.ts'
import { doubt } from './survey.ts'
import { everyValueOf } from './resolve-words.ts'

/** A simple command with resolved words, before its wrapped commands are known. */
type CommandParts = Pick<SimpleCommand, 'words' | 'assignments' | 'redirections' | 'wrappers' | 'source' | 'fed'>

/** The parts of a command without words. */
export const emptyParts = { words: [], assignments: [], redirections: [], source: '', fed: false }

/** Records a command and everything that it runs in turn. */
export function run(frame: CommandParts, walk: Walk): void {
  walk.budget.words -= frame.words.length + 1
  const isWrapped = frame.wrappers.length > MAX_LEVELS + walk.wrappers.length
  if (walk.budget.words < 0 || isWrapped) return doubt(walk, 'too-large')
  const name = frame.words[0]
  if (name && (name.literal === null || name.glob)) runCandidates(frame, walk)
  else if (name && runAlternatives(frame, walk)) return
  const made = record(frame, walk)
  if (made.path === null) return
  if (made.path === 'exec' && made.words.length === 1) recordOpenedInput(made, walk)
  const call = callOf(made)
  const { program } = call
  if (made.redirections.length > 0 || program?.passesInput || program?.copies) recordWrites(call, walk)
  const variables = assigned(made)
  if (variables.length > 0) runVariables(variables, made, walk)
  if (made.path) runInside(call, walk)
}

/** Adds a command to the walk's list. */
export function record(frame: CommandParts, walk: Walk): SimpleCommand {
  const { words, assignments, redirections, wrappers, source, fed } = frame
  const path = words.length === 0 ? '' : words[0]!.literal
  const name = leafOf(path ?? '')
  const args: string[] = []
  let unknownArgs = fed
  for (let index = 1; index < words.length; index += 1) {
    const { fields } = words[index]!
    if (fields === null) unknownArgs = true
    else for (const values of fields) args.push(...values)
  }
  const { pipedFrom, inFunctions, background, here, file, line, certain } = walk
  const made: SimpleCommand = {
    source,
    path,
    name,
    words,
    args,
    unknownArgs,
    assignments,
    redirections,
    wrappers,
    fed,
    background,
    pipedFrom,
    directories: here.directories,
    code: null,
    valuesOf: (variable) => everyValueOf(variable, walk.scope),
    callsItself: name !== '' && inFunctions.at(-1) === name,
    input: redirections.length > 0 || walk.opened.input ? inputOf(redirections, walk) : walk.input,
    suspects: null,
    file: file === null ? null : { path: file, line: line ?? 1, certain },
  }
  walk.commands.push(made)
  recordIfSets(name, words, walk)
  return made
}

// the name is an expansion: tries each possible value, and adds a doubt if there may be others
function runCandidates(frame: CommandParts, walk: Walk): void {
  const [{ source, fields: known, glob }, ...others] = frame.words as [Word, ...Word[]]
  const isVariable = !glob && /^"?\$\{?\w+\}?"?$/.test(source)
  const isKnown = isVariable && known !== null && known.length <= MAX_CANDIDATES
  if (!isKnown || known.some(([value = '']) => value === '')) doubt(walk, 'dynamic-name')
  // an unset variable expands to nothing, so the next word is the command
  const variable = known ? /^\$\{?([A-Za-z_]\w*)\}?$/.exec(source)?.[1] : undefined
  const isSet = variable === undefined || walk.here.set.has(variable) || walk.scope.environment[variable] !== undefined
  if (!isSet && others.length > 0) run({ ...frame, words: others }, walk)
  for (const fields of glob ? [] : (known ?? []).slice(0, MAX_CANDIDATES)) {
    const words = [...fields.map(literalWord), ...others]
    if (words[0] && words[0].literal !== null) run({ ...frame, words }, walk)
  }
}

// $x among the words of a wrapper can be options or the command, so each possible value becomes a separate call
function runAlternatives(frame: CommandParts, walk: Walk): boolean {
  const { words } = frame
  const at = words.findIndex(({ literal, fields }, index) => index > 0 && literal === null && isSeveral(fields))
  const row = at < 0 ? null : programOf(leafOf(words[0]!.literal!))
  if (!row?.runs && !row?.shell) return false
  const all = words[at]!.fields!
  if (all.length > MAX_CANDIDATES) doubt(walk, 'dynamic-code')
  for (const fields of all.slice(0, MAX_CANDIDATES)) {
    run({ ...frame, words: [...words.slice(0, at), ...fields.map(literalWord), ...words.slice(at + 1)] }, walk)
  }
  return true
}

const isSeveral = (fields: Word['fields']) =>
  fields !== null && fields.length > 1 && fields.some((one) => one.length !== 1 || one[0]!.startsWith('-'))

/** Reads the code in variables such as GIT_PAGER. Any other variable that can start a program raises a doubt. */
function runVariables(variables: readonly Assignment[], made: SimpleCommand, walk: Walk): void {
  for (const { name, word } of variables) {
    const row = variableOf(name)
    if (!row || row.is === 'search') continue
    const value = word.prefix.startsWith(`${name}=`) ? cutWord(word, name.length + 1) : word
    const texts = valuesOf(value)
    const isHarmless = (text: string) => row.harmlessValues?.test(text) === true && writtenTo(text, walk) === undefined
    if (texts?.every((text) => text === '' || isHarmless(text))) continue
    if (row.is === 'command' && texts) {
      for (const text of texts) nestExtended(text.replace(/^[|!-]+/, ''), made, walk)
    } else doubt(walk, 'dynamic-code')
  }
}

function runInside(call: Call, walk: Walk): void {
  const { command: made, program } = call
  if (made.name === 'alias') runAlias(made, walk)
  if (walk.aliases.has(made.path!)) doubt(walk, 'dynamic-code')
  if (made.path !== made.name) runFile(made, literalWord(made.path!), walk)
  if (made.name === 'trap') return runTrap(made, walk)
  const found = startedBy(call)
  const own = program?.doubtful === 'in-bin' && isOwn(made, walk)
  if ((!program || program.doubtful === 'in-bin') && mayObey(made, walk)) doubt(walk, 'stdin-code')
  if ((found.doubtful && !own) || (program?.spans && made.words.some(isAnything))) doubt(walk, 'dynamic-code')
  // env -C
  const chdir = program?.runs ? found.chdir : null
  const there = chdir ? { ...walk, here: changeDirectory(walk.here, valuesOf(chdir)) } : walk
  for (const words of found.code) readCode(made, words, there, found.positional)
  const doubts = walk.opaque.length
  const follow = program?.addsInput ? runFed : runWrapped
  for (const words of found.commands) follow(words, made, there)
  if (own) walk.opaque.length = doubts
  if (found.source) takeCode(made, found.source.language, found.source.text, walk)
  for (const file of found.files) runScript(made, file, walk)
  const isInput = found.files.some(({ literal }) => descriptorOf(literal) !== null)
  if (found.readsInput && !isInput) readInput(made, 0, walk)
}

// an unknown program may run what it reads as commands, or the output of a process substitution
function mayObey(made: SimpleCommand, walk: Walk): boolean {
  if (walk.functions.has(made.path!) || readsData(made)) return false
  if (made.path !== made.name && fileText(made.path!, walk) !== null) return false
  const { input, words } = made
  const isOthers = input !== null && input.from !== 'file' && input.from !== 'person'
  const isFed = isOthers && (input.from === 'pipe' || input.text === null)
  return isFed || words.some((word) => word.source.startsWith('<('))
}

// reads the code of an alias; wherever the alias is used, more words may follow
function runAlias(made: SimpleCommand, walk: Walk): void {
  for (const word of made.words.slice(1)) {
    const name = /^([\w-]+)=/.exec(word.prefix)?.[1]
    if (word.literal !== null && !word.prefix.includes('=')) continue
    // an alias for a keyword changes the meaning of later words
    if (name === undefined || keywords.test(name)) doubt(walk, 'dynamic-code')
    else {
      walk.aliases.add(name)
      readCode(made, [cutWord(word, name.length + 1)], walk)
    }
  }
}

const keywords =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|function|select|time|coproc|eval|exec|command|builtin)$/

function runTrap(made: SimpleCommand, walk: Walk): void {
  const code = made.words.find((word, index) => index > 0 && word.literal !== '--')
  if (!code || code.literal === '-' || code.literal === '' || made.words.length === 2) return
  readCode(made, [code], { ...walk, compound: true })
}

function runWrapped(words: readonly Word[], made: SimpleCommand, walk: Walk, fed = false): void {
  if (words.length === 0) return
  const source = words.map((word) => word.source).join(' ')
  const wrappers = [...made.wrappers, made.name]
  const assignments = assigned(made)
  run({ ...made, words, assignments, source: source.slice(0, 500), wrappers, fed: made.fed || fed }, walk)
}

// whether a path such as `./script` names a program of the user's own, not util-linux's `script`, so that it raises no doubts
function isOwn({ path, directories, wrappers }: SimpleCommand, walk: Walk): boolean {
  if (!path?.includes('/')) return false
  const start = walk.scope.environment.PWD ?? ''
  // the directory of find's -execdir is unknown
  const from = path.startsWith('/') ? ['/'] : wrappers.some((one) => programOf(one)?.spans) ? [] : (directories ?? [])
  // subdirectories count, because Debian's /usr/bin/X11 links to /usr/bin
  const inBin = (place: string) => /(?:^|\/)[a-z]*bin\//.test(joinPath(joinPath(start, place), path))
  return from.length > 0 && !from.some(inBin)
}

// a command that xargs starts has no input
function runFed(given: readonly Word[], made: SimpleCommand, outside: Walk): void {
  const walk = { ...outside, input: null }
  const fed = fedWords(made)
  const replace = made.args.some((arg) => /^-[iI]|^--replace/.test(arg))
  const words = fed && replace ? given.map((word) => filledIn(word, made)) : [...given, ...(fed ?? [])]
  const head = words[0]?.literal ?? ''
  const row = programOf(head)
  const runs = row?.shell || row?.spans || row?.runs
  const shifts = words.slice(1).every((word) => word.literal?.startsWith('-'))
  // xargs -n: any word that it reads can be the first one after the given words
  const starts = runs && fed && !replace && made.args.some((arg) => /^-[nLls]|^--max-/.test(arg)) ? fed.length : 1
  if ((runs && (shifts || replace) && (fed === null || replace)) || starts > MAX_CANDIDATES) doubt(walk, 'stdin-code')
  for (let at = 1; at < Math.min(starts, MAX_CANDIDATES); at += 1) runWrapped([...given, ...fed!.slice(at)], made, walk)
  // a line of the input replaces the command's name
  if (replace && words.some((word, index) => index > 0 && word.literal === head)) doubt(walk, 'dynamic-name')
  runWrapped(words, made, walk, fed === null)
  // GNU's xargs keeps the placeholder in the command's name, busybox's replaces it
  if (words[0] !== given[0]) runWrapped([...given.slice(0, 1), ...words.slice(1)], made, walk)
}

// xargs -I {}: replaces the placeholder with the line that xargs reads
function filledIn(word: Word, made: SimpleCommand): Word {
  const mark = valuesOfOption(callOf(made), 'I replace')[0] ?? '{}'
  if (!word.literal?.includes(mark)) return word
  const [line, ...others] = (made.input?.text ?? '').split('\n').filter(Boolean)
  const isKnown = line !== undefined && others.length === 0
  return isKnown
    ? literalWord(word.literal.replaceAll(mark, line))
    : { ...word, literal: null, fields: null, prefix: '' }
}
