import { didYouMean, nearestNames, type SettingRow, UsageError, visible } from '../../shared/schema/index.ts'
import { flagsOf, nearestRow, type Subcommand, type Verb } from './subcommand.ts'
import { listOf } from './values.ts'

/** Checks the verb of a subcommand, the number of operands and the owner of each option and flag. Throws UsageError. */
export function checkOperands(
  name: string,
  subcommand: Subcommand,
  operands: string[],
  { options, rows }: { options: string[]; rows: SettingRow[] },
): void {
  const { verbs, defaultVerb } = subcommand
  if (verbs === undefined) return checkCount(name, subcommand, operands)
  const isImplied = defaultVerb !== undefined && isForDefaultVerb(subcommand, operands)
  const [word, ...rest] = isImplied ? [defaultVerb, ...operands] : operands
  if (word === undefined) {
    throw new UsageError(`${name}: expected ${listOf(Object.keys(verbs))}, got nothing; see shellphone ${name} --help`)
  }
  const verb = verbNamed(name, verbs, word)
  const known = [
    ...Object.keys({ ...subcommand.options, ...verb.options }),
    ...flagsOf(verb.settings ?? subcommand.settings, rows),
  ]
  checkOptions(`${name} ${word}`, subcommand, known, options)
  checkCount(isImplied ? name : `${name} ${word}`, verb, rest)
}

/** Whether no verb is named: there are no operands, or the default verb takes operands and the first one is no name of a verb, here or in other tools. */
export function isForDefaultVerb({ verbs = {}, defaultVerb = '' }: Subcommand, [word]: string[]): boolean {
  if (word === undefined) return true
  const isVerb = Object.hasOwn(verbs, word) || Object.values(verbs).some((verb) => verb.alsoCalled?.includes(word))
  return !isVerb && verbs[defaultVerb]?.operands !== undefined
}

/** The verb with this name. Throws UsageError, which names the others. */
export function verbNamed(name: string, verbs: Readonly<Record<string, Verb>>, word: string): Verb {
  if (Object.hasOwn(verbs, word)) return verbs[word]!
  const names = Object.keys(verbs)
  throw new UsageError(
    `${name} ${word}: unknown subcommand${nearestRow(verbs, word)}; expected ${names.join(', ')}; see shellphone ${name} --help`,
  )
}

/** Checks the values of options. Throws UsageError. `line`: the command line up to the options. */
export function checkValues(
  line: string,
  { options, verbs = {} }: Subcommand,
  given: ReadonlyMap<string, string>,
): void {
  const [, verb = ''] = line.split(' ')
  const known = { ...verbs[verb]?.options, ...options }
  for (const [name, value] of given) {
    const { values } = known[name] ?? {}
    if (values === undefined || values.accepts(value)) continue
    const nearest = didYouMean(value, values.words ?? [])
    const got = value === '' ? "''" : visible(value)
    throw new UsageError(
      `${line}: --${name}: expected ${values.expected}, got ${got}${nearest}; see shellphone ${line} --help`,
    )
  }
}

function checkOptions(line: string, { verbs = {} }: Subcommand, known: string[], options: string[]): void {
  const foreign = options.find((option) => !known.includes(option))
  if (foreign === undefined) return
  const owners = Object.keys(verbs).filter((verb) => Object.hasOwn(verbs[verb]!.options ?? {}, foreign))
  const nearest = nearestNames(foreign, known)
  const suggestion =
    owners.length > 0
      ? ` (it belongs to ${owners.join(', ')})`
      : nearest.length > 0
        ? `, did you mean --${nearest[0]}?`
        : ''
  throw new UsageError(`${line}: unknown option --${foreign}${suggestion}; see shellphone ${line} --help`)
}

/** Operands that may be missing; ` | ` separates alternatives. */
const OPTIONAL = /\[([^\]]*)\]/g

const wordsIn = (text: string): number => text.split(' ').filter((word) => word !== '' && word !== '…').length
const optionalWords = (operands: string): number =>
  [...operands.matchAll(OPTIONAL)].reduce((sum, [, text]) => sum + Math.max(...text!.split(' | ').map(wordsIn)), 0)

/** How many operands a row takes at most. */
export const mostOperands = ({ operands = '' }: Pick<Verb, 'operands'>): number =>
  operands.includes('…') ? Infinity : wordsIn(operands.replaceAll(OPTIONAL, '')) + optionalWords(operands)

/** Checks the number of operands; an empty operand is a missing one, such as an unset variable of a script. */
function checkCount(
  line: string,
  { operands = '', optionsFirst = false }: Pick<Subcommand, 'operands' | 'optionsFirst'>,
  given: string[],
): void {
  const needed = wordsIn(operands.replaceAll(OPTIONAL, ''))
  const most = mostOperands({ operands })
  // a command may have empty arguments
  const isEmpty = optionsFirst ? given.every((word) => word.trim() === '') : given.includes('')
  if (given.length >= needed && given.length <= most && !isEmpty) return
  const got = given.length === 0 ? 'nothing' : given.map((word) => (word.trim() === '' ? `'${word}'` : word)).join(' ')
  throw new UsageError(`${line}: expected ${operands || 'no operand'}, got ${got}; see shellphone ${line} --help`)
}
