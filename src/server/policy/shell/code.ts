/** Reads the code that a command passes to a shell or an interpreter: in its words, in a file, or on its input. */
import { callOf, descriptorOf, startsPrograms } from '../programs/index.ts'
import {
  areUnclear,
  argumentsOf,
  type Arguments,
  mayChangeArguments,
  mayObeyArguments,
  noArguments,
  recordChange,
  unknownArguments,
} from './arguments.ts'
import { fileTexts, isStream, readSources, unnamedText, writtenTo } from './input.ts'
import {
  choicesOf,
  type Flavour,
  addedWords,
  type CommandInput,
  type SimpleCommand,
  type Syntax,
  valuesOf,
  type Word,
} from '../script/script.ts'
import { leafOf } from '../script/directories.ts'
import type { Walk } from './state.ts'
import { doubt } from './survey.ts'

/** Maximum depth of code within code, and of commands within commands. */
export const MAX_LEVELS = 8
/** Maximum number of values that are tried for one word. */
export const MAX_CANDIDATES = 8

/** Reads shell code in words, for every value that they can have. */
export function readCode(
  made: SimpleCommand,
  given: readonly Word[],
  walk: Walk,
  positional: readonly Word[] = [],
): void {
  const args = { zero: null, positional: areUnclear(positional, made) ? null : positional }
  const words = given.filter((word) => word !== addedWords)
  const isExtended = words.length < given.length
  const isUnknown = words.some(({ fields, glob, literal }) => fields === null || (glob && literal === null))
  if (isUnknown) doubt(walk, 'dynamic-code')
  const texts = words.map((word) => choicesOf(word) ?? [])
  const most = Math.min(MAX_CANDIDATES, Math.max(...texts.map((values) => values.length), 0))
  for (let index = 0; index < most; index += 1) {
    const code = texts.map((values) => values[Math.min(index, values.length - 1)] ?? '').join(' ')
    if (isExtended) nestExtended(code, made, walk)
    else nest(code, made, walk, args)
  }
}

/** Reads shell code to which the program appends unknown words. They matter if the code's last command deletes or runs its arguments. */
export function nestExtended(code: string, made: SimpleCommand, walk: Walk): void {
  const start = walk.commands.length
  nest(code, made, walk, unknownArguments, null)
  const last = walk.commands.slice(start).at(-1)
  const { program } = last ? callOf(last) : { program: null }
  if (program?.runs || program?.sources || program?.operands?.startsWith('delete')) {
    nest(`${code} "$1"`, made, walk, unknownArguments, null)
  }
}

/** Reads the code of `sh FILE`, `python3 FILE`: a file that this script wrote, a descriptor, or a file on disk. */
export function runScript(made: SimpleCommand, file: Word, walk: Walk): void {
  const descriptor = descriptorOf(file.literal)
  if (descriptor === null) runFile(made, file, walk)
  else if (isCode(made)) readInput(made, descriptor, walk)
  else doubt(walk, 'stdin-code')
}

// whether the files of this command contain code, not configuration that can name programs
function isCode(made: SimpleCommand): boolean {
  const { program } = callOf(made)
  return !program || program.shell === true || program.sources === true || program.language !== undefined
}

// whether the caller can send input while the command and its children run
function isFed({ input }: SimpleCommand): boolean {
  return input?.from === 'request' && input.text === null
}

/** Reads a script file that a command runs. */
export function runFile(made: SimpleCommand, file: Word, walk: Walk): void {
  if (isStream(file, walk)) doubt(walk, 'dynamic-code') // the script generates this code while it runs
  if (file.glob && walk.written.size > 0) doubt(walk, 'dynamic-code')
  const paths = file.literal === null && file.glob ? [] : (valuesOf(file)?.slice(0, MAX_CANDIDATES) ?? [])
  const isRead = paths.map((path) => runFileAt(made, path, walk))
  if (isRead.length > 0 && !isRead.includes(false)) return
  const { program } = callOf(made)
  if (program && (program.shell || program.stdin) && isFed(made)) doubt(walk, 'stdin-code')
}

// returns whether the file is a shell script that could be read
function runFileAt(made: SimpleCommand, path: string, walk: Walk): boolean {
  const written = writtenTo(path, walk)
  const { program } = callOf(made)
  if (written !== undefined && !isCode(made)) doubt(walk, 'dynamic-code')
  const { language } = program ?? {}
  if (written && language && language !== 'sh') takeCode(made, language, written, walk)
  const isShells = !program || program.shell || program.sources || language === 'sh'
  const texts = fileTexts(path, walk).filter((text) => isShells && !/^#!(?!.*sh\b)/.test(text) && !text.includes('\0'))
  const isOnDisk = written === undefined
  const from = isOnDisk ? { file: path, line: null } : {}
  for (const text of texts) {
    for (const args of argumentsOf(made, path, walk)) {
      // a file on disk is a program like any other: its commands are judged, but it raises no doubts, except about open input
      const certain = isOnDisk ? !mayObeyArguments(made, text, args, walk) : walk.certain
      const doubts = walk.opaque.length
      const inFile = { ...walk, ...from, certain, syntax: new Set<Syntax>() }
      nest(program?.timed ? untimed(text) : text, made, inFile, args)
      const raised = isOnDisk && certain ? walk.opaque.splice(doubts) : []
      if (raised.includes('stdin-code') && isFed(made)) doubt(walk, 'stdin-code')
    }
  }
  if (isShells) runUnnamed(made, walk)
  return texts.length > 0
}

// any file that runs may contain what the script wrote to files with unknown names; its commands are judged, but it raises no doubts
function runUnnamed(made: SimpleCommand, walk: Walk): void {
  const text = unnamedText(walk)
  const doubts = walk.opaque.length
  if (text !== null) nest(text, made, { ...walk, syntax: new Set<Syntax>() })
  if (walk.opaque.splice(doubts).includes('too-large')) doubt(walk, 'too-large')
}

/** Reads code from a descriptor; 0 is standard input. */
export function readInput(made: SimpleCommand, descriptor: number, walk: Walk): void {
  const other = made.redirections.find((one) => one.descriptor === descriptor)
  const input = descriptor === 0 ? made.input : { from: 'here', text: other?.text ?? null }
  const { program } = callOf(made)
  if (input === null) return
  if (input.text === null) {
    // `sh < FILE` is `sh FILE`
    if (input.from === 'file') return
    doubt(walk, 'stdin-code')
    readSources(made, walk)
  } else if (program?.language && program.language !== 'sh') takeCode(made, program.language, input.text, walk)
  else nest(program?.timed ? untimed(input.text) : input.text, made, walk, noArguments, null)
}

// removes the schedules from the lines of a crontab; a percent sign separates the command from its input
const untimed = (text: string) =>
  text.replace(/^[ \t]*(?:@\w+|(?:[^\s=#]+[ \t]+){5})[ \t]*/gm, '').replace(/(?<!\\)%/g, ' ; ')

// parses code that this command runs, as part of the script
function nest(
  code: string,
  made: SimpleCommand,
  walk: Walk,
  args: Arguments = noArguments,
  input: CommandInput | null = made.input,
): void {
  if (walk.level >= MAX_LEVELS) return doubt(walk, 'too-large')
  const isOwn = made.name === 'eval' || made.name === 'trap'
  const { zero, positional: given } = isOwn ? walk.scope : args
  const root = sameShell.has(made.name) ? walk.root : code
  const changes = mayChangeArguments(code, walk)
  if (changes && root !== code) recordChange(walk)
  const positional = changes || walk.changed.has(root) ? null : given
  const scope = { ...walk.scope, found: new Map(), zero, positional }
  const own = { level: walk.level + 1, root, scope, flavour: flavourOf(made, walk), seen: new Map() }
  const { name, pipedFrom } = made
  walk.nested(code, { ...walk, ...own, wrappers: [...made.wrappers, name], pipedFrom, input })
}

const shells = { bash: 'bash', rbash: 'bash', dash: 'dash', mksh: 'mksh', busybox: 'busybox' } as const
const flavours = new Map<string, Flavour>(Object.entries(shells))

/** Returns which shell a program is, by its path with links resolved; null: another program. Android's /system/bin/sh is mksh. */
export const flavourAt = (path: string): Flavour | null =>
  path === '/system/bin/sh' ? 'mksh' : (flavours.get(leafOf(path)) ?? null)

const sameShell = new Set(['eval', 'trap', '.', 'source'])

// returns the shell that reads the code that this command runs
function flavourOf({ name, path, wrappers }: SimpleCommand, walk: Walk): Flavour | null {
  if (sameShell.has(name)) return walk.flavour
  if (wrappers.at(-1) === 'busybox') return name === 'sh' ? 'busybox' : null
  return path === 'sh' ? walk.shFlavour : (flavours.get(name) ?? null)
}

/** Records code in another language. */
export function takeCode(made: SimpleCommand, language: string, text: string | null, walk: Walk): void {
  const before = made.code?.text
  made.code = { language, text: before && text !== null ? `${before}\n${text}` : text }
  if (text === null) doubt(walk, 'dynamic-code')
  else if (startsPrograms(language, text)) doubt(walk, 'inline-code')
}
