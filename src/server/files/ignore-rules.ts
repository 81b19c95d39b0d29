import type { RE2JS } from 're2js'
import { compiled, pathSource } from './glob-pattern.ts'

/** Limits on one ignore file. The rest of a longer file has no effect. */
export const MAX_IGNORE_BYTES = 65_536
const MAX_RULES = 500

/** Rules of one kind that follow each other, as one expression. */
interface RuleGroup {
  expression: RE2JS
  isNegated: boolean
  onlyDirectories: boolean
}

/** The rules of a .gitignore file, for paths relative to its directory. */
export interface IgnoreRules {
  /** true or false: a rule ignores the path or includes it again; null: no rule matches */
  ignores(path: string, isDirectory: boolean): boolean | null
}

/** Parses a .gitignore file as gitignore(5) describes. Lines that are malformed have no effect. */
export function parseIgnoreRules(text: string): IgnoreRules {
  const rows = text
    .split(/\r?\n/)
    .slice(0, MAX_RULES)
    .map(toRule)
    .filter((rule) => rule !== null)
  const groups = grouped(rows).reverse()
  return {
    ignores(path, isDirectory) {
      const found = groups.find(
        ({ expression, onlyDirectories }) => (isDirectory || !onlyDirectories) && expression.matches(path),
      )
      return found === undefined ? null : !found.isNegated
    },
  }
}

interface RuleSource {
  source: string
  isNegated: boolean
  onlyDirectories: boolean
}

function toRule(line: string): RuleSource | null {
  const trimmed = line.replace(/(?<!\\) +$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return null
  const isNegated = trimmed.startsWith('!')
  const rule = isNegated ? trimmed.slice(1) : trimmed
  const onlyDirectories = rule.endsWith('/')
  const glob = onlyDirectories ? rule.slice(0, -1) : rule
  const source = pathSource(glob, { hasBraces: false })
  return source === null || compiled(source) === null ? null : { source, isNegated, onlyDirectories }
}

/** Joins neighbours of one kind, so that a name is matched once for all of them. The last matching rule wins, so the order remains. */
function grouped(rules: RuleSource[]): RuleGroup[] {
  const joined: RuleSource[] = []
  for (const rule of rules) {
    const last = joined.at(-1)
    const isSame = last?.isNegated === rule.isNegated && last.onlyDirectories === rule.onlyDirectories
    if (isSame) last.source += `|(?:${rule.source})`
    else joined.push({ ...rule, source: `(?:${rule.source})` })
  }
  return joined.flatMap(({ source, ...kind }) => {
    const expression = compiled(source)
    return expression === null ? [] : [{ ...kind, expression }]
  })
}
