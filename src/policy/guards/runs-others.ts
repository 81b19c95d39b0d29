/**
 * Whether a call makes a program start others in a way that the parser does not follow. The question is turned round: an argument
 * that could do it does, unless the program's own row says that it does not. The allowlist and single-command ask it alike.
 */
import { type Call, callOf, effectsOf, isCommand, programOf } from '../programs/index.ts'
import { type SimpleCommand, valuesOf, type Word } from '../shell/script.ts'

/** Whether the arguments of this command, or its variables, may start programs. */
export function runsOthers(command: SimpleCommand): boolean {
  if (command.path === '' || command.path === null) return false
  if (effectsOf(command).some((effect) => effect.does === 'runs' && effect.what === 'hidden')) return true
  const call = callOf(command)
  const { program } = call
  if (program?.others === null || program?.shell || program?.runs) return false
  if (call.words.some((word) => word.splits && word.fields === null)) return true
  if (call.arguments.some(({ kind, word }) => kind !== 'text' && startsSign(word))) return true
  if (program?.others) return command.args.some((arg) => program.others!.test(arg))
  return names(call) || call.options.some(({ name }) => telling.test(name) && !untelling.test(name))
}

const startsSign = (word: Word) => (valuesOf(word) ?? [word.prefix]).some((text) => /^\s*(?:[!|]|\w*=[!|])./.test(text))

// an option whose name says that its value is run
const telling =
  /exec|command|cmd|prog|hook|filter|pager|editor|shell|run|script|eval|engine|plugin|module|load|invoke|spawn|callback|handler|action|trigger|launch|call\b|wrapper|preload|agent|helper|askpass|browser|viewer|connect|proxy|rsh|interpreter|startup|init|system|\bsh\b|expr/i
const untelling = /^(?:no-|dry-?run|non-?interactive|list-|skip-|without-|disable-|show-)/i

// an argument that names a shell or an interpreter, or first of all a program: the call wraps it
function names({ arguments: given, program, operands }: Call): boolean {
  const texts = given.filter(({ kind }) => kind !== 'text').flatMap(({ word }) => valuesOf(word) ?? [])
  const runs = (text: string) => {
    const row = programOf(text.replace(/^.*\//s, '').replace(/\s.*$/s, ''))
    return row !== null && (row.shell === true || row.code !== undefined) && !/^[.:]/.test(text)
  }
  const [first] = operands[0] ? (valuesOf(operands[0]) ?? []) : []
  return texts.some(runs) || (program === null && first !== undefined && isCommand(first))
}
