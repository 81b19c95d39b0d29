/** Which words of a command are paths: by what the program does with its arguments, and by how a word looks. */
import { roleOf } from './path-roles.ts'
import type { SimpleCommand, Word } from './script.ts'
import { valuesOf } from './script.ts'

export interface PathWord {
  /** everything it can be; null: unknown */
  values: readonly string[] | null
  /** its known beginning */
  prefix: string
  glob: boolean
  source: string
  /** redirection targets and words that the program takes as files for certain */
  certain: boolean
}

/** Every word of a command that names a file: operands, values of options, redirection targets. */
export function pathsOf(command: SimpleCommand): PathWord[] {
  const found: PathWord[] = []
  for (const redirection of command.redirections) {
    const target = redirection.target
    if (target && !(/&$/.test(redirection.operator) && /^(?:\d|-)$/.test(target.literal ?? ''))) {
      found.push(toPath(target, true))
    }
  }
  if (command.words[0] && command.path !== '') found.push(...ofName(command.words[0]))
  const roles = roleOf(command)
  command.words.slice(1).forEach((word, index) => {
    const role = roles(word, index)
    // the shell itself looks for what a pattern matches, whatever the program does with it
    if (role !== 'other' || (word.glob && word.fields !== null)) found.push(...ofWord(word, role === 'path'))
  })
  for (const assignment of command.assignments) {
    if (command.path !== '' && !lists.test(assignment.name)) found.push(...ofWord(assignment.word, false))
  }
  return found
}

const lists =
  /^(?:PATH|MANPATH|CDPATH|LD_LIBRARY_PATH|PKG_CONFIG_PATH|PYTHONPATH|NODE_PATH|LANG|LC_\w+|TERM|SHELL|PAGER|GIT_PAGER|EDITOR|TZ|\w*_URL|\w*URI|HTTPS?_PROXY|https?_proxy)$/

function toPath(word: Word, certain: boolean): PathWord {
  return { values: valuesOf(word), prefix: word.prefix, glob: word.glob, source: word.source, certain }
}

// a program named by a path is a path; its directory is judged by the guard
function ofName(word: Word): PathWord[] {
  return word.prefix.includes('/') || word.fields === null ? [toPath(word, true)] : []
}

function ofWord(word: Word, certain: boolean): PathWord[] {
  const values = valuesOf(word)
  if (values === null) return [{ ...toPath(word, certain), prefix: strip(word.prefix) }]
  const parts = values.flatMap(split)
  return parts.length > 0 ? [{ values: parts, prefix: word.prefix, glob: word.glob, source: word.source, certain }] : []
}

const url = /^[a-z][a-z0-9+.-]*:\/\//i
const strip = (text: string) => text.replace(/^-[^=]*=/, '')

// the paths inside one word: --flag=path, name=path, -Ipath, @path, file://path, a:b
function split(text: string): string[] {
  if (/^file:\/\//i.test(text)) return [text.replace(/^file:\/\/[^/]*/i, '') || '/']
  if (url.test(text) || text === '' || text === '-' || text === '--') return []
  const value = /^(?:-{1,2}[\w-]+|[A-Za-z_][\w.-]*)=(.*)$/s.exec(text)
  if (value) return split(value[1]!)
  const glued = /^-[A-Za-z]{1,2}((?:\/|~|\.\.(?:\/|$)).*)$/s.exec(text)
  if (glued) return split(glued[1]!)
  if (text.startsWith('-') && !text.includes('/')) return []
  if (/^[@<]./.test(text) && /[/.]/.test(text)) return [text.slice(1), text]
  const listed = /^((?:\/|~)[^:]*):(?:.*)$/s.exec(text)
  return listed ? [listed[1]!] : [text]
}
