import type { RE2JS } from 're2js'
import { re2 } from '../../shared/package/index.ts'
import { invalid } from '../../shared/schema/index.ts'

/** Limits on one glob: its length, and how deeply its braces nest. */
const MAX_GLOB_CHARACTERS = 500
const MAX_DEPTH = 5

/**
 * Converts a glob to a regular expression of RE2, whose time grows only with the length of the path, whatever the glob contains; for the same
 * reason braces become alternatives instead of being expanded. `*` and `?` match no slash, `**` matches directories. `hasBraces`: whether
 * `{a,b}` has a meaning; it has none in .gitignore. Returns null if the glob is malformed.
 */
function globSource(glob: string, { hasBraces }: { hasBraces: boolean }): string | null {
  if (glob.length > MAX_GLOB_CHARACTERS) return null
  let source = ''
  let depth = 0
  for (let at = 0; at < glob.length;) {
    const { 0: text, groups = {} } = parts.exec(glob.slice(at))!
    at += text.length
    if (groups.deep)
      source += groups.deep === '/**' && at === glob.length ? '/.*' : groups.deep === '**/' ? '(?:.*/)?' : '.*'
    else if (text === '*') source += '[^/]*'
    else if (text === '?') source += '[^/]'
    else if (groups.class) source += classSource(text)
    else if (hasBraces && text === '{') {
      if (++depth > MAX_DEPTH) return null
      source += '(?:'
    } else if (hasBraces && text === '}' && depth-- > 0) source += ')'
    else if (hasBraces && text === ',' && depth > 0) source += '|'
    else if (text === '[' || depth < 0) return null
    else source += re2().quote(groups.escaped ?? text)
  }
  return depth === 0 ? source : null
}

/** The parts of a glob: a class, an escaped character, the forms of `**`, or one character. */
const parts = /^(?:(?<deep>\/\*\*(?=$)|\*\*\/|\*\*)|(?<class>\[[!^]?\]?[^\]/]*\])|\\(?<escaped>.)|.)/su

/** A class in the form of RE2, which also excludes the slash when it is negated. */
function classSource(text: string): string {
  const isNegated = /^\[[!^]/.test(text)
  const content = text.slice(isNegated ? 2 : 1, -1).replace(/[[\\\]^&]/g, '\\$&')
  return isNegated ? `[^/${content}]` : `[${content}]`
}

/**
 * The source for whole paths relative to the directory of a glob. A glob without a slash matches names at any depth. Returns null if the
 * glob is malformed.
 */
export function pathSource(glob: string, options: { hasBraces: boolean }): string | null {
  const source = globSource(glob.replace(/^\//, ''), options)
  return source === null || glob.includes('/') ? source : `(?:.*/)?(?:${source})`
}

/** Returns a test for paths relative to the searched directory. A glob without a slash matches names at any depth; `!` in front excludes. Throws VALIDATION_ERROR. */
export function globTest(glob: string): (path: string) => boolean {
  const isNegated = glob.startsWith('!')
  const plain = isNegated ? glob.slice(1) : glob
  const source = plain === '' ? null : pathSource(plain, { hasBraces: true })
  const expression = source === null ? null : compiled(source)
  if (expression === null) throw badGlob(glob)
  return (path) => expression.matches(path) !== isNegated
}

const badGlob = (glob: string) =>
  invalid(
    `glob: expected a glob of at most ${MAX_GLOB_CHARACTERS} characters, such as *.ts or src/**/*.{c,h}, got ${JSON.stringify(glob.slice(0, 60))}`,
    'glob',
  )

/** Compiles the source of whole paths; null: RE2 refuses it, for example a range that is out of order. */
export function compiled(source: string): RE2JS | null {
  try {
    return re2().compile(source, re2().DOTALL)
  } catch {
    return null
  }
}
