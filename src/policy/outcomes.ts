/** What a command substitution prints, for the few commands of which that is known without running them. */
import { plain } from './survey.ts'
import type { Command, ParsedScript, Word as WordNode } from './syntax.ts'
import type { Scope } from './words.ts'

type Texts = (word: WordNode) => string[] | null
type Outcome = (words: WordNode[], texts: Texts, scope: Scope) => string[] | null

const always =
  (...values: string[]): Outcome =>
  () =>
    values
const each =
  (change: (text: string) => string): Outcome =>
  (words, texts) => {
    const known = words.length === 1 ? texts(words[0]!) : null
    return known?.map(change) ?? null
  }

const dirname = (path: string) => (path.includes('/') ? path.replace(/\/+[^/]*\/*$/, '') || '/' : '.')
const basename = (path: string) => path.replace(/\/+$/, '').replace(/^.*\//, '') || '/'

const outcomes: Record<string, Outcome> = {
  mktemp: (words, texts, scope) => {
    const template = words.map(texts).find((known) => known?.[0]?.includes('XXX'))
    if (words.some((word) => !/^-[dqtu]+$/.test(plain(word) ?? '')) && !template) return null
    return template ?? [`${scope.environment.TMPDIR ?? '/tmp'}/tmp.XXXXXX`]
  },
  pwd: (words, _texts, scope) =>
    words.length === 0 && scope.environment.PWD !== undefined && !scope.variables.has('PWD')
      ? [scope.environment.PWD]
      : null,
  echo: (words, texts) => printed(words, texts),
  printf: (words, texts) => {
    const known = printed(words.length > 1 && plain(words[0]!) === '%s' ? words.slice(1) : words, texts)
    return known?.some((text) => /[%\\]/.test(text)) ? null : known
  },
  date: (words, texts) => {
    const known = words.map(texts).map((values) => (values?.length === 1 ? values[0]! : null))
    if (known.includes(null)) return null
    const format = known.find((text) => text!.startsWith('+'))
    return [format?.slice(1).replace(/%[-_^#0-9:]*./g, '1') ?? '2026-01-01']
  },
  nproc: always('4'),
  whoami: always('user'),
  hostname: always('host'),
  uname: always('Linux'),
  id: always('10000'),
  wc: (words) => (words.every((word) => /^-[clmwL]+$/.test(plain(word) ?? '')) ? ['1'] : null),
  git: (words) =>
    plain(words[0]!) === 'ls-files' && words.slice(1).every((word) => !/^[/.~:-]|\.\./.test(plain(word) ?? '/'))
      ? ['./*']
      : null,
  ls: (words) => (words.every((word) => /^(?:[\w*][\w.*-]*|-[adrtA1]+)$/.test(plain(word) ?? '/')) ? ['./*'] : null),
  find: (words) => foundIn(words.map(plain)),
  basename: (words, texts, scope) => each(basename)(words.slice(0, 1), texts, scope),
  dirname: each(dirname),
  node: (words) => (words.length === 1 && /^(?:-v|--version)$/.test(plain(words[0]!) ?? '') ? ['v20.0.0'] : null),
}

// names below the directories that it starts from, unless it runs something or prints in its own way
function foundIn(words: (string | null)[]): string[] | null {
  if (words.some((word) => word === null || /^-(?:exec|ok|f?print[f0]|delete|fls|ls)/.test(word))) return null
  const end = words.findIndex((word) => /^[-(!]/.test(word!))
  const starts = words.slice(0, end < 0 ? undefined : end)
  if (starts.some((start) => /^\/|^~|\.\./.test(start!))) return null
  return (starts.length > 0 ? starts : ['.']).map((start) => `${start}/*`)
}

function printed(words: WordNode[], texts: Texts): string[] | null {
  const known = words.map(texts)
  if (known.some((values) => values?.length !== 1)) return null
  const text = known.map((values) => values![0]).join(' ')
  return /^-[neE]/.test(text) || text.includes('\\') ? null : [text]
}

/** The values of `$(…)`; null where they cannot be known. */
export function outcomesOf(script: ParsedScript | undefined, texts: Texts, scope: Scope): string[] | null {
  const command = soleCommand(script)
  const name = command?.name && plain(command.name)
  if (!command || !name || !Object.hasOwn(outcomes, name)) return null
  if (scope.functions.has(name)) return null
  const words = command.suffix.filter((item): item is WordNode => item.type === 'Word')
  return outcomes[name]!(words, texts, scope)
}

function soleCommand(script: ParsedScript | undefined): Command | null {
  const command = script?.commands.length === 1 ? script.commands[0]!.command : null
  if (command?.type !== 'Command' || command.prefix.length > 0) return null
  const plainEnough = command.suffix.every(
    (item) => item.type === 'Word' || (item.type === 'Redirect' && item.target?.text === '/dev/null'),
  )
  return plainEnough ? command : null
}
