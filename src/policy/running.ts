/** What a command runs: itself, what its wrappers run, and the code that it hands to a shell or an interpreter. */
import { type Frame, record } from './frames.ts'
import { findCode, startsPrograms } from './interpreters.ts'
import { type Peeled, peel, peelFind } from './peel.ts'
import { change, joinPath } from './places.ts'
import type { InlineCode, SimpleCommand, Word } from './script.ts'
import { valuesOf } from './script.ts'
import { shellCode } from './shells.ts'
import { doubt } from './survey.ts'
import type { Context, Walk } from './walk.ts'
import { literalWord } from './words.ts'
import { wrapperOf } from './wrappers.ts'

const MAX_LEVELS = 8
const MAX_CANDIDATES = 8
const MAX_WRITTEN = 64

/** Records a command and everything that it runs in turn. */
export function run(frame: Frame, walk: Walk, context: Context): void {
  if (frame.wrappers.length > MAX_LEVELS + walk.wrappers.length) {
    doubt(walk.opaque, 'too-large', 'wrapped in too many commands', frame.source)
    return
  }
  const name = frame.words[0]
  if (name && (name.literal === null || name.glob)) runCandidates(frame, walk, context)
  const made = record(frame, walk, context)
  if (made.path === null) return
  note(made, walk)
  if (made.path) runInside(made, frame, walk, context)
}

// the name is an expansion: what it can be is tried, and the doubt stays
function runCandidates(frame: Frame, walk: Walk, context: Context): void {
  const [name, ...others] = frame.words
  doubt(walk.opaque, 'dynamic-name', `which command ${name!.source} is, is only known when it runs`, frame.source)
  for (const fields of name!.glob ? [] : (name!.fields ?? []).slice(0, MAX_CANDIDATES)) {
    const words = [...fields.map(literalWord), ...others]
    if (words[0] && words[0].literal !== null) run({ ...frame, words }, walk, context)
  }
}

function runInside(made: SimpleCommand, frame: Frame, walk: Walk, context: Context): void {
  if (made.name === 'alias') doubt(walk.opaque, 'dynamic-code', 'an alias changes what later words mean', made.source)
  if (made.name === 'set' && made.args.some((arg) => /^-\w*e/.test(arg) || arg === 'errexit')) {
    walk.errexit ||= !context.compound
  }
  const wrapper = wrapperOf(made.name)
  const file = made.path?.includes('/') ? made.path : /^(?:\.|source)$/.test(made.name) ? made.words[1]?.literal : null
  runWritten(made, file, walk, context)
  if (made.name === 'find') runFind(made, frame, walk, context)
  else if (made.name === 'trap') runTrap(made, walk, context)
  else if (wrapper) runPeeled(made, peel(frame.words, wrapper), frame, walk, context)
  else if (!runShell(made, frame, walk, context)) findInline(made, frame, walk)
}

// a script that this very script writes and then runs
function note(made: SimpleCommand, walk: Walk): void {
  const target = made.redirections.find((one) => /^>/.test(one.operator) && one.target?.literal)?.target?.literal
  if (!target) return
  const here = made.redirections.find((one) => one.operator.startsWith('<<'))?.text
  const text =
    made.name === 'echo' || made.name === 'printf'
      ? made.args.filter((arg) => !/^-[neE]$/.test(arg)).join(' ')
      : (here ?? null)
  if (text !== null && walk.written.size < MAX_WRITTEN) walk.written.set(tidy(target), text)
}

const tidy = (path: string) => path.replace(/^(?:\.\/)+/, '')

function runFind(made: SimpleCommand, frame: Frame, walk: Walk, context: Context): void {
  if (frame.words.some((word) => word.splits && word.fields === null)) {
    doubt(walk.opaque, 'dynamic-code', 'an unknown argument of find can start programs', made.source)
  }
  for (const words of peelFind(frame.words)) inner(words, made, frame, walk, context)
}

function runTrap(made: SimpleCommand, walk: Walk, context: Context): void {
  const code = made.words.find((word, index) => index > 0 && word.literal !== '--')
  if (!code || code.literal === '-' || code.literal === '') return
  if (made.words.length === 2) return
  handCode(made, [code], [], walk, { ...context, compound: true })
}

function inner(
  words: readonly Word[],
  made: SimpleCommand,
  frame: Frame,
  walk: Walk,
  context: Context,
  fed = false,
): void {
  if (words.length === 0) return
  const source = words
    .map((word) => word.source)
    .join(' ')
    .slice(0, 500)
  run(
    {
      ...frame,
      words,
      source,
      assignments: frame.assignments,
      wrappers: [...frame.wrappers, made.name],
      fed: frame.fed || fed,
    },
    walk,
    context,
  )
}

function runPeeled(made: SimpleCommand, peeled: Peeled, frame: Frame, walk: Walk, context: Context): void {
  const own = isOwn(made, peeled, walk)
  if (peeled.doubt && !own) doubt(walk.opaque, 'dynamic-code', `${made.name}: ${peeled.doubt}`, made.source)
  // env -C
  const there = peeled.chdir ? { ...context, places: change(context.places, valuesOf(peeled.chdir)) } : context
  if (peeled.code) handCode(made, peeled.code, peeled.positional.slice(1), walk, there)
  const doubts = walk.opaque.length
  if (made.name === 'xargs') runFed(made, peeled.words, frame, walk, context)
  else inner(peeled.words, made, frame, walk, there)
  if (own) walk.opaque.length = doubts
}

// `./script` is a program of that path, not util-linux's `script`: what that would run is looked at, but raises no doubts
function isOwn({ path, places, wrappers }: SimpleCommand, { wrapper }: Peeled, walk: Walk): boolean {
  if (wrapper.doubtful !== 'in-bin' || !path?.includes('/')) return false
  const start = walk.scope.environment.PWD ?? ''
  // where find's -execdir goes is not known
  const from = path.startsWith('/') ? ['/'] : wrappers.includes('find') ? [] : (places ?? [])
  // anywhere below: Debian's /usr/bin/X11 is /usr/bin
  const inBin = (place: string) => /(?:^|\/)[a-z]*bin\//.test(joinPath(joinPath(start, place), path))
  return from.length > 0 && !from.some(inBin)
}

function runFed(made: SimpleCommand, peeled: readonly Word[], frame: Frame, walk: Walk, context: Context): void {
  const fed = feedOf(made)
  const replace = made.args.some((arg) => /^-[iI]|^--replace/.test(arg))
  const words = fed && !replace ? [...peeled, ...fed] : peeled
  const head = words[0]?.literal ?? ''
  const shifts = words.slice(1).every((word) => word.literal?.startsWith('-'))
  if (/^(?:sh|bash|dash|ash|ksh|mksh|zsh|eval|su|find)$/.test(head) && (shifts || replace)) {
    doubt(walk.opaque, 'stdin-code', 'xargs hands unknown words to a program that runs them', made.source)
  }
  if (wrapperOf(head) && shifts) {
    doubt(walk.opaque, 'dynamic-name', 'xargs hands the name of a command to another', made.source)
  }
  if (replace && words.some((word, index) => index > 0 && word.literal === head)) {
    doubt(walk.opaque, 'dynamic-name', 'xargs puts its input in the place of a command', made.source)
  }
  inner(words, made, frame, walk, context, fed === null)
}

// what `echo a b |` and `printf` feed is known
function feedOf(made: SimpleCommand): Word[] | null {
  const from = made.pipedFrom
  if (from === null || from.unknownArgs || (from.name !== 'echo' && from.name !== 'printf')) return null
  const text = from.args.join(' ')
  return /[\\%'"]/.test(text) ? null : text.split(/\s+/).filter(Boolean).map(literalWord)
}

function runShell(made: SimpleCommand, frame: Frame, walk: Walk, context: Context): boolean {
  const found = shellCode(made.name, frame.words)
  if (!found) return false
  if (found.code) handCode(made, [found.code], found.positional, walk, context)
  else if (found.readsInput) handInput(made, walk, context)
  else if (found.file !== null) runWritten(made, found.file, walk, context)
  else if (found.unknown) {
    doubt(walk.opaque, 'dynamic-code', `what ${made.name} runs is only known when it runs`, made.source)
  }
  return true
}

function handCode(
  made: SimpleCommand,
  words: readonly Word[],
  positional: readonly Word[],
  walk: Walk,
  context: Context,
): void {
  if (words.some((word) => word.fields === null || (word.glob && word.literal === null))) {
    doubt(walk.opaque, 'dynamic-code', `the code that ${made.name} runs is only known when it runs`, made.source)
  }
  const texts = words.map((word) => word.fields?.map((fields) => fields.join(' ')) ?? [])
  const most = Math.min(MAX_CANDIDATES, Math.max(...texts.map((values) => values.length), 0))
  for (let index = 0; index < most; index += 1) {
    const code = texts.map((values) => values[Math.min(index, values.length - 1)] ?? '').join(' ')
    nest(code, made, positional, walk, context)
  }
}

function runWritten(made: SimpleCommand, file: string | null | undefined, walk: Walk, context: Context): void {
  const text = file ? walk.written.get(tidy(file)) : undefined
  if (text === undefined || (text.startsWith('#!') && !/^#!.*sh\b/.test(text))) return
  // a file is a program like any other: what it holds is looked at, but raises no doubts
  const doubts = walk.opaque.length
  nest(text, made, [], walk, context)
  walk.opaque.length = doubts
}

function handInput(made: SimpleCommand, walk: Walk, context: Context): void {
  const here = made.redirections.find((redirection) => redirection.operator.startsWith('<<'))
  if (here && here.text !== null) {
    nest(here.text, made, [], walk, context)
    return
  }
  const fed = feedOf(made)
  if (fed) nest(fed.map((word) => word.literal).join(' '), made, [], walk, context)
  const file = made.redirections.some((redirection) => redirection.operator === '<')
  if (here || made.pipedFrom || !file) doubt(walk.opaque, 'stdin-code', `${made.name} runs what it reads`, made.source)
}

function nest(code: string, made: SimpleCommand, positional: readonly Word[], walk: Walk, context: Context): void {
  if (walk.level >= MAX_LEVELS) {
    doubt(walk.opaque, 'too-large', 'code in code, nested too deep', made.source)
    return
  }
  const scope = {
    ...walk.scope,
    found: new Map(),
    positional: made.name === 'eval' || made.name === 'trap' ? walk.scope.positional : positional,
  }
  const inside: Walk = {
    ...walk,
    level: walk.level + 1,
    scope,
    wrappers: [...made.wrappers, made.name],
    seen: new Map(),
  }
  walk.nested(code, inside, { ...context, pipedFrom: made.pipedFrom })
}

function findInline(made: SimpleCommand, frame: Frame, walk: Walk): void {
  const found = findCode(made.name, frame.words.slice(1))
  if (!found) return
  const { language } = found
  const here = made.redirections.find((redirection) => redirection.operator.startsWith('<<'))
  const fed = language === 'sql' ? feedOf(made) : null
  if (found.words.length > 0) made.code = inline(language, found.words)
  else if (found.readsInput && here) made.code = { language, text: here.text }
  else if (found.readsInput && fed) made.code = { language, text: fed.map((word) => word.literal).join(' ') }
  else if (found.readsInput && made.pipedFrom) {
    doubt(walk.opaque, 'stdin-code', `${made.name} runs what it reads`, made.source)
  }
  if (made.code?.text === null) {
    doubt(walk.opaque, 'dynamic-code', `the code that ${made.name} runs is only known when it runs`, made.source)
  } else if (made.code && startsPrograms(language, made.code.text ?? '')) {
    doubt(walk.opaque, 'inline-code', `the code that ${made.name} runs can start programs`, made.source)
  }
}

function inline(language: string, words: readonly Word[]): InlineCode {
  const texts = words.map((word) => (word.fields?.length === 1 ? word.fields[0]!.join(' ') : null))
  return { language, text: texts.includes(null) ? null : texts.join('\n').slice(0, 65_536) }
}
