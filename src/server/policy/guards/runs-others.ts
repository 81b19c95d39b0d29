/**
 * Determines whether a call makes a program start others in a way that the parser cannot follow. Any argument that could do so counts,
 * unless the program's row says that it does not. The guards allowlist and single-command use it.
 */
import {
  type Argument,
  type Call,
  callOf,
  descriptorOf,
  effectsOf,
  isCommand,
  isInterpreter,
} from '../programs/index.ts'
import { isAnything, type SimpleCommand, valuesOf, type Word } from '../script/script.ts'

const MAX_TEXT = 4_096

/** Returns whether the arguments of this command, its input or its variables may start programs. */
export function runsOthers(command: SimpleCommand): boolean {
  if (command.path === '' || command.path === null) return false
  if (effectsOf(command).some((effect) => effect.does === 'runs' && effect.what === 'hidden')) return true
  const call = callOf(command)
  const { program } = call
  if (program?.startsOthers && command.args.some((arg) => program.startsOthers!.test(arg))) return true
  if (call.arguments.some(({ kind, option }) => kind === 'script' && option !== null)) return true
  if (program?.shell || (program?.runs && !program.after)) return false
  if (program?.startsOthers === null) return false
  if (call.words.some(isAnything)) return true
  return call.arguments.some((argument) => startsByValue(argument, call)) || startsByOption(call) || reads(call)
}

const textsOf = (word: Word) => (valuesOf(word) ?? [word.prefix]).map((text) => text.slice(0, MAX_TEXT))

function startsByValue({ word, kind, option, guess }: Argument, { program, operands }: Call): boolean {
  if (kind === 'text' && program !== null) return false
  const isFirst = option === null && word === operands[0]
  return textsOf(word).some((text) => {
    if (startsBySign.test(text) || codeLike.test(text)) return true
    if (program !== null)
      return program.startsOthers === undefined && (library.test(text) || isStart(text, option !== null))
    if (isStart(text, true) || (isFirst && verbs.test(text))) return true
    return option !== null || (guess !== undefined && given.test(guess)) ? codeFile.test(text) : library.test(text)
  })
}

// option letters that often take a script or configuration file, and all long names
const given = /^[cfrexslugEXSCLoRiIpPtbBF]$|^\w[\w-]+$/

// !cmd, |cmd, alias=!cmd, +!cmd
const startsBySign = /%\(|\\!|^\s*~[!|]|^\s*(?:[\w.-]*[=:+])?:?[!|]\s*\S|^\s*@\(|%!|%x\(|%pipe%/
const codeLike =
  /\bset\s+\w*(?:editor|mail|shell|pager|connect|program)|\blocal\s+\w+\s|\$\(|`[^`]+`|%sh\b|<\(|\b(?:system|exec\w*|spawn\w*|popen\w*|subprocess|shell_exec|shell(?:-command)?|call-process|run-program|getRuntime|backquote|child_process|os\.\w+|eval|sh|bash|import|require|source|load(?:file|_module|module)?|write18|e?syscmd|%pipe%|\brun\b|ShellExecute|passthru|terminal|py3?|lua|perl|ruby)\s*[\s("'{[:.]\s*\S/i
// files that contain code, or configuration that can name a program
const codeFile =
  /\.(?:sh|bash|zsh|py|rb|pl|pm|lua|[mc]?js|ts|php|tcl|r|jl|exs?|erl|scm|el|vim|so|dylib|dll|jar|dex|class|groovy|gradle|kts|cmake|mk|nix|nse|gdb|exp|awk|sed|sql|service|timer|ru|stp|d|bt|ps1|conf|cfg|cnf|ini|rc|toml|ya?ml|json|xml|xsh|x|tab|rz|macro|tex|just|ninja|mak|smk|pa|pp|gp|r2|rr2|kdl|vdj|cql|xml|cnf|macros|gemspec|rockspec|hcl|bt|lnav|ll|rktl|cap|jsh|PKGBUILD|lisp|rktl?|xsl|lftp|cap|pseudo|wasm|dcf|m4|script|playbook|tcl|rules|reds|fnl|janet|zig)(?=$|[:,])|(?:^|\.)(?:Dockerfile|Containerfile|Makefile|Justfile)$|rc$|config$|(?:^|[=:,])\.\/|^\.$/i
const library =
  /\.(?:so|dylib|sh|conf|rc|cf|bats|ll|service|nse|stp|ru|gradle|ipk|deb|whl|gem|tgz|rpm|apk)$|^\.{1,2}\/[\w-]+$/i
const verbs =
  /^(?:exec|run|x|dlx|shell|develop|dev|console|repl|eval|ev|script|runner|runspider|foreach|forall|each|do|serve|daemon|hook|call|php:eval|run-\w+|\w+-run|\w+:exec|tool|start|watch|edit|bundle)$/

// whether a text names a shell, an interpreter or a program that the call would run
function isStart(text: string, plainly: boolean): boolean {
  const first = /^["'\s({[]*(?:[\w.-]*[=:])?["'\s({[]*([\w./+-]+)/.exec(text)?.[1] ?? ''
  const rest = /\s/.test(text.trim())
  // a command among several words of a value
  if (plainly && rest && text.split(/[\s,:=>'"(;{[|&]+/).some(isCommand)) return true
  return (isInterpreter(first) && !/^\.+$/.test(first)) || ((plainly || rest) && isCommand(first))
}

// options whose names indicate that the value is run, or is read as configuration that can name a program
const suspiciousOption =
  /exec|command|cmd|prog|hook|filter|pager|editor|shell|run|script|eval|engine|plugin|plug-in|module|load|invoke|spawn|callback|handler|action|trigger|launch|call\b|wrapper|agent|helper|askpass|browser|viewer|connect|rsh|interpreter|startup|init|system|\bsh\b|expr|require|import|conf(?!irm|lict)|\brc|(?<!s)rc$|options?$|preset|extension|library|listener|reporter|runner|setup|template|driver|provider|transform|before|after|start|on-\w|up$|down$|notify|alert|pipe|view|macro|code|task|compiler|linker|backend/i
const harmlessOption = /^(?:no-|dry-?run|non-?interactive|list-|skip-|without-|disable-|show-|max-|min-)|-only$/i

const certain = /exec|command|cmd|prog|shell|editor|pager|hook|script/i

const startsByOption = ({ options, program }: Call): boolean =>
  options.some(
    ({ name, value }) =>
      name.length > 1 &&
      (program === null || value !== null ? suspiciousOption : certain).test(name) &&
      !harmlessOption.test(name),
  )

// whether the command's input contains commands, such as a pager's shell escape or a line of code
function reads({ command, program }: Call): boolean {
  const { input } = command
  if (input === null || program?.language || program?.passesInput) return false
  if (input.text === null) return false
  // an argument names standard input, as in `task -t -`
  if (program === null && command.args.some((arg) => descriptorOf(arg) !== null)) return true
  const lines = input.text.slice(0, MAX_TEXT).split('\n')
  return lines.some(
    (line) => startsBySign.test(line) || codeLike.test(line) || isStart(line, true) || /^\s*[.\\:][a-zA-Z]/.test(line),
  )
}
