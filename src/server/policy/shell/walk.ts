/** The second walk: through the script's structure in the order in which it runs, to every simple command and where it runs. */
import { calledBy, flowOf, inLine, redirectionOf, walkSimple } from './commands.ts'
import { inputOf, pipeOf } from './input.ts'
import { either, type Flow, lost, nowhere, type ScriptPoint, setting, staying, union } from '../script/places.ts'
import { nothing, record } from './running.ts'
import { literalWord } from '../script/script.ts'
import type { Walk } from './state.ts'
import { doubt } from './survey.ts'
import { forEachChild, itemsOf, type NodeOf, type Statement, type SyntaxNode } from './syntax.ts'

const MAX_COMMANDS = 1_000
const MAX_CALLS = 8
const ROUNDS = 3

/** Walks a list of statements; returns where the next one runs. */
export function walkList(list: readonly Statement[], walk: Walk): Flow {
  let flow: Flow = { ok: walk.here, fail: nowhere }
  if (list.length > 1) walk.syntax.add('control')
  for (const statement of list) {
    if (walk.commands.length > MAX_COMMANDS) {
      doubt(walk, 'too-large')
      break
    }
    const here = either(flow)
    flow = walkNode(statement, { ...walk, here })
    // after `set -e` a failing plain command ends the script
    const isLast = here.set.has('-e') && !walk.compound && statement.command.type === 'Command'
    if (isLast) flow = { ok: flow.ok, fail: nowhere }
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
    return { ok: walk.here, fail: nowhere }
  },
  CompoundList: ({ commands }, walk) => walkList(commands, walk),
  Command(node, walk) {
    if (!walk.seen.has(node)) for (const item of itemsOf(node)) substitutions(item, walk)
    const made = walkSimple(node, walk)
    const named = made?.words[0]?.literal ?? ''
    // a function may have the name `command` itself
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
    // a program that the syntax names outright
    if (prefixes.some(({ type }) => type === 'Time')) {
      record({ ...nothing, words: [literalWord('time')], source: 'time', wrappers: walk.wrappers }, inLine(pos, walk))
    }
    if (commands.length === 1) {
      const flow = walkNode(commands[0]!, walk)
      return prefixes.some(({ type }) => type === 'Negation') ? { ok: flow.fail, fail: flow.ok } : flow
    }
    let { pipedFrom, input } = walk
    let last = staying(walk.here)
    for (const command of commands) {
      const start = walk.commands.length
      last = walkNode(command, { ...walk, pipedFrom, input })
      pipedFrom = walk.commands.at(-1) ?? null
      input = pipeOf(walk.commands.slice(start))
    }
    // most shells run every part in a subshell, some run the last one in place
    return staying(union(walk.here, either(last)))
  },
}

const compound: Steps = {
  Redirected({ pos, command, redirects }, walk) {
    const redirections = redirects.map((node) => redirectionOf(node, walk))
    record({ ...nothing, redirections, wrappers: walk.wrappers }, inLine(pos, walk))
    for (const node of redirects) substitutions(node, walk)
    return walkNode(command, { ...walk, input: inputOf(redirections, walk) })
  },
  BraceGroup: ({ body }, walk) => walkNode(body, walk),
  Subshell({ body }, walk) {
    walkNode(body, walk)
    return staying(walk.here)
  },
  If(node, walk) {
    let [after, { here }] = [nowhere, walk]
    for (const { clause, then } of [node, ...node.elif]) {
      const test = walkNode(clause, { ...walk, here })
      after = union(after, either(walkNode(then, { ...walk, here: test.ok })))
      here = test.fail
    }
    return staying(union(after, node.else ? either(walkNode(node.else, { ...walk, here })) : here))
  },
  While({ clause, body }, walk) {
    return loop(walk, (at) => {
      const here = either(walkNode(clause, at))
      return union(here, either(walkNode(body, { ...at, here })))
    })
  },
  For({ name, wordlist, body }, walk) {
    for (const word of wordlist ?? []) substitutions(word, walk)
    return loop(walk, (at) => either(walkNode(body, { ...at, here: setting(at.here, name.text) })))
  },
  Case({ word, items }, walk) {
    substitutions(word, walk)
    // one of them is taken where a star is among them
    let after = items.some(({ pattern }) => pattern.some(({ text }) => text === '*')) ? nowhere : walk.here
    for (const { pattern, body } of items) {
      for (const word of pattern) substitutions(word, walk)
      after = union(after, either(walkNode(body, walk)))
    }
    return staying(after)
  },
  Function({ name, body }, walk) {
    walk.syntax.add('function')
    const { source, file, line } = walk
    walk.functions.set(name.text, { node: body, source, file, line })
    callBody(name.text, walk)
    return { ok: walk.here, fail: nowhere }
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
  // a test, a calculation, or what the gate has made opaque already: what it holds is found all the same
  substitutions(node, inside)
  return staying(/^(?:Test|Arithmetic)Command$/.test(type) ? walk.here : lost(walk.here))
}

// the body may run again where its last round left off
function loop(walk: Walk, body: (walk: Walk) => ScriptPoint): Flow {
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

// its body is walked with the caller's places
function callFunction(name: string, walk: Walk): Flow {
  if (walk.inFunctions.includes(name)) return staying(walk.here)
  return walk.inFunctions.length < MAX_CALLS ? callBody(name, walk) : staying(lost(walk.here))
}

// it stands in the code that it was written in, wherever it is called
function callBody(name: string, walk: Walk): Flow {
  const { node, ...written } = walk.functions.get(name)!
  return walkNode(node, { ...walk, ...written, compound: true, inFunctions: [...walk.inFunctions, name] })
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
