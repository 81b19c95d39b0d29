/** A simple command of the syntax tree as resolved words, before it is known what it runs in turn. */
import type { Assignment, Redirection, SimpleCommand, Word } from './script.ts'
import { valuesOf } from './script.ts'
import type { Command, CommandArgument, Redirection as RedirectionNode } from './syntax.ts'
import type { Context, Walk } from './walk.ts'
import { literalWord, resolve } from './words.ts'

export interface Frame {
  words: readonly Word[]
  assignments: readonly Assignment[]
  redirections: readonly Redirection[]
  wrappers: readonly string[]
  source: string
  /** arguments come from standard input as well */
  fed: boolean
}

/** Resolves the words, assignments and redirections of one command. */
export function frameOf(node: Command, walk: Walk): Frame {
  const words = node.suffix.filter(
    (item): item is CommandArgument => item.type === 'Word' || item.type === 'Assignment',
  )
  const assignments = node.prefix.flatMap((item) =>
    item.type === 'Assignment' && item.value.type === 'Word'
      ? [{ name: item.name, word: resolve(item.value, walk.scope) }]
      : [],
  )
  if (assignments.length > 0) walk.syntax.add('assignment')
  return {
    words: [...(node.name ? [resolve(node.name, walk.scope)] : []), ...words.map((word) => argument(word, walk))],
    assignments,
    redirections: redirectionsOf([...node.prefix, ...node.suffix], walk),
    wrappers: walk.wrappers,
    source: walk.source.slice(node.pos, node.end).slice(0, 500),
    fed: false,
  }
}

function argument(node: CommandArgument, walk: Walk): Word {
  if (node.type === 'Word') return resolve(node, walk.scope)
  if (node.value.type !== 'Word') return { ...literalWord(''), literal: null, fields: null, source: node.text }
  const value = resolve(node.value, walk.scope)
  const head = `${node.name}=`
  return {
    ...value,
    source: node.text,
    literal: value.literal === null ? null : head + value.literal,
    fields: value.fields?.map((fields) => [head + fields.join(' ')]) ?? null,
    prefix: head + value.prefix,
  }
}

/** The redirections among the parts of a command. */
export function redirectionsOf(
  items: readonly (RedirectionNode | { type: 'Assignment' | 'Word' })[],
  walk: Walk,
): Redirection[] {
  return items.flatMap((item): Redirection[] => {
    if (item.type === 'Redirect' || item.type === 'HereString') {
      return [{ operator: item.operator, target: item.target ? resolve(item.target, walk.scope) : null, text: null }]
    }
    if (item.type !== 'HereDoc') return []
    const fixed = item.delimiter?.quoted || !/[$`\\]/.test(item.body.text)
    return [{ operator: item.operator, target: null, text: fixed ? item.body.text : null }]
  })
}

/** A program that the syntax names outright. */
/** Adds the command to those found. */
export function record(frame: Frame, walk: Walk, context: Context): SimpleCommand {
  const [first, ...args] = frame.words
  const path = first === undefined ? '' : first.literal
  const made: SimpleCommand = {
    source: frame.source,
    path,
    name: path?.replace(/^.*\//s, '') ?? '',
    words: frame.words,
    args: args.flatMap((word) => valuesOf(word) ?? []),
    unknownArgs: frame.fed || args.some((word) => word.fields === null),
    assignments: frame.assignments,
    redirections: frame.redirections,
    wrappers: frame.wrappers,
    background: context.background,
    pipedFrom: context.pipedFrom,
    places: context.places,
    code: null,
    inFunctions: context.inFunctions,
  }
  walk.commands.push(made)
  return made
}
