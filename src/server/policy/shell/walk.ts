/** The second pass: follows the script in the order in which it runs, to every simple command and its possible directories. */
import { recordChange } from './arguments.ts'
import { calledBy, flowOf, inLine, redirectionOf, walkSimple } from './commands.ts'
import { inputOf, pipeOf } from './input.ts'
import {
  afterEither,
  type Flow,
  inUnknownDirectory,
  unreachable,
  type ScriptPoint,
  withNamesSet,
  unchanged,
  union,
} from '../script/directories.ts'
import { emptyParts, record } from './running.ts'
import { literalWord } from '../script/script.ts'
import type { Walk } from './state.ts'
import { doubt } from './survey.ts'
import { forEachChild, itemsOf, type NodeOf, type Statement, type SyntaxNode } from './syntax.ts'

const MAX_COMMANDS = 1_000
const MAX_CALLS = 8
const ROUNDS = 3

/** Walks a list of statements and returns the flow after the last one. */
export function walkList(list: readonly Statement[], walk: Walk): Flow {
  let flow: Flow = { ok: walk.here, fail: unreachable }
  if (list.length > 1) walk.syntax.add('control')
  for (const statement of list) {
    if (walk.commands.length > MAX_COMMANDS) {
      doubt(walk, 'too-large')
      break
    }
    const here = afterEither(flow)
    flow = walkNode(statement, { ...walk, here })
    // after `set -e`, a plain command that fails ends the script
    const isLast = here.set.has('-e') && !walk.compound && statement.command.type === 'Command'
    if (isLast) flow = { ok: flow.ok, fail: unreachable }
  }
  return flow
}

type NodeStep<Node> = (node: Node, walk: Walk) => Flow
type Steps = { readonly [Type in SyntaxNode['type']]?: NodeStep<NodeOf<Type>> }

const simple: Steps = {
  Statement({ command, background }, walk) {
    if (!background) return walkNode(command, walk)
    walk.syntax.add('control')
    walkNode(command, { ...walk, background: true })
    return { ok: walk.here, fail: unreachable }
  },
  CompoundList: ({ commands }, walk) => walkList(commands, walk),
  Command(node, walk) {
    if (!walk.seen.has(node)) for (const item of itemsOf(node)) substitutions(item, walk)
    const made = walkSimple(node, walk)
    const named = made?.words[0]?.literal ?? ''
    // a function can itself be called `command`
    const name = walk.functions.has(named) ? named : (calledBy(made)[0]?.literal ?? '')
    return walk.functions.has(name) ? callFunction(name, walk) : flowOf(made, walk)
  },
  AndOr({ commands: [first, ...others], operators }, walk) {
    let { ok, fail } = walkNode(first!, walk)
    for (const [index, node] of others.entries()) {
      const isAnd = operators[index] === '&&'
      const next = walkNode(node, { ...walk, here: isAnd ? ok : fail })
      ok = isAnd ? next.ok : union(ok, next.ok)
      fail = isAnd ? union(fail, next.fail) : next.fail
    }
    return { ok, fail }
  },
  Pipeline({ pos, prefixes, commands }, walk) {
    // the parser treats `time` as syntax, but it is also a program
    if (prefixes.some(({ type }) => type === 'Time')) {
      record(
        { ...emptyParts, words: [literalWord('time')], source: 'time', wrappers: walk.wrappers },
        inLine(pos, walk),
      )
    }
    if (commands.length === 1) {
      const flow = walkNode(commands[0]!, walk)
      return prefixes.some(({ type }) => type === 'Negation') ? { ok: flow.fail, fail: flow.ok } : flow
    }
    let { pipedFrom, input } = walk
    let last = unchanged(walk.here)
    for (const command of commands) {
      const start = walk.commands.length
      last = walkNode(command, { ...walk, pipedFrom, input })
      pipedFrom = walk.commands.at(-1) ?? null
      input = pipeOf(walk.commands.slice(start))
    }
    // most shells run every part in a subshell; some run the last part in the current shell
    return unchanged(union(walk.here, afterEither(last)))
  },
}

const compound: Steps = {
  Redirected({ pos, command, redirects }, walk) {
    const redirections = redirects.map((node) => redirectionOf(node, walk))
    record({ ...emptyParts, redirections, wrappers: walk.wrappers }, inLine(pos, walk))
    for (const node of redirects) substitutions(node, walk)
    return walkNode(command, { ...walk, input: inputOf(redirections, walk) })
  },
  BraceGroup: ({ body }, walk) => walkNode(body, walk),
  Subshell({ body }, walk) {
    walkNode(body, walk)
    return unchanged(walk.here)
  },
  If(node, walk) {
    let [after, { here }] = [unreachable, walk]
    for (const { clause, then } of [node, ...node.elif]) {
      const test = walkNode(clause, { ...walk, here })
      after = union(after, afterEither(walkNode(then, { ...walk, here: test.ok })))
      here = test.fail
    }
    return unchanged(union(after, node.else ? afterEither(walkNode(node.else, { ...walk, here })) : here))
  },
  While({ clause, body }, walk) {
    return loop(walk, (at) => {
      const here = afterEither(walkNode(clause, at))
      return union(here, afterEither(walkNode(body, { ...at, here })))
    })
  },
  For({ name, wordlist, body }, walk) {
    for (const word of wordlist ?? []) substitutions(word, walk)
    return loop(walk, (at) => afterEither(walkNode(body, { ...at, here: withNamesSet(at.here, name.text) })))
  },
  Case({ word, items }, walk) {
    substitutions(word, walk)
    // if a pattern is a star, one branch certainly runs
    let after = items.some(({ pattern }) => pattern.some(({ text }) => text === '*')) ? unreachable : walk.here
    for (const { pattern, body } of items) {
      for (const word of pattern) substitutions(word, walk)
      after = union(after, afterEither(walkNode(body, walk)))
    }
    return unchanged(after)
  },
  Function({ name, body }, walk) {
    walk.syntax.add('function')
    const { source, file, line } = walk
    recordChange(walk)
    walk.functions.set(name.text, { node: body, source, file, line })
    callBody(name.text, walk)
    return { ok: walk.here, fail: unreachable }
  },
}

function walkNode(node: SyntaxNode, walk: Walk): Flow {
  const { type } = node
  if (type !== 'Statement' && type !== 'CompoundList' && type !== 'Command') walk.syntax.add('control')
  const step = simple[type] as NodeStep<SyntaxNode> | undefined
  if (step) return step(node, walk)
  const inside = { ...walk, compound: true }
  const inner = compound[type] as NodeStep<SyntaxNode> | undefined
  if (inner) return inner(node, inside)
  // a test, an arithmetic command, or a node that is already opaque may still contain substitutions
  substitutions(node, inside)
  return unchanged(/^(?:Test|Arithmetic)Command$/.test(type) ? walk.here : inUnknownDirectory(walk.here))
}

// the body may run again in the directory in which the last round ended
function loop(walk: Walk, body: (walk: Walk) => ScriptPoint): Flow {
  let { here } = walk
  for (let round = 0; round < ROUNDS; round += 1) {
    const after = union(here, body({ ...walk, here }))
    if (after.directories?.length === here.directories?.length) return unchanged(here)
    here = after
  }
  here = inUnknownDirectory(here)
  body({ ...walk, here })
  return unchanged(here)
}

// walks the body of a function with the caller's directories
function callFunction(name: string, walk: Walk): Flow {
  if (walk.inFunctions.includes(name)) return unchanged(walk.here)
  return walk.inFunctions.length < MAX_CALLS ? callBody(name, walk) : unchanged(inUnknownDirectory(walk.here))
}

// a function's positions refer to the code that defines it, wherever it is called
function callBody(name: string, walk: Walk): Flow {
  const { node, ...written } = walk.functions.get(name)!
  const returned = { here: unreachable }
  const inFunctions = [...walk.inFunctions, name]
  const { ok, fail } = walkNode(node, { ...walk, ...written, compound: true, inFunctions, returned })
  return { ok: union(ok, returned.here), fail: union(fail, returned.here) }
}

const substituting = new Set(['CommandExpansion', 'ArithmeticCommandExpansion', 'ProcessSubstitution'])

// walks the scripts of every substitution inside a node
function substitutions(node: SyntaxNode, walk: Walk): void {
  if (substituting.has(node.type)) {
    walk.syntax.add('command-substitution')
    if ('script' in node && node.script) walkList(node.script.commands, { ...walk, pipedFrom: null, compound: true })
    return
  }
  if (node.type === 'ParameterExpansion') walk.syntax.add('parameter-expansion')
  if (node.type === 'Statement') walkNode(node, walk)
  else forEachChild(node, (child) => substitutions(child, walk))
}
