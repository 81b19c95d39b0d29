/** The second walk: through the script's structure in the order in which it runs, to every simple command and where it runs. */
import { redirectionOf, walkSimple } from './commands.ts'
import { inputOf } from './input.ts'
import { type Flow, type Places, union } from './places.ts'
import { record } from './running.ts'
import { literalWord, type Redirection } from './script.ts'
import type { Context, Walk } from './state.ts'
import { doubt } from './survey.ts'
import {
  type AndOr,
  childrenOf,
  type CommandNode,
  type CompoundList,
  type Pipeline,
  type PipelineNode,
  type Redirection as RedirectionNode,
  type Statement,
  type SyntaxNode,
} from './syntax.ts'

export const MAX_COMMANDS = 1_000
const MAX_CALLS = 8
const ROUNDS = 3

/** Walks a list of statements; returns where the next one runs. */
export function walkList(list: readonly Statement[], walk: Walk, context: Context): Flow {
  let flow: Flow = { ok: context.places, fail: [] }
  if (list.length > 1) walk.syntax.add('sequence')
  for (const statement of list) {
    if (walk.commands.length > MAX_COMMANDS) {
      doubt(walk.opaque, 'too-large', `it has more than ${MAX_COMMANDS} commands`)
      break
    }
    const places = flow.fail?.length === 0 ? flow.ok : union(flow.ok, flow.fail)
    flow = walkStatement(statement, walk, { ...context, places })
    // after `set -e` a failing plain command ends the script
    if (walk.errexit && !context.compound && statement.command.type === 'Command') flow = { ok: flow.ok, fail: [] }
  }
  return flow
}

function walkStatement({ command, background }: Statement, walk: Walk, context: Context): Flow {
  if (!background) return walkNode(command, walk, context)
  walk.syntax.add('background')
  walkNode(command, walk, { ...context, background: true })
  return { ok: context.places, fail: [] }
}

function walkNode(node: AndOr | PipelineNode, walk: Walk, context: Context): Flow {
  if (node.type === 'Command') return walkSimple(node, walk, context)
  if (node.type === 'AndOr') return walkAndOr(node, walk, context)
  if (node.type === 'Pipeline') return walkPipeline(node, walk, context)
  walk.syntax.add('compound')
  return walkCompound(node, walk, { ...context, compound: true })
}

function walkAndOr(node: AndOr, walk: Walk, context: Context): Flow {
  walk.syntax.add('and-or')
  let flow = walkNode(node.commands[0]!, walk, context)
  for (const [index, operator] of node.operators.entries()) {
    const isAnd = operator === '&&'
    const next = walkNode(node.commands[index + 1]!, walk, { ...context, places: isAnd ? flow.ok : flow.fail })
    flow = isAnd ? { ok: next.ok, fail: union(flow.fail, next.fail) } : { ok: union(flow.ok, next.ok), fail: next.fail }
  }
  return flow
}

function walkPipeline(node: Pipeline, walk: Walk, context: Context): Flow {
  if (node.prefixes.length > 0) walk.syntax.add('negation')
  // a program that the syntax names outright
  if (node.prefixes.some((prefix) => prefix.type === 'Time')) {
    record({ ...nothing, words: [literalWord('time')], source: 'time', wrappers: walk.wrappers }, walk, context)
  }
  if (node.commands.length === 1) {
    const flow = walkNode(node.commands[0]!, walk, context)
    return node.prefixes.some((prefix) => prefix.type === 'Negation') ? { ok: flow.fail, fail: flow.ok } : flow
  }
  walk.syntax.add('pipe')
  let pipedFrom = context.pipedFrom
  let last: Flow = { ok: context.places, fail: context.places }
  for (const command of node.commands) {
    last = walkNode(command, walk, { ...context, pipedFrom })
    pipedFrom = walk.commands.at(-1) ?? null
  }
  // most shells run every part in a subshell, some run the last one in place
  const places = union(context.places, union(last.ok, last.fail))
  return { ok: places, fail: places }
}

type Compound = Exclude<CommandNode, { type: 'Command' }>
const nothing = { words: [], assignments: [], redirections: [], source: '', fed: false }

function walkCompound(node: Compound, walk: Walk, inside: Context): Flow {
  switch (node.type) {
    case 'Redirected': {
      const redirections = redirect(node.redirects, walk, inside)
      return walkNode(node.command, walk, { ...inside, ...inputOf(redirections, inside, walk) })
    }
    case 'BraceGroup':
      return walkBody(node.body, walk, inside)
    case 'Subshell': {
      walk.syntax.add('subshell')
      walkBody(node.body, walk, inside)
      return { ok: inside.places, fail: inside.places }
    }
    case 'If':
      return walkIf(node, walk, inside)
    case 'While':
      return loop(inside, (at) => {
        const test = walkBody(node.clause, walk, at)
        const body = walkBody(node.body, walk, { ...at, places: union(test.ok, test.fail) })
        return union(test.fail, union(test.ok, union(body.ok, body.fail)))
      })
    case 'For':
      for (const word of node.wordlist ?? []) substitutions(word, walk, inside)
      walk.assigned.add(node.name.text)
      return loop(inside, (at) => {
        const body = walkBody(node.body, walk, at)
        return union(body.ok, body.fail)
      })
    case 'Case':
      return walkCase(node, walk, inside)
    case 'Function':
      return define(node.name.text, node.body, walk, inside)
    case 'TestCommand':
    case 'ArithmeticCommand':
      substitutions(node, walk, inside)
      return { ok: inside.places, fail: inside.places }
    default:
      // the gate has made it opaque already; what it holds is found all the same
      substitutions(node, walk, inside)
      return { ok: null, fail: null }
  }
}

function walkBody(body: CompoundList, walk: Walk, context: Context): Flow {
  return walkList(body.commands, walk, context)
}

function walkIf(node: Extract<CommandNode, { type: 'If' }>, walk: Walk, context: Context): Flow {
  let after: Places = []
  let test = walkBody(node.clause, walk, context)
  const take = (body: CompoundList, places: Places) => {
    const flow = walkBody(body, walk, { ...context, places })
    after = union(after, union(flow.ok, flow.fail))
  }
  take(node.then, test.ok)
  for (const branch of node.elif) {
    test = walkBody(branch.clause, walk, { ...context, places: test.fail })
    take(branch.then, test.ok)
  }
  if (node.else) take(node.else, test.fail)
  else after = union(after, test.fail)
  return { ok: after, fail: after }
}

function walkCase(node: Extract<CommandNode, { type: 'Case' }>, walk: Walk, context: Context): Flow {
  substitutions(node.word, walk, context)
  let after = context.places
  for (const item of node.items) {
    for (const pattern of item.pattern) substitutions(pattern, walk, context)
    const flow = walkBody(item.body, walk, context)
    after = union(after, union(flow.ok, flow.fail))
  }
  return { ok: after, fail: after }
}

// the body may run again where its last round left off
function loop(context: Context, body: (context: Context) => Places): Flow {
  let places = context.places
  for (let round = 0; round < ROUNDS; round += 1) {
    const after = union(places, body({ ...context, places }))
    if (after?.length === places?.length) return { ok: places, fail: places }
    places = after
  }
  body({ ...context, places: null })
  return { ok: null, fail: null }
}

function define(name: string, body: SyntaxNode, walk: Walk, context: Context): Flow {
  walk.syntax.add('function')
  walk.functions.set(name, body)
  callBody(name, body, walk, context)
  return { ok: context.places, fail: [] }
}

// its body is walked with the caller's places
export function callFunction(name: string, walk: Walk, context: Context): Flow {
  const body = walk.functions.get(name)
  if (!body || context.inFunctions.includes(name)) return { ok: context.places, fail: context.places }
  if (context.inFunctions.length >= MAX_CALLS) return { ok: null, fail: null }
  return callBody(name, body, walk, context)
}

function callBody(name: string, body: SyntaxNode, walk: Walk, context: Context): Flow {
  const inside = { ...context, compound: true, inFunctions: [...context.inFunctions, name] }
  if (body.type === 'CompoundList') return walkBody(body, walk, inside)
  return walkNode(body as CommandNode, walk, inside)
}

// redirections without a program of their own
function redirect(nodes: readonly RedirectionNode[], walk: Walk, context: Context): Redirection[] {
  const redirections = nodes.map((node) => redirectionOf(node, walk))
  walk.syntax.add('redirection')
  record({ ...nothing, redirections, wrappers: walk.wrappers }, walk, context)
  for (const node of nodes) substitutions(node, walk, context)
  return redirections
}

/** Walks the scripts of every substitution inside a node. */
export function substitutions(node: SyntaxNode, walk: Walk, context: Context): void {
  if (
    node.type === 'CommandExpansion' ||
    node.type === 'ArithmeticCommandExpansion' ||
    node.type === 'ProcessSubstitution'
  ) {
    walk.syntax.add('command-substitution')
    if (node.script) walkList(node.script.commands, walk, { ...context, pipedFrom: null, compound: true })
    return
  }
  if (node.type === 'ParameterExpansion') walk.syntax.add('parameter-expansion')
  if (node.type === 'Statement') {
    walkStatement(node, walk, context)
    return
  }
  for (const child of childrenOf(node)) substitutions(child, walk, context)
}
