/** What a call starts in turn: commands among its words, shell code, code in its own language, a script file, or what it reads. */
import { cutWord, furtherWords, type InlineCode, literalWord, valuesOf, type Word } from '../script/script.ts'
import { leafOf } from '../script/places.ts'
import { type Call, has, isOn, type Program, splitValues, valuesOfOption } from './program.ts'
import { programOf } from './read-call.ts'

interface Unwrapped {
  commands: readonly (readonly Word[])[] // as words
  code: readonly (readonly Word[])[] // shell code, each piece as words to be joined with spaces
  positional: readonly Word[] // $1, $2 … of that code
  chdir: Word | null // the directory in which it runs them
  source: InlineCode | null // code in a language of its own
  files: readonly Word[] // the script files that it runs
  readsInput: boolean // it runs what it reads
  doubtful: boolean // what it runs cannot be known, or it starts other programs in its own way
}

/** What most calls start. */
const nothing: Unwrapped = {
  ...{ commands: [], code: [], positional: [], chdir: null },
  ...{ source: null, files: [], readsInput: false, doubtful: false },
}

/** Standard input by another name: /dev/stdin, /dev/fd/3, /proc/self/fd/0. The number, or null for any other path. */
export function descriptorOf(path: string | null): number | null {
  if (path === '-' || path === '/dev/stdin') return 0
  const found = /^(?:\/dev\/fd|\/proc\/(?:self|thread-self|\$\$|\d+)\/fd)\/+(\d+)$/.exec(
    path?.replace(/\/+/g, '/') ?? '',
  )
  return found ? Number(found[1]) : null
}

/** What a call starts; told once. */
export function startedBy(call: Call & { started?: Unwrapped }): Unwrapped {
  if (call.started) return call.started
  const { program } = call
  const given = program?.appends ? call.commands.map(withPlace) : call.commands
  const commands = program?.hands ? handed(call, given, program.hands) : given
  const code: (readonly Word[])[] = []
  for (const { kind, word, option } of call.arguments) {
    if (kind === 'code') code.push(isOn(program?.goesOn ?? '', option ?? '') ? [word, furtherWords] : [word])
  }
  if (program?.codes) code.push(...program.codes(call).map((word) => [word, furtherWords]))
  const own = program && ofProgram(call, program)
  // configuration that can name programs is code where it comes through a pipe
  const options = call.arguments.filter(({ kind }) => kind === 'script')
  const files = [...options.map(({ word }) => word), ...(own?.files ?? [])]
  if (!own && code.length === 0 && commands.length === 0 && files.length === 0) return (call.started = nothing)
  const chdir = call.arguments.find(({ kind }) => kind === 'dir')?.word ?? null
  return (call.started = { ...nothing, commands, chdir, ...own, code: [...code, ...(own?.code ?? [])], files })
}

// fd's {}, {/} and the like
const withPlace = (words: readonly Word[]): readonly Word[] =>
  words.some(({ prefix }) => /\{\/?[/.]?\}/.test(prefix)) ? words : [...words, literalWord('{}')]

// find's {}
function handed(call: Call, commands: Call['commands'], hands: NonNullable<Program['hands']>): Call['commands'] {
  const names = commands.length > 0 ? hands(call) : null
  if (!names) return commands
  const fill = (word: Word): Word => {
    if (!word.literal?.includes('{}')) return word
    const texts = names.map((name) => word.literal!.replaceAll('{}', name))
    return { ...word, literal: null, fields: texts.map((text) => [text]), prefix: texts[0]!, glob: true }
  }
  return commands.map((words) => words.map(fill))
}

function ofProgram(call: Call, program: Program): Partial<Unwrapped> | null {
  if (isUnclear(call, program)) return { doubtful: true }
  if (program.sources) return { ...ofSourced(call.operands), commands: scriptedCall(call) }
  if (program.shell) return ofShell(call)
  const { language } = program
  const interprets = language && (!program.runs || call.arguments.some(({ kind }) => kind === 'source'))
  if (interprets) return ofInterpreter(call, program, language)
  if (program.runs) return ofWrapper(call, program)
  // an option of another program among the words of a value
  return splitValues(call)
    .flat()
    .some((word) => word.startsWith('-'))
    ? { doubtful: true }
    : null
}

// `sh rish -c …` is `rish -c …`
function scriptedCall({ operands }: Call): Call['commands'] {
  const paths = (operands[0] && valuesOf(operands[0])) ?? []
  return paths.some((path) => programOf(leafOf(path))?.scripted) ? [operands] : []
}

const isUnclear = (call: Call, { unclear }: Program) =>
  unclear !== undefined && (call.verb === null || has(call, unclear) || isOn(unclear, call.verb))

function ofSourced([file]: readonly Word[]): Partial<Unwrapped> {
  return file ? { files: [file], doubtful: file.fields === null } : {}
}

function ofShell(call: Call): Partial<Unwrapped> {
  const [first] = call.operands
  const wantsCode = has(call, 'c')
  if (first?.splits) {
    const own = wantsCode ? { code: first.fields ? [[first]] : [] } : { files: [first] }
    return { ...own, commands: scriptedCall(call), doubtful: true }
  }
  // dash reads on behind its code, too
  const readsInput = has(call, 's stdin shinstdin')
  if (wantsCode) return first ? { code: [[first]], positional: call.operands.slice(2), readsInput } : { doubtful: true }
  if (has(call, 'version help')) return {}
  if (!first || readsInput) return { readsInput: true }
  if (descriptorOf(first.literal) !== null) return { readsInput: true, files: [first] }
  // ksh takes for code what is no file
  const code = call.program?.codeAt === 0 ? [[first]] : []
  const doubtful = first.literal === null && first.fields === null
  return { files: [first], code, commands: scriptedCall(call), doubtful }
}

function ofInterpreter(call: Call, program: Program, language: string): Partial<Unwrapped> {
  if (program.idle && has(call, program.idle)) return {}
  const { codeAt, codeAfter, stdin, interactive } = program
  const words = call.arguments.filter(({ kind }) => kind === 'source').map(({ word }) => word)
  if (language === 'editor') words.push(...call.operands.filter((word) => /^\+./.test(word.prefix)))
  const module = valuesOfOption(call, 'm')[0]
  if (module !== undefined && program.codeModules?.test(module)) words.push(...call.operands)
  const byFile = call.arguments.some(({ kind }) => kind === 'script')
  const place = codeAfter === undefined ? codeAt : call.verb === codeAfter ? 1 : undefined
  if (words.length === 0 && !byFile && module === undefined && place !== undefined) {
    words.push(...call.operands.slice(place, place + 1))
  }
  const asks =
    program.askingModules?.test(module ?? '') || (program.asksWith !== undefined && has(call, program.asksWith))
  if (words.length > 0) return { source: { language, text: textIn(words) }, readsInput: asks }
  const file = byFile || module !== undefined ? undefined : call.operands[program.verbs ? 1 : 0]
  if (file && descriptorOf(file.literal) !== null) return { files: [file], readsInput: true }
  if (interactive || asks) return { files: file && !interactive ? [file] : [], readsInput: true }
  if (byFile || module !== undefined || file) return place === undefined && file ? { files: [file] } : {}
  return { readsInput: stdin === true && !has(call, 'V v h version help') }
}

function textIn(words: readonly Word[]): string | null {
  const texts = words.map(({ fields }) => (fields?.length === 1 ? fields[0]!.join(' ') : null))
  return texts.includes(null) ? null : texts.join('\n').slice(0, 65_536)
}

const insteadOfWords = /^(?:c|(?:session-)?command)$/

function ofWrapper(call: Call, program: Program): Partial<Unwrapped> {
  const { words, verb } = call
  const { after, idle, whole } = program
  const skip = whole && has(call, whole) ? 0 : (program.skip ?? 0)
  if (after && (verb === null || !isOn(after, verb))) return {}
  if (idle && has(call, idle)) return {}
  const isInstead = call.arguments.some(({ kind, option }) => kind === 'code' && insteadOfWords.test(option ?? ''))
  if (isInstead) return { positional: call.operands.slice(1) }
  let at = call.start
  const doubtful = program.doubtful !== undefined || (call.doubtful && at < words.length)
  // env takes a dash for -i, and every word with a = for an assignment
  while (program.assignments && (words[at]?.literal === '-' || words[at]?.prefix.includes('='))) at += 1
  if (skip > 0 && [...program.options.values()].includes('code')) {
    const late = codeBehind(words, call.start + skip)
    if (late) return { code: [late] }
  }
  const inner = words.slice(at + skip + (skip > 0 && words[at + skip]?.literal === '--' ? 1 : 0))
  if (inner.length === 0 && program.orShell) return { readsInput: true }
  if (words.slice(at, at + skip).some(({ splits }) => splits)) return { commands: [inner], doubtful: true }
  const found = inner.length > 0 ? [inner] : []
  return program.joined ? { code: found, doubtful } : { commands: found, doubtful }
}

// flock FILE -c CODE: right there, as the same letter may be an option of a command
function codeBehind(words: readonly Word[], at: number): readonly Word[] | null {
  const { prefix = '' } = words[at] ?? {}
  const glued = /^-c(?=.)|^--command=/.exec(prefix)?.[0]
  if (glued) return [cutWord(words[at]!, glued.length)]
  return prefix === '-c' || prefix === '--command' ? words.slice(at + 1, at + 2) : null
}
