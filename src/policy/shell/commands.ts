/** The simple commands of the syntax tree: each is recorded once, with all that it runs; `cd` and calls of functions lead elsewhere. */
import { frameOf, record } from './frames.ts'
import { change, type Flow, type Places } from './places.ts'
import { run } from './running.ts'
import { literalWord, type Redirection, type SimpleCommand, valuesOf, type Word } from './script.ts'
import type { Context, Walk } from './state.ts'
import type { Command } from './syntax.ts'

export const emit = { command, named, bare }

/** A simple command of the tree. On a second visit (a loop's next round) only its places grow. */
function command(node: Command, walk: Walk, context: Context): Flow {
  const known = walk.seen.get(node)
  if (known) {
    for (const one of known) grow(one, context.places)
    return flowOf(known[0], walk, context)
  }
  for (const item of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
    if (item.type === 'HereDoc') walk.syntax.add('here-document')
    else if (item.type === 'Redirect' || item.type === 'HereString') walk.syntax.add('redirection')
    walk.steps.substitutions(item, walk, context)
  }
  const start = walk.commands.length
  run(frameOf(node, walk), walk, context)
  const mine = walk.commands.slice(start)
  walk.seen.set(node, mine)
  return flowOf(mine[0], walk, context)
}

function grow(one: SimpleCommand, places: Places): void {
  one.places = one.places === null || places === null ? null : [...new Set([...one.places, ...places])].slice(0, 64)
}

/** A program that the syntax names outright. */
function named(name: string, walk: Walk, context: Context): void {
  record(
    {
      words: [literalWord(name)],
      assignments: [],
      redirections: [],
      wrappers: walk.wrappers,
      source: name,
      fed: false,
    },
    walk,
    context,
  )
}

/** Redirections without a program of their own. */
function bare(redirections: Redirection[], walk: Walk, context: Context): void {
  walk.syntax.add('redirection')
  record({ words: [], assignments: [], redirections, wrappers: walk.wrappers, source: '', fed: false }, walk, context)
}

function flowOf(made: SimpleCommand | undefined, walk: Walk, context: Context): Flow {
  const same: Flow = { ok: context.places, fail: context.places }
  if (!made?.path) return same
  let at = made.words
  while (at[0]?.literal === 'command' || at[0]?.literal === 'builtin') at = at.slice(1)
  const name = at[0]?.literal ?? ''
  if (walk.functions.has(name)) return walk.steps.callFunction(name, walk, context)
  if (name === 'exit' || name === 'return' || name === 'exec') return { ok: [], fail: [] }
  if (name === 'true' || name === ':') return { ok: context.places, fail: [] }
  if (name === 'false') return { ok: [], fail: context.places }
  if (name !== 'cd' && name !== 'pushd' && name !== 'popd' && name !== 'chdir') return same
  return { ok: change(context.places, targetsOf(at.slice(1), name, walk)), fail: context.places }
}

function targetsOf(args: readonly Word[], name: string, walk: Walk): readonly string[] | null {
  if (name === 'popd') return ['.']
  const operands = args.filter((word) => !/^-[LPe@]*$|^--$/.test(word.literal ?? '') || word.literal === '-')
  const physical = args.some((word) => word.literal?.includes('P') && word.literal.startsWith('-'))
  if (operands.length === 0) return walk.scope.environment.HOME === undefined ? null : [walk.scope.environment.HOME]
  const values = operands[0]!.literal === '-' ? null : valuesOf(operands[0]!)
  // CDPATH sends a relative name elsewhere
  if (walk.scope.variables.has('CDPATH') && !values?.every((value) => /^\.{0,2}\//.test(value))) return null
  return physical && values?.some((value) => value.includes('..')) ? null : values
}
