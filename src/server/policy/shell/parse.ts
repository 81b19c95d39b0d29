/** Parses a script with unbash (syntax.ts) into every simple command that it can run. Pure and bounded; never throws. */
import { emptyParts, run } from './running.ts'
import { type Flavour, type CommandInput, literalWord, type Script } from '../script/script.ts'
import type { Walk } from './state.ts'
import { doubt, doubtIndex, MAX_NODES, sizeOf, type Survey, survey } from './survey.ts'
import { readSyntax } from './syntax.ts'
import { walkList } from './walk.ts'

/** Maximum length of a script in UTF-16 units. A longer script is opaque. */
export const MAX_SCRIPT_LENGTH = 1_048_576
const MAX_NESTED = 64
/** Maximum number of script files that are read, and that are looked for. Beyond either limit the script is opaque. */
const MAX_FILES = 32
const MAX_LOOKED_FOR = 256
/** Maximum number of words in all commands together. Beyond this limit the script is opaque. */
const MAX_WORDS = 5_000

/** What a request contains besides the script. */
interface ParseContext {
  additions?: Readonly<Record<string, string>> | undefined // variables that the request adds to the environment
  input?: CommandInput | null // standard input; null: no input
  flavour?: Flavour | null | undefined // the shell that reads the script; null: unknown
  shFlavour?: Flavour | null | undefined // the shell behind `sh`; null: unknown
  /** returns the text of the script file at an absolute path; null if it cannot be read */
  readFile?: ((path: string) => string | null) | undefined
}

type ShellEnvironment = Readonly<Record<string, string>>

/** Returns every command of a script with its words, as far as they are known. `environment`: the values of HOME, PWD and so on. */
export function parse(source: string, environment: ShellEnvironment = {}, beside: ParseContext = {}): Script {
  try {
    if (source.length <= MAX_SCRIPT_LENGTH) return read(source, environment, beside)
  } catch {
    /* stack overflow: nested deeper than anything that a person writes */
  }
  return { source, commands: [], opaque: ['too-large'], syntax: new Set(), files: [], parseSeparately: () => [] }
}

function read(source: string, environment: ShellEnvironment, beside: ParseContext): Script {
  const surveyed: Survey = {
    variables: new Map(),
    functions: new Set(),
    changed: new Set(),
    opaque: [],
    nodes: 0,
    pipes: { used: false },
  }
  const files = new Map<string, string | null>()
  // each file is read once for one script
  let [found, hasUnread] = [0, false]
  const readFile = (path: string) => {
    if (!beside.readFile || files.has(path)) return files.get(path) ?? null
    if (found >= MAX_FILES || files.size >= MAX_LOOKED_FOR) hasUnread = true
    else files.set(path, beside.readFile(path))
    if (files.get(path)) found += 1
    return files.get(path) ?? null
  }
  const around = { ...beside, readFile }
  let walked = walkOnce(source, environment, surveyed, around)
  // code found in words (sh -c, eval) can assign further variables: then walk again with all of them known
  for (let round = 0; round < 2 && walked.grew; round += 1) walked = walkOnce(source, environment, surveyed, around)
  if (walked.grew) doubt(surveyed, 'dynamic-code')
  if (hasUnread) doubt(surveyed, 'too-large')
  const { commands, opaque, syntax } = walked.walk
  const known = files.size === 0 ? [] : [...files.keys()].filter((path) => files.get(path) !== null)
  return {
    source,
    commands,
    opaque,
    syntax,
    files: known,
    parseSeparately: (code) => parse(code, environment).commands,
  }
}

function walkOnce(
  source: string,
  environment: ShellEnvironment,
  surveyed: Survey,
  { additions = {}, input = null, flavour = null, shFlavour = null, readFile = () => null }: ParseContext,
): { walk: Walk; grew: boolean } {
  let nested = 0
  let before = 0
  surveyed.nodes = 0
  const enter: Walk['nested'] = (code, walk) => {
    const tree = nested < MAX_NESTED && surveyed.nodes < MAX_NODES ? readSyntax(code) : null
    nested += 1
    if (tree === null) return doubt(walk, 'too-large')
    survey(tree, code, walk.flavour, surveyed)
    if (surveyed.nodes > MAX_NODES) return // the survey has already added a doubt
    if (nested === 1) before = sizeOf(surveyed)
    walkList(tree.commands, walk.level === 0 ? walk : { ...walk, source: code })
  }
  const { variables, functions, changed, opaque, pipes } = surveyed
  const walk: Walk = {
    source,
    root: source,
    scope: { variables, functions, environment, zero: null, positional: null, found: new Map(), lookingUp: [] },
    commands: [],
    opaque,
    syntax: new Set(),
    functions: new Map(),
    seen: new Map(),
    written: new Map(),
    aliases: new Set(),
    pipes,
    changed,
    changing: new Map(),
    opened: { input: null },
    level: 0,
    wrappers: [],
    file: null,
    certain: false,
    line: null,
    flavour,
    shFlavour,
    nested: enter,
    readFile,
    budget: { words: MAX_WORDS },
    here: { directories: [''], set: new Set(Object.keys(additions)) },
    background: false,
    pipedFrom: null,
    inFunctions: [],
    returned: null,
    compound: false,
    input,
  }
  // variables that the request adds are judged like assignments before every command
  for (const [name, value] of Object.entries(additions)) {
    doubtIndex(value, flavour, walk)
    const assignments = [{ name, word: literalWord(value) }]
    run({ ...emptyParts, assignments, wrappers: ['env'], source: `${name}=${value}`.slice(0, 500) }, walk)
  }
  enter(source, walk)
  return { walk, grew: sizeOf(surveyed) > before }
}
