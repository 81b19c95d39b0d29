/** The script, through unbash (syntax.ts), into every simple command that it can run. Pure, bounded, never throws. */
import { isTooMuch } from './budget.ts'
import type { Flow } from './places.ts'
import type { Flavour, Input, Opaque, Script, SimpleCommand } from './script.ts'
import { type Context, createWalk, type Steps, type Walk } from './state.ts'
import { createSurvey, doubt, MAX_NODES, type Survey, survey } from './survey.ts'
import { readSyntax } from './syntax.ts'
import { callFunction, substitutions, walkList } from './walk.ts'
import { literalWord } from './script.ts'
import { run } from './running.ts'

/** Longer scripts are opaque as a whole: UTF-16 units. */
export const MAX_SCRIPT_LENGTH = 1_048_576
const MAX_NESTED = 64
const MAX_FILES = 8

/** What stands beside the script. */
export interface Beside {
  /** what the request adds to the environment */
  additions?: Readonly<Record<string, string>>
  /** what stands on standard input; null: nothing */
  input?: Input | null
  /** which shell `sh` is; null: not known */
  flavour?: Flavour | null
  /** the text of a script file, by its absolute path; null: none that can be read */
  readFile?: (path: string) => string | null
}

type Environment = Readonly<Record<string, string>>

/** Every command of a script with its words as far as they are known. `environment` says what $HOME, $PWD and the like are. */
export function parse(source: string, environment: Environment = {}, beside: Beside = {}): Script {
  if (source.length > MAX_SCRIPT_LENGTH) {
    return unread(source, 'too-large', `it is longer than ${MAX_SCRIPT_LENGTH} characters`)
  }
  try {
    return read(source, environment, beside)
  } catch {
    // the stack's end: deeper than anything that a person writes
    return unread(source, 'too-large', 'it nests deeper than can be checked')
  }
}

function unread(source: string, kind: Opaque['kind'], reason: string): Script {
  const opaque = [{ kind, reason, source: source.slice(0, 200) }]
  return { source, commands: [], opaque, syntax: new Set(), files: [], volatile: false }
}

function read(source: string, environment: Environment, beside: Beside): Script {
  const surveyed = createSurvey()
  const files = createFiles(beside.readFile)
  let walked = walkOnce(source, environment, surveyed, beside, files.read)
  // code that a walk found in words (sh -c, eval) can assign variables, too: then again, with all of them known
  for (let round = 0; round < 2 && walked.grew; round += 1) {
    walked = walkOnce(source, environment, surveyed, beside, files.read)
  }
  if (walked.grew) doubt(surveyed.opaque, 'dynamic-code', 'code in code keeps changing its variables')
  const { commands, syntax } = walked.walk
  const { opaque } = surveyed
  return { source, commands, opaque, syntax, ...files.told() }
}

// each file is read once for one script, and at most eight
function createFiles(readFile: (path: string) => string | null = () => null) {
  const texts = new Map<string, string | null>()
  return {
    read: (path: string) => {
      if (!texts.has(path) && texts.size < MAX_FILES) texts.set(path, readFile(path))
      return texts.get(path) ?? null
    },
    told: () => ({ files: [...texts.keys()].filter((path) => texts.get(path) !== null), volatile: texts.size > 0 }),
  }
}

const shellNames: Readonly<Record<string, Flavour>> = { bash: 'bash', dash: 'dash', mksh: 'mksh', rbash: 'bash' }

function walkOnce(
  source: string,
  environment: Environment,
  surveyed: Survey,
  beside: Beside,
  readFile: Steps['readFile'],
): { walk: Walk; grew: boolean } {
  let nested = 0
  let before = 0
  surveyed.nodes = 0
  const enter: Steps['nested'] = (code, walk, context, shell): Flow => {
    const tree = nested < MAX_NESTED && surveyed.nodes < MAX_NODES && !isTooMuch(code) ? readSyntax(code) : null
    nested += 1
    if (tree === null) {
      doubt(walk.opaque, 'too-large', 'too deep, or too much code in code')
      return { ok: null, fail: null }
    }
    const flavour = shellNames[shell] ?? (shell === 'sh' || shell === 'eval' ? (beside.flavour ?? null) : null)
    survey(tree, code, flavour, surveyed)
    if (nested === 1) before = sizeOf(surveyed)
    return walkList(tree.commands, { ...walk, source: code }, context)
  }
  const apart = (code: string): readonly SimpleCommand[] => parse(code, environment).commands
  const steps: Steps = { nested: enter, apart, readFile, substitutions, callFunction }
  const { variables, functions, opaque } = surveyed
  const walk = createWalk(
    source,
    { variables, functions, environment, positional: null, found: new Map() },
    opaque,
    steps,
  )
  const start: Context = {
    places: [''],
    background: false,
    pipedFrom: null,
    inFunctions: [],
    compound: false,
    input: beside.input ?? null,
  }
  enterVariables(beside.additions ?? {}, walk, start)
  enter(source, walk, start, 'sh')
  return { walk, grew: sizeOf(surveyed) > before }
}

// what the request adds to the environment is judged like an assignment before every command
function enterVariables(additions: Readonly<Record<string, string>>, walk: Walk, context: Context): void {
  for (const [name, value] of Object.entries(additions)) {
    const assignments = [{ name, word: literalWord(value) }]
    const source = `${name}=${value}`.slice(0, 500)
    run({ words: [], assignments, redirections: [], wrappers: ['env'], source, fed: false }, walk, context)
  }
}

function sizeOf(surveyed: Survey): number {
  let size = surveyed.functions.size
  for (const words of surveyed.variables.values()) size += words === 'unknown' ? 1_000 : words.size
  return size
}
