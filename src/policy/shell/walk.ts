/** The second walk: through the script's structure in the order in which it runs, to every simple command and where it runs. */
import { calledBy, flowOf, itemsOf, redirectionOf, walkSimple } from './commands.ts'
import { inputOf } from './input.ts'
import { either, type Flow, lost, nowhere, type Point, setting, staying, union } from './places.ts'
import { record } from './running.ts'
import { literalWord, type Redirection } from './script.ts'
import type { Walk } from './state.ts'
import { doubt } from './survey.ts'
import {
  type AndOr,
  type Command,
  type CommandNode,
  type CompoundList,
  forEachChild,
  type Pipeline,
  type PipelineNode,
  type Redirection as RedirectionNode,
  type Statement,
  type SyntaxNode,
} from './syntax.ts'

const MAX_COMMANDS = 1_000
const MAX_CALLS = 8
const ROUNDS = 3

/** Walks a list of statements; returns where the next one runs. */
export function walkList(list: readonly Statement[], walk: Walk): Flow {
  let flow: Flow = { ok: walk.here, fail: nowhere }
  if (list.length > 1) walk.syntax.add('sequence')
  for (const statement of list) {
    if (walk.commands.length > MAX_COMMANDS) {
      doubt(walk, 'too-large', `it has more than ${MAX_COMMANDS} commands`)
      break
    }
    const here = either(flow)
    flow = walkStatement(statement, { ...walk, here })
    // after `set -e` a failing plain command ends the script
    const isLast = here.set.has('-e') && !walk.compound && statement.command.type === 'Command'
    if (isLast) flow = { ok: flow.ok, fail: nowhere }
  }
  return flow
}

function walkStatement({ command, background }: Statement, walk: Walk): Flow {
  if (!background) return walkNode(command, walk)
  walk.syntax.add('background')
  walkNode(command, { ...walk, background: true })
  return { ok: walk.here, fail: nowhere }
}

function walkNode(node: AndOr | PipelineNode, walk: Walk): Flow {
  if (node.type === 'Command') return walkCommand(node, walk)
  if (node.type === 'AndOr') return walkAndOr(node, walk)
  if (node.type === 'Pipeline') return walkPipeline(node, walk)
  walk.syntax.add('compound')
  return walkCompound(node, { ...walk, compound: true })
}

function walkCommand(node: Command, walk: Walk): Flow {
  if (!walk.seen.has(node)) for (const item of itemsOf(node)) substitutions(item, walk)
  const made = walkSimple(node, walk)
  const name = calledBy(made)[0]?.literal ?? ''
  return walk.functions.has(name) ? callFunction(name, walk) : flowOf(made, walk)
}

function walkAndOr(node: AndOr, walk: Walk): Flow {
  walk.syntax.add('and-or')
  let flow = walkNode(node.commands[0]!, walk)
  for (const [index, operator] of node.operators.entries()) {
    const isAnd = operator === '&&'
    const next = walkNode(node.commands[index + 1]!, { ...walk, here: isAnd ? flow.ok : flow.fail })
    flow = isAnd ? { ok: next.ok, fail: union(flow.fail, next.fail) } : { ok: union(flow.ok, next.ok), fail: next.fail }
  }
  return flow
}

function walkPipeline(node: Pipeline, walk: Walk): Flow {
  if (node.prefixes.length > 0) walk.syntax.add('negation')
  // a program that the syntax names outright
  if (node.prefixes.some((prefix) => prefix.type === 'Time')) {
    record({ ...nothing, words: [literalWord('time')], source: 'time', wrappers: walk.wrappers }, walk)
  }
  if (node.commands.length === 1) {
    const flow = walkNode(node.commands[0]!, walk)
    return node.prefixes.some((prefix) => prefix.type === 'Negation') ? { ok: flow.fail, fail: flow.ok } : flow
  }
  walk.syntax.add('pipe')
  let pipedFrom = walk.pipedFrom
  let last = staying(walk.here)
  for (const command of node.commands) {
    last = walkNode(command, { ...walk, pipedFrom })
    pipedFrom = walk.commands.at(-1) ?? null
  }
  // most shells run every part in a subshell, some run the last one in place
  return staying(union(walk.here, either(last)))
}

type Compound = Exclude<CommandNode, { type: 'Command' }>
const nothing = { words: [], assignments: [], redirections: [], source: '', fed: false }

function walkCompound(node: Compound, walk: Walk): Flow {
  switch (node.type) {
    case 'Redirected':
      return walkNode(node.command, { ...walk, input: inputOf(redirect(node.redirects, walk), walk) })
    case 'BraceGroup':
      return walkBody(node.body, walk)
    case 'Subshell':
      walk.syntax.add('subshell')
      walkBody(node.body, walk)
      return staying(walk.here)
    case 'If':
      return walkIf(node, walk)
    case 'While':
      return loop(walk, (at) => {
        const test = walkBody(node.clause, at)
        const body = walkBody(node.body, { ...at, here: either(test) })
        return union(either(test), either(body))
      })
    case 'For':
      for (const word of node.wordlist ?? []) substitutions(word, walk)
      return loop(walk, (at) => either(walkBody(node.body, { ...at, here: setting(at.here, node.name.text) })))
    case 'Case':
      return walkCase(node, walk)
    case 'Function':
      return define(node.name.text, node.body, walk)
    case 'TestCommand':
    case 'ArithmeticCommand':
      substitutions(node, walk)
      return staying(walk.here)
    default:
      // the gate has made it opaque already; what it holds is found all the same
      substitutions(node, walk)
      return staying(lost(walk.here))
  }
}

function walkBody(body: CompoundList, walk: Walk): Flow {
  return walkList(body.commands, walk)
}

function walkIf(node: Extract<CommandNode, { type: 'If' }>, walk: Walk): Flow {
  let after = nowhere
  let test = walkBody(node.clause, walk)
  const take = (body: CompoundList, here: Point) => {
    after = union(after, either(walkBody(body, { ...walk, here })))
  }
  take(node.then, test.ok)
  for (const branch of node.elif) {
    test = walkBody(branch.clause, { ...walk, here: test.fail })
    take(branch.then, test.ok)
  }
  if (node.else) take(node.else, test.fail)
  else after = union(after, test.fail)
  return staying(after)
}

function walkCase(node: Extract<CommandNode, { type: 'Case' }>, walk: Walk): Flow {
  substitutions(node.word, walk)
  let after = walk.here
  for (const item of node.items) {
    for (const pattern of item.pattern) substitutions(pattern, walk)
    after = union(after, either(walkBody(item.body, walk)))
  }
  return staying(after)
}

// the body may run again where its last round left off
function loop(walk: Walk, body: (walk: Walk) => Point): Flow {
  let { here } = walk
  for (let round = 0; round < ROUNDS; round += 1) {
    const after = union(here, body({ ...walk, here }))
    if (after.places?.length === here.places?.length) return staying(here)
    here = after
  }
  here = lost(here)
  body({ ...walk, here })
  return staying(here)
}

function define(name: string, body: SyntaxNode, walk: Walk): Flow {
  walk.syntax.add('function')
  walk.functions.set(name, body)
  callBody(name, body, walk)
  return { ok: walk.here, fail: nowhere }
}

// its body is walked with the caller's places
function callFunction(name: string, walk: Walk): Flow {
  const body = walk.functions.get(name)
  if (!body || walk.inFunctions.includes(name)) return staying(walk.here)
  if (walk.inFunctions.length >= MAX_CALLS) return staying(lost(walk.here))
  return callBody(name, body, walk)
}

function callBody(name: string, body: SyntaxNode, walk: Walk): Flow {
  const inside = { ...walk, compound: true, inFunctions: [...walk.inFunctions, name] }
  if (body.type === 'CompoundList') return walkBody(body, inside)
  return walkNode(body as CommandNode, inside)
}

// redirections without a program of their own
function redirect(nodes: readonly RedirectionNode[], walk: Walk): Redirection[] {
  const redirections = nodes.map((node) => redirectionOf(node, walk))
  walk.syntax.add('redirection')
  record({ ...nothing, redirections, wrappers: walk.wrappers }, walk)
  for (const node of nodes) substitutions(node, walk)
  return redirections
}

// walks the scripts of every substitution inside a node
function substitutions(node: SyntaxNode, walk: Walk): void {
  if (
    node.type === 'CommandExpansion' ||
    node.type === 'ArithmeticCommandExpansion' ||
    node.type === 'ProcessSubstitution'
  ) {
    walk.syntax.add('command-substitution')
    if (node.script) walkList(node.script.commands, { ...walk, pipedFrom: null, compound: true })
    return
  }
  if (node.type === 'ParameterExpansion') walk.syntax.add('parameter-expansion')
  if (node.type === 'Statement') walkStatement(node, walk)
  else forEachChild(node, (child) => substitutions(child, walk))
}
