/** A simple command of the syntax tree as resolved words, before it is known what it runs in turn. */
import { scriptsIn, effectsOf } from '../programs/index.ts'
import { inputOf } from './input.ts'
import { type Assignment, literalWord, type Redirection, type SimpleCommand, valuesOf, type Word } from './script.ts'
import type { Context, Walk } from './state.ts'
import type { Command, CommandArgument, Redirection as RedirectionNode } from './syntax.ts'
import { resolve } from './words.ts'

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
    if (item.type !== 'Redirect' && item.type !== 'HereString' && item.type !== 'HereDoc') return []
    const { operator } = item
    const named = item.descriptor?.type === 'FileDescriptor' ? item.descriptor.value : null
    const descriptor = named ?? (operator.startsWith('<') ? 0 : 1)
    if (item.type === 'HereDoc') {
      const fixed = item.delimiter?.quoted || !/[$`\\]/.test(item.body.text)
      return [{ operator, descriptor, target: null, text: fixed ? item.body.text : null }]
    }
    const target = item.target ? resolve(item.target, walk.scope) : null
    return [{ operator, descriptor, target, text: item.type === 'HereString' ? (target?.literal ?? null) : null }]
  })
}

/** Adds the command to those found. */
export function record(frame: Frame, walk: Walk, context: Context): SimpleCommand {
  const [first, ...args] = frame.words
  const path = first === undefined ? '' : first.literal
  const name = path?.replace(/^.*\//s, '') ?? ''
  const { pipedFrom, input } = inputOf(frame.redirections, context, walk)
  const made: SimpleCommand = {
    source: frame.source,
    path,
    name,
    words: frame.words,
    args: args.flatMap((word) => valuesOf(word) ?? []),
    unknownArgs: frame.fed || args.some((word) => word.fields === null),
    fed: frame.fed,
    assignments: frame.assignments,
    redirections: frame.redirections,
    wrappers: frame.wrappers,
    background: context.background,
    pipedFrom,
    places: context.places,
    code: null,
    inFunctions: context.inFunctions,
    callsItself: name !== '' && context.inFunctions.at(-1) === name,
    input,
    suspects: () => (suspected ??= suspectsOf(made, walk)),
    file: walk.file,
  }
  let suspected: readonly SimpleCommand[] | null = null
  walk.commands.push(made)
  return made
}

// git -c alias.x='!CODE', tar --checkpoint-action=exec=CODE, and the strings of python's code
function suspectsOf(made: SimpleCommand, walk: Walk): readonly SimpleCommand[] {
  const hidden = effectsOf(made).some((effect) => effect.does === 'runs' && effect.what === 'hidden')
  const handed = made.args
    .filter((arg) => hidden && arg.includes(' '))
    .map((arg) => arg.replace(/^[\w.-]*=(?:exec=)?|^!|^[\w.-]*=!/g, '').replace(/^!/, ''))
  return [...scriptsIn(made.code?.text ?? ''), ...handed].slice(0, MAX_SUSPECTS).flatMap(walk.steps.apart)
}

const MAX_SUSPECTS = 64
