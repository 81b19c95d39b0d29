/** The script, through unbash (syntax.ts), into every simple command that it can run. Pure, bounded, never throws. */
import type { Flow } from './places.ts'
import type { Opaque, Script } from './script.ts'
import { createSurvey, doubt, MAX_NODES, type Survey, survey } from './survey.ts'
import { readSyntax } from './syntax.ts'
import { type Context, createWalk, type Walk, walkList } from './walk.ts'

/** Longer scripts are opaque as a whole: UTF-16 units. */
export const MAX_SCRIPT_LENGTH = 1_048_576
const MAX_NESTED = 64
const MAX_BRACKETS = 100

const start: Context = { places: [''], background: false, pipedFrom: null, inFunctions: [], compound: false }

/** Every command of a script with its words as far as they are known. `environment` says what $HOME, $PWD and the like are. */
export function parse(source: string, environment: Readonly<Record<string, string>> = {}): Script {
  if (source.length > MAX_SCRIPT_LENGTH) {
    return unread(source, 'too-large', `it is longer than ${MAX_SCRIPT_LENGTH} characters`)
  }
  try {
    return read(source, environment)
  } catch {
    // the stack's end: deeper than anything that a person writes
    return unread(source, 'too-large', 'it nests deeper than can be checked')
  }
}

// brackets alone, whatever quotes surround them: the parser's time grows with the square of their depth
function nestsDeep(source: string): boolean {
  let depth = 0
  for (const [bracket] of source.matchAll(/[(){}]/g)) {
    depth = bracket === '(' || bracket === '{' ? depth + 1 : Math.max(0, depth - 1)
    if (depth > MAX_BRACKETS) return true
  }
  return false
}

function unread(source: string, kind: Opaque['kind'], reason: string): Script {
  return { source, commands: [], opaque: [{ kind, reason, source: source.slice(0, 200) }], syntax: new Set() }
}

function read(source: string, environment: Readonly<Record<string, string>>): Script {
  const surveyed = createSurvey()
  let walked = walkOnce(source, environment, surveyed)
  // code that a walk found in words (sh -c, eval) can assign variables, too: then again, with all of them known
  for (let round = 0; round < 2 && walked.grew; round += 1) walked = walkOnce(source, environment, surveyed)
  if (walked.grew) doubt(surveyed.opaque, 'dynamic-code', 'code in code keeps changing its variables')
  const { commands, syntax } = walked.walk
  return { source, commands, opaque: surveyed.opaque, syntax }
}

function walkOnce(
  source: string,
  environment: Readonly<Record<string, string>>,
  surveyed: Survey,
): { walk: Walk; grew: boolean } {
  let nested = 0
  let before = 0
  surveyed.nodes = 0
  const enter = (code: string, walk: Walk, context: Context): Flow => {
    const tree = nested < MAX_NESTED && surveyed.nodes < MAX_NODES && !nestsDeep(code) ? readSyntax(code) : null
    nested += 1
    if (tree === null) {
      doubt(walk.opaque, 'too-large', 'too deep, or too much code in code')
      return { ok: null, fail: null }
    }
    survey(tree, code, surveyed)
    if (nested === 1) before = sizeOf(surveyed)
    return walkList(tree.commands, { ...walk, source: code }, context)
  }
  const walk = createWalk(
    source,
    { variables: surveyed.variables, functions: surveyed.functions, environment, positional: null, found: new Map() },
    surveyed.opaque,
    enter,
  )
  enter(source, walk, start)
  return { walk, grew: sizeOf(surveyed) > before }
}

function sizeOf(surveyed: Survey): number {
  let size = surveyed.functions.size
  for (const words of surveyed.variables.values()) size += words === 'unknown' ? 1_000 : words.size
  return size
}
