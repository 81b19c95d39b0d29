import { didYouMean, UsageError } from '../../shared/schema/index.ts'
import type { Subcommand } from './subcommand.ts'

/** Checks the verb of a subcommand, the number of operands and the owner of each option. Throws UsageError. */
export function checkOperands(name: string, subcommand: Subcommand, operands: string[], options: string[]): void {
  const { verbs, defaultVerb } = subcommand
  if (verbs === undefined || defaultVerb === undefined) return checkCount(name, subcommand, operands)
  const [word = defaultVerb, ...rest] = operands
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
  if (verb === undefined) {
    const names = Object.keys(verbs)
    throw new UsageError(
      `${name} ${word}: unknown subcommand${didYouMean(word, names)}; expected ${names.join(', ')}; see shellphone ${name} --help`,
    )
  }
  checkOptions(`${name} ${word}`, subcommand, Object.keys({ ...subcommand.options, ...verb.options }), options)
  checkCount(`${name} ${word}`, verb, rest)
}

function checkOptions(line: string, { verbs = {} }: Subcommand, known: string[], options: string[]): void {
  const foreign = options.find((option) => !known.includes(option))
  if (foreign === undefined) return
  const owners = Object.keys(verbs).filter((verb) => Object.hasOwn(verbs[verb]!.options ?? {}, foreign))
  throw new UsageError(
    `${line}: unknown option --${foreign} (it belongs to ${owners.join(', ')}); see shellphone ${line} --help`,
  )
}

/** Operands that may be missing; ` | ` separates alternatives. */
const OPTIONAL = /\[([^\]]*)\]/g

const wordsIn = (text: string): number => text.split(' ').filter((word) => word !== '' && word !== '…').length
const optionalWords = (operands: string): number =>
  [...operands.matchAll(OPTIONAL)].reduce((sum, [, text]) => sum + Math.max(...text!.split(' | ').map(wordsIn)), 0)

/** Checks the number of operands; an empty operand is a missing one, such as an unset variable of a script. */
function checkCount(
  line: string,
  { operands = '', optionsFirst = false }: Pick<Subcommand, 'operands' | 'optionsFirst'>,
  given: string[],
): void {
  const needed = wordsIn(operands.replaceAll(OPTIONAL, ''))
  const most = optionsFirst || operands.includes('…') ? Infinity : needed + optionalWords(operands)
  const isEmpty = !optionsFirst && given.includes('')
  if (given.length >= needed && given.length <= most && !isEmpty) return
  const got = given.length === 0 ? 'nothing' : given.map((word) => (word === '' ? "''" : word)).join(' ')
  throw new UsageError(`${line}: expected ${operands || 'no operand'}, got ${got}; see shellphone ${line} --help`)
}
