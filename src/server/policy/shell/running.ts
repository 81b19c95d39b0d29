/** What a command runs: itself, what its wrappers run, and the code that it hands to a shell or an interpreter. */
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
import { handCode, MAX_CANDIDATES, MAX_LEVELS, nestOpen, readInput, runFile, runScript, takeCode } from './code.ts'
import { fedWords, fileText, inputOf, keepOpen, note, writtenTo } from './input.ts'
import { change, joinPath, leafOf } from '../script/places.ts'
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

/** A simple command as resolved words, before it is known what it runs in turn. */
export type Frame = Pick<SimpleCommand, 'words' | 'assignments' | 'redirections' | 'wrappers' | 'source' | 'fed'>

/** A frame with nothing in it. */
export const nothing = { words: [], assignments: [], redirections: [], source: '', fed: false }

/** Records a command and everything that it runs in turn. */
export function run(frame: Frame, walk: Walk): void {
  walk.budget.words -= frame.words.length + 1
  const isWrapped = frame.wrappers.length > MAX_LEVELS + walk.wrappers.length
  if (walk.budget.words < 0 || isWrapped) return doubt(walk, 'too-large')
  const name = frame.words[0]
  if (name && (name.literal === null || name.glob)) runCandidates(frame, walk)
  else if (name && runAlternatives(frame, walk)) return
  const made = record(frame, walk)
  if (made.path === null) return
  if (made.path === 'exec' && made.words.length === 1) keepOpen(made, walk)
  const call = callOf(made)
  const { program } = call
  if (made.redirections.length > 0 || program?.passes || program?.copies) note(call, walk)
  const variables = assigned(made)
  if (variables.length > 0) runVariables(variables, made, walk)
  if (made.path) runInside(call, walk)
}

/** Adds the command to those found. */
export function record(frame: Frame, walk: Walk): SimpleCommand {
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
  const { pipedFrom, inFunctions, background, here, file, line } = walk
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
    places: here.places,
    code: null,
    valuesOf: (variable) => everyValueOf(variable, walk.scope),
    callsItself: name !== '' && inFunctions.at(-1) === name,
    input: redirections.length > 0 || walk.opened.input ? inputOf(redirections, walk) : walk.input,
    suspects: null,
    file: file === null ? null : { path: file, line: line ?? 1 },
  }
  walk.commands.push(made)
  return made
}

// the name is an expansion: what it can be is tried; where that is not all, the doubt stays
function runCandidates(frame: Frame, walk: Walk): void {
  const [{ source, fields: known, glob }, ...others] = frame.words as [Word, ...Word[]]
  const isVariable = !glob && /^"?\$\{?\w+\}?"?$/.test(source)
  const isKnown = isVariable && known !== null && known.length <= MAX_CANDIDATES
  if (!isKnown || known.some(([value = '']) => value === '')) doubt(walk, 'dynamic-name')
  // what nothing has set yet vanishes, and the next word is the command
  const variable = known ? /^\$\{?([A-Za-z_]\w*)\}?$/.exec(source)?.[1] : undefined
  const isSet = variable === undefined || walk.here.set.has(variable) || walk.scope.environment[variable] !== undefined
  if (!isSet && others.length > 0) run({ ...frame, words: others }, walk)
  for (const fields of glob ? [] : (known ?? []).slice(0, MAX_CANDIDATES)) {
    const words = [...fields.map(literalWord), ...others]
    if (words[0] && words[0].literal !== null) run({ ...frame, words }, walk)
  }
}

// $x among the words of a wrapper can be options, or the command: each thing that it can be is a call of its own
function runAlternatives(frame: Frame, walk: Walk): boolean {
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

/** Code that a variable holds, like GIT_PAGER's, is code; what else a variable can start is in doubt. */
function runVariables(variables: readonly Assignment[], made: SimpleCommand, walk: Walk): void {
  for (const { name, word } of variables) {
    const row = variableOf(name)
    if (!row || row.is === 'search') continue
    const value = word.prefix.startsWith(`${name}=`) ? cutWord(word, name.length + 1) : word
    const texts = valuesOf(value)
    const isCalm = (text: string) => row.calm?.test(text) === true && writtenTo(text, walk) === undefined
    if (texts?.every((text) => text === '' || isCalm(text))) continue
    if (row.is === 'command' && texts) {
      for (const text of texts) nestOpen(text.replace(/^[|!-]+/, ''), made, walk)
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
  const there = chdir ? { ...walk, here: change(walk.here, valuesOf(chdir)) } : walk
  for (const words of found.code) handCode(made, words, there, found.positional)
  const doubts = walk.opaque.length
  const follow = program?.fed ? runFed : inner
  for (const words of found.commands) follow(words, made, there)
  if (own) walk.opaque.length = doubts
  if (found.source) takeCode(made, found.source.language, found.source.text, walk)
  for (const file of found.files) runScript(made, file, walk)
  const isInput = found.files.some(({ literal }) => descriptorOf(literal) !== null)
  if (found.readsInput && !isInput) readInput(made, 0, walk)
}

// a program that nobody knows may take for commands what it reads, and what is printed into a file of its own
function mayObey(made: SimpleCommand, walk: Walk): boolean {
  if (walk.functions.has(made.path!) || readsData(made)) return false
  if (made.path !== made.name && fileText(made.path!, walk) !== null) return false
  const { input, words } = made
  const isOthers = input !== null && input.from !== 'file' && input.from !== 'person'
  const isFed = isOthers && (input.from === 'pipe' || input.text === null)
  return isFed || words.some((word) => word.source.startsWith('<('))
}

// what an alias stands for is looked at; where its name is used, more may follow it
function runAlias(made: SimpleCommand, walk: Walk): void {
  for (const word of made.words.slice(1)) {
    const name = /^([\w-]+)=/.exec(word.prefix)?.[1]
    if (word.literal !== null && !word.prefix.includes('=')) continue
    // it changes what later words mean
    if (name === undefined || keywords.test(name)) doubt(walk, 'dynamic-code')
    else {
      walk.aliases.add(name)
      handCode(made, [cutWord(word, name.length + 1)], walk)
    }
  }
}

const keywords =
  /^(?:if|then|else|elif|fi|for|while|until|do|done|case|esac|in|function|select|time|coproc|eval|exec|command|builtin)$/

function runTrap(made: SimpleCommand, walk: Walk): void {
  const code = made.words.find((word, index) => index > 0 && word.literal !== '--')
  if (!code || code.literal === '-' || code.literal === '' || made.words.length === 2) return
  handCode(made, [code], { ...walk, compound: true })
}

function inner(words: readonly Word[], made: SimpleCommand, walk: Walk, fed = false): void {
  if (words.length === 0) return
  const source = words.map((word) => word.source).join(' ')
  const wrappers = [...made.wrappers, made.name]
  const assignments = assigned(made)
  run({ ...made, words, assignments, source: source.slice(0, 500), wrappers, fed: made.fed || fed }, walk)
}

// `./script` is a program of that path, not util-linux's `script`: what that would run is looked at, but raises no doubts
function isOwn({ path, places, wrappers }: SimpleCommand, walk: Walk): boolean {
  if (!path?.includes('/')) return false
  const start = walk.scope.environment.PWD ?? ''
  // where find's -execdir goes is not known
  const from = path.startsWith('/') ? ['/'] : wrappers.some((one) => programOf(one)?.spans) ? [] : (places ?? [])
  // anywhere below: Debian's /usr/bin/X11 is /usr/bin
  const inBin = (place: string) => /(?:^|\/)[a-z]*bin\//.test(joinPath(joinPath(start, place), path))
  return from.length > 0 && !from.some(inBin)
}

// what xargs starts reads nothing
function runFed(given: readonly Word[], made: SimpleCommand, outside: Walk): void {
  const walk = { ...outside, input: null }
  const fed = fedWords(made)
  const replace = made.args.some((arg) => /^-[iI]|^--replace/.test(arg))
  const words = fed && replace ? given.map((word) => filledIn(word, made)) : [...given, ...(fed ?? [])]
  const head = words[0]?.literal ?? ''
  const row = programOf(head)
  const runs = row?.shell || row?.spans || row?.runs
  const shifts = words.slice(1).every((word) => word.literal?.startsWith('-'))
  // xargs -n: any word that it reads may be the first behind those that are given
  const starts = runs && fed && !replace && made.args.some((arg) => /^-[nLls]|^--max-/.test(arg)) ? fed.length : 1
  if ((runs && (shifts || replace) && (fed === null || replace)) || starts > MAX_CANDIDATES) doubt(walk, 'stdin-code')
  for (let at = 1; at < Math.min(starts, MAX_CANDIDATES); at += 1) inner([...given, ...fed!.slice(at)], made, walk)
  // its input stands in the place of a command
  if (replace && words.some((word, index) => index > 0 && word.literal === head)) doubt(walk, 'dynamic-name')
  inner(words, made, walk, fed === null)
}

// xargs -I {}: the line that it reads stands in the place of the mark
function filledIn(word: Word, made: SimpleCommand): Word {
  const mark = valuesOfOption(callOf(made), 'I replace')[0] ?? '{}'
  if (!word.literal?.includes(mark)) return word
  const [line, ...others] = (made.input?.text ?? '').split('\n').filter(Boolean)
  const isKnown = line !== undefined && others.length === 0
  return isKnown
    ? literalWord(word.literal.replaceAll(mark, line))
    : { ...word, literal: null, fields: null, prefix: '' }
}
