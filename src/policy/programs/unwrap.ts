/** What a call starts in turn: commands among its words, shell code, code in its own language, a script file, or what it reads. */
import { literalWord, type Word } from '../shell/script.ts'
import { type Call, has } from './program.ts'

export interface Unwrapped {
  /** the commands that it runs, as words */
  commands: readonly (readonly Word[])[]
  /** shell code, each piece as words to be joined with spaces */
  code: readonly (readonly Word[])[]
  /** $1, $2 … of that code */
  positional: readonly Word[]
  /** the directory in which it runs them */
  chdir: Word | null
  /** code in a language of its own */
  source: { language: string; words: readonly Word[] } | null
  /** the script file that it runs */
  file: Word | null
  /** it runs what it reads */
  readsInput: boolean
  /** why what it runs cannot be known */
  doubt: string | null
}

/** What most calls start. */
export const nothing: Unwrapped = {
  commands: [],
  code: [],
  positional: [],
  chdir: null,
  source: null,
  file: null,
  readsInput: false,
  doubt: null,
}

/** Standard input by another name: /dev/stdin, /dev/fd/3, /proc/self/fd/0. The number, or null for any other path. */
export function descriptorOf(path: string | null): number | null {
  if (path === '-' || path === '/dev/stdin') return 0
  const found = /^(?:\/dev\/fd|\/proc\/(?:self|thread-self|\$\$|\d+)\/fd)\/+(\d+)$/.exec(
    path?.replace(/\/+/g, '/') ?? '',
  )
  return found ? Number(found[1]) : null
}

/** What a call starts. */
export function unwrap(call: Call): Unwrapped {
  const { program } = call
  const codes = call.arguments.filter(({ kind }) => kind === 'code').map(({ word }) => [word])
  const chdir = call.arguments.find(({ kind }) => kind === 'dir')?.word ?? null
  const found: Unwrapped = { ...nothing, code: codes, commands: call.commands, chdir }
  if (!program) return found
  if (program.sources) return { ...found, file: call.operands[0] ?? null }
  if (program.shell) return { ...found, ...ofShell(call) }
  if (program.code) return { ...found, ...ofInterpreter(call) }
  if (program.runs) return { ...found, ...ofWrapper(call, codes.length > 0) }
  return found
}

function ofShell(call: Call): Partial<Unwrapped> {
  const [first] = call.operands
  const wantsCode = has(call, 'c')
  if (first?.splits) {
    return { code: first.fields && wantsCode ? [[first]] : [], doubt: 'what it runs is only known when it runs' }
  }
  if (wantsCode) {
    if (!first) return { doubt: 'what it runs is only known when it runs' }
    return { code: [[first]], positional: call.operands.slice(2) }
  }
  if (has(call, 'version help')) return {}
  if (!first || has(call, 's')) return { readsInput: true }
  if (descriptorOf(first.literal) !== null) return { readsInput: true, file: first }
  const unknown = first.literal === null && first.fields === null
  return { file: first, doubt: unknown ? 'what it runs is only known when it runs' : null }
}

function ofInterpreter(call: Call): Partial<Unwrapped> {
  const { language, operand, verb, stdin, interactive } = call.program!.code!
  const words = call.arguments.filter(({ kind }) => kind === 'source').map(({ word }) => word)
  if (language === 'editor') words.push(...call.operands.filter((word) => /^\+./.test(word.prefix)))
  const script = call.arguments.find(({ kind }) => kind === 'script')?.word
  const operands = call.program!.verbs ? call.operands.slice(1) : call.operands
  const byFile = script !== undefined || has(call, 'm')
  const place = verb !== undefined ? (call.verb === verb ? 1 : undefined) : operand
  if (words.length === 0 && !byFile && place !== undefined) words.push(...call.operands.slice(place, place + 1))
  if (words.length > 0) return { source: { language, words } }
  const file = script ?? (has(call, 'm') ? null : (operands[0] ?? null))
  if (file && descriptorOf(file.literal) !== null) return { file, readsInput: true }
  if (interactive) return { readsInput: true }
  if (byFile || file) return place === undefined ? { file } : {}
  return { readsInput: stdin === true && !has(call, 'V v h version help') }
}

function ofWrapper(call: Call, hasCode: boolean): Partial<Unwrapped> {
  const runs = call.program!.runs!
  const { words } = call
  if (runs.unclear && (call.verb === null || has(call, runs.unclear) || runs.unclear.split(' ').includes(call.verb))) {
    return { doubt: 'it starts other programs in its own way' }
  }
  if (runs.after && (call.verb === null || !runs.after.split(' ').includes(call.verb))) return {}
  if (runs.idle && has(call, runs.idle)) return {}
  if (hasCode) return { positional: call.operands.slice(1) }
  let at = call.start
  const doubt =
    call.doubtful && at < words.length
      ? 'it cannot be known where its command begins'
      : runs.doubtful
        ? 'it starts other programs in its own way'
        : null
  // env takes every word with a = for an assignment
  while (runs.assignments && words[at]?.prefix.includes('=')) at += 1
  const skipped = words.slice(at, at + (runs.skip ?? 0))
  at += runs.skip ?? 0
  // su root -c CODE
  const late =
    runs.skip && call.program!.options?.code
      ? words.findIndex((word, index) => index >= call.start && /^(?:-c|--command)$/.test(word.literal ?? ''))
      : -1
  if (late >= 0) return { code: [words.slice(late + 1, late + 2)] }
  const rest = words.slice(at)
  if (rest.length === 0 && runs.shell) return { readsInput: true }
  if (skipped.some((word) => word.splits)) return { commands: [rest], doubt: 'an argument that can be several' }
  if (runs.joined) return { code: rest.length > 0 ? [rest] : [], doubt }
  return { commands: rest.length > 0 ? [rest] : [], doubt }
}

/** A word for a directory that is not written. */
export const here: Word = literalWord('.')
