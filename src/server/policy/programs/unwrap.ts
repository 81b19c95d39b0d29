/** Determines what a call starts: commands among its words, shell code, code in its own language, a script file, or its input. */
import { cutWord, addedWords, type InlineCode, literalWord, valuesOf, type Word } from '../script/script.ts'
import { leafOf } from '../script/directories.ts'
import { type Call, has, isOn, type Program, splitValues, valuesOfOption } from './program.ts'
import { programOf } from './read-call.ts'

interface StartedPrograms {
  commands: readonly (readonly Word[])[] // commands, each as its words
  code: readonly (readonly Word[])[] // shell code, each piece as words to be joined with spaces
  positional: readonly Word[] // $1, $2 … in that code
  chdir: Word | null // the directory in which the commands run
  source: InlineCode | null // code in the program's own language
  files: readonly Word[] // the script files that it runs
  readsInput: boolean // it runs its standard input as code
  doubtful: boolean // it is unclear what the call runs
}

/** The result for most calls. */
const nothing: StartedPrograms = {
  ...{ commands: [], code: [], positional: [], chdir: null },
  ...{ source: null, files: [], readsInput: false, doubtful: false },
}

/** Returns the file descriptor that a path such as /dev/stdin, /dev/fd/3 or /proc/self/fd/0 stands for; null for any other path. */
export function descriptorOf(path: string | null): number | null {
  if (path === '-' || path === '/dev/stdin') return 0
  const found = /^(?:\/dev\/fd|\/proc\/(?:self|thread-self|\$\$|\d+)\/fd)\/+(\d+)$/.exec(
    path?.replace(/\/+/g, '/') ?? '',
  )
  return found ? Number(found[1]) : null
}

/** Returns what a call starts. Cached on the call. */
export function startedBy(call: Call & { started?: StartedPrograms }): StartedPrograms {
  if (call.started) return call.started
  const { program } = call
  const given = program?.appendsPlaceholder ? call.commands.map(withPlaceholder) : call.commands
  const commands = program?.placeholders ? fillPlaceholders(call, given, program.placeholders) : given
  const code: (readonly Word[])[] = []
  for (const { kind, word, option } of call.arguments) {
    if (kind === 'code') code.push(isOn(program?.addsWords ?? '', option ?? '') ? [word, addedWords] : [word])
  }
  if (program?.codes) code.push(...program.codes(call).map((word) => [word, addedWords]))
  const own = program && ofProgram(call, program)
  // configuration files can name programs, so they are read like scripts
  const options = call.arguments.filter(({ kind }) => kind === 'script')
  const files = [...options.map(({ word }) => word), ...(own?.files ?? [])]
  if (!own && code.length === 0 && commands.length === 0 && files.length === 0) return (call.started = nothing)
  const chdir = call.arguments.find(({ kind }) => kind === 'dir')?.word ?? null
  return (call.started = { ...nothing, commands, chdir, ...own, code: [...code, ...(own?.code ?? [])], files })
}

// appends {} to a command of fd that contains no placeholder such as {} or {/}
const withPlaceholder = (words: readonly Word[]): readonly Word[] =>
  words.some(({ prefix }) => /\{\/?[/.]?\}/.test(prefix)) ? words : [...words, literalWord('{}')]

// replaces {} in the commands of find
function fillPlaceholders(
  call: Call,
  commands: Call['commands'],
  hands: NonNullable<Program['placeholders']>,
): Call['commands'] {
  const names = commands.length > 0 ? hands(call) : null
  if (!names) return commands
  const fill = (word: Word): Word => {
    if (!word.literal?.includes('{}')) return word
    const texts = names.map((name) => word.literal!.replaceAll('{}', name))
    return { ...word, literal: null, fields: texts.map((text) => [text]), prefix: texts[0]!, glob: true }
  }
  return commands.map((words) => words.map(fill))
}

function ofProgram(call: Call, program: Program): Partial<StartedPrograms> | null {
  if (isUnclear(call, program)) return { doubtful: true }
  if (program.sources) return { ...ofSourced(call.operands), commands: scriptedCall(call) }
  if (program.shell) return ofShell(call)
  const { language } = program
  const interprets = language && (!program.runs || call.arguments.some(({ kind }) => kind === 'source'))
  const isDoubtful = mayTakeCode(call, program)
  if (interprets || program.runs) {
    const found = interprets ? ofInterpreter(call, program, language) : ofWrapper(call, program)
    return isDoubtful ? { ...found, doubtful: true } : found
  }
  if (isDoubtful) return { doubtful: true }
  // a value that is passed on unquoted can contain an option of another program
  return splitValues(call)
    .flat()
    .some((word) => word.startsWith('-'))
    ? { doubtful: true }
    : null
}

// $x-C: if the variable is empty, it is the option -C
const maybeOption = /^(?:"?\$(?:[@*\w]|\{[^}]*\})+"?)+(-.*)$/s

// whether a word may be an option that takes code
const mayTakeCode = ({ words }: Call, { options, startsOthers }: Program) =>
  words.some(({ fields, source }) => {
    const option = fields === null ? maybeOption.exec(source)?.[1] : undefined
    if (option === undefined) return false
    const [, dashes, name = ''] = /^(--?)([\w-]*)/.exec(option)!
    const names = dashes === '--' ? [name] : [name, ...name]
    return startsOthers?.test(option) === true || names.some((one) => options.get(one) === 'code')
  })

// `sh rish -c …` is `rish -c …`
function scriptedCall({ operands }: Call): Call['commands'] {
  const paths = (operands[0] && valuesOf(operands[0])) ?? []
  return paths.some((path) => programOf(leafOf(path))?.scripted) ? [operands] : []
}

const isUnclear = (call: Call, { unclear }: Program) =>
  unclear !== undefined && (call.verb === null || has(call, unclear) || isOn(unclear, call.verb))

function ofSourced([file]: readonly Word[]): Partial<StartedPrograms> {
  return file ? { files: [file], doubtful: file.fields === null } : {}
}

function ofShell(call: Call): Partial<StartedPrograms> {
  const [first] = call.operands
  const wantsCode = has(call, 'c')
  if (first?.splits) {
    const own = wantsCode ? { code: first.fields ? [[first]] : [] } : { files: [first] }
    return { ...own, commands: scriptedCall(call), doubtful: true }
  }
  // with -s, dash also reads stdin if it has code
  const readsInput = has(call, 's stdin shinstdin')
  if (wantsCode) return first ? { code: [[first]], positional: call.operands.slice(2), readsInput } : { doubtful: true }
  if (has(call, 'version help')) return {}
  if (!first || readsInput) return { readsInput: true }
  if (descriptorOf(first.literal) !== null) return { readsInput: true, files: [first] }
  // ksh runs the operand as code if no such file exists
  const code = call.program?.codeAt === 0 ? [[first]] : []
  const doubtful = first.literal === null && first.fields === null
  return { files: [first], code, commands: scriptedCall(call), doubtful }
}

function ofInterpreter(call: Call, program: Program, language: string): Partial<StartedPrograms> {
  if (program.idle && has(call, program.idle)) return {}
  const { codeAt, codeAfter, stdin, interactive } = program
  const words = call.arguments.filter(({ kind }) => kind === 'source').map(({ word }) => word)
  if (language === 'editor') words.push(...call.operands.filter((word) => /^\+./.test(word.prefix)))
  const module = valuesOfOption(call, 'm')[0]
  if (module !== undefined && program.codeModules?.test(module)) words.push(...call.operands)
  const byFile = call.arguments.some(({ kind }) => kind === 'script')
  const codeIndex = codeAfter === undefined ? codeAt : call.verb === codeAfter ? 1 : undefined
  if (words.length === 0 && !byFile && module === undefined && codeIndex !== undefined) {
    words.push(...call.operands.slice(codeIndex, codeIndex + 1))
  }
  const asks =
    program.readsInputModules?.test(module ?? '') ||
    (program.readsInputWith !== undefined && has(call, program.readsInputWith))
  if (words.length > 0) return { source: { language, text: textIn(words) }, readsInput: asks }
  const file = byFile || module !== undefined ? undefined : call.operands[program.verbs ? 1 : 0]
  if (file && descriptorOf(file.literal) !== null) return { files: [file], readsInput: true }
  if (interactive || asks) return { files: file && !interactive ? [file] : [], readsInput: true }
  if (byFile || module !== undefined || file) return codeIndex === undefined && file ? { files: [file] } : {}
  return { readsInput: stdin === true && !has(call, 'V v h version help') }
}

function textIn(words: readonly Word[]): string | null {
  const texts = words.map(({ fields }) => (fields?.length === 1 ? fields[0]!.join(' ') : null))
  return texts.includes(null) ? null : texts.join('\n').slice(0, 65_536)
}

const insteadOfWords = /^(?:c|(?:session-)?command)$/

function ofWrapper(call: Call, program: Program): Partial<StartedPrograms> {
  const { words, verb } = call
  const { after, idle, noSkipWith } = program
  const skip = noSkipWith && has(call, noSkipWith) ? 0 : (program.skip ?? 0)
  if (after && (verb === null || !isOn(after, verb))) return {}
  if (idle && has(call, idle)) return {}
  const isInstead = call.arguments.some(({ kind, option }) => kind === 'code' && insteadOfWords.test(option ?? ''))
  if (isInstead) return { positional: call.operands.slice(1) }
  let at = call.start
  const doubtful = program.doubtful !== undefined || (call.doubtful && at < words.length)
  // env accepts a single dash in place of -i, and treats every word that contains = as an assignment
  while (program.assignments && (words[at]?.literal === '-' || words[at]?.prefix.includes('='))) at += 1
  if (skip > 0 && [...program.options.values()].includes('code')) {
    const late = codeBehind(words, call.start + skip)
    if (late) return { code: [late] }
  }
  // su takes its options anywhere, and a dash for a login
  const mixes = program.noSkipWith !== undefined && !program.ordered
  const given = mixes ? call.operands.filter(({ literal }) => literal !== '-') : words.slice(at)
  const inner = given.slice(skip + (skip > 0 && given[skip]?.literal === '--' ? 1 : 0))
  if (inner.length === 0 && program.orShell) return { readsInput: true }
  if (given.slice(0, skip).some(({ splits }) => splits)) return { commands: [inner], doubtful: true }
  const found = inner.length > 0 ? [inner] : []
  if (!program.joined) return { commands: found, doubtful }
  // after the words that it skips, sg reads one word
  return { code: skip > 0 ? found.flatMap((words) => [words.slice(0, 1), words]) : found, doubtful }
}

// flock FILE -c CODE: only directly after the file, because the command may have the same option
function codeBehind(words: readonly Word[], at: number): readonly Word[] | null {
  const { prefix = '' } = words[at] ?? {}
  const glued = /^-c(?=.)|^--command=/.exec(prefix)?.[0]
  if (glued) return [cutWord(words[at]!, glued.length)]
  return prefix === '-c' || prefix === '--command' ? words.slice(at + 1, at + 2) : null
}
