import { basename } from 'node:path/posix'
import { shellWord } from '../../shared/schema/index.ts'

/** An executable and its arguments, one token for each argument. */
export interface Argv {
  command: string
  parameters: string[]
}

const reserved = new Set(
  'if then else elif fi do done case esac while until for in function select time coproc'.split(' '),
)

/** Quotes a token so that every sh reads it as one literal word. Leaves a token without special characters unquoted. */
const quoteWord = (token: string): string => (/^[\w./:@%+,=-]+$/.test(token) ? token : shellWord(token))

const quoteCommand = (command: string): string =>
  reserved.has(command) || command.includes('=') ? shellWord(command) : quoteWord(command)

/** Returns a script that runs exactly these tokens. */
export const toScript = ({ command, parameters }: Argv): string =>
  [quoteCommand(command), ...parameters.map(quoteWord)].join(' ')

/** Shell control syntax anywhere in the executable's name. */
const syntaxInCommand = /[;&|<>`\r\n]|\$\(/

/** Patterns for a parameter that is only an operator, a redirection or a substitution, which the agent meant for the shell. */
const operator = /^(?:&&|\|\|?|\|&|;;?|&)$/
const redirection = /^(?:\d*|&)(?:>>?|>\||<{1,3}|<>)(?:&[\d-]|[\w./~-]*)$/
const substitution = /^(?:\$\(.*\)|`[^`]*`|[<>]\(.*\))$/s

const isControl = (token: string) => [operator, redirection, substitution].some((form) => form.test(token))

/** Returns the tool's message if these tokens are not one executable with arguments, or null. Text such as `a|b` is a valid argument. */
export function syntaxFault({ command, parameters }: Argv): string | null {
  if (syntaxInCommand.test(command)) {
    return `Invalid command: shell control syntax is not allowed (received "${command}").`
  }
  if (/\s/.test(command.trim())) {
    return 'Invalid command format: provide a single executable in `command` and pass all arguments as separate `parameters` tokens.'
  }
  const bad = parameters.find(isControl)
  return bad === undefined
    ? null
    : `Invalid parameter: shell control syntax is not allowed in parameters (received "${bad}").`
}

/** Interpreters, the options that contain program text, and the options before those that take a value. */
const interpreters: { name: RegExp; inline: RegExp; takesValue?: RegExp }[] = [
  { name: /^(?:ba|z|da|k|mk|c|tc|a|fi)?sh$/, inline: /^-[a-z]*c|^--command\b/, takesValue: /^[-+][a-z]*o$/ },
  { name: /^(?:eval|trap|alias)$/, inline: /^/ },
  { name: /^cmd$/, inline: /^\/[ck]/ },
  { name: /^(?:powershell|pwsh)$/, inline: /^-(?:c|co\w*|e|ec|en\w*)$/ },
  { name: /^python[\d.]*$/, inline: /^-[bdehiopqrsuvx]*c/, takesValue: /^-[wx]$/ },
  {
    name: /^(?:node|nodejs|bun)$/,
    inline: /^-(?:e|p)|^--(?:eval|print)\b/,
    takesValue: /^(?:-r|--require|--import)$/,
  },
  { name: /^deno$/, inline: /^(?:eval$|-e|--eval)/ },
  { name: /^(?:perl|ruby)$/, inline: /^-[acdfilnpstuvwx0-7]*e/ },
  { name: /^php\d*$/, inline: /^-[rbe]|^--run\b/, takesValue: /^-[cd]$/ },
  { name: /^(?:lua|luajit|rscript)[\d.]*$/, inline: /^-e/ },
]

const nameOf = (command: string) =>
  basename(command.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.exe$/, '')

/** Returns the command that `env` runs, without `env` and its own arguments. */
function behindEnv({ command, parameters }: Argv): Argv {
  if (nameOf(command) !== 'env') return { command, parameters }
  const at = parameters.findIndex((token) => !token.startsWith('-') && !token.includes('='))
  return at < 0 ? { command, parameters } : { command: parameters[at]!, parameters: parameters.slice(at + 1) }
}

/** Returns the option that contains program text. Options end at the first word that is not an option; later words belong to a script. */
function inlineOption(parameters: string[], inline: RegExp, takesValue?: RegExp): string | undefined {
  for (let at = 0; at < parameters.length; at++) {
    const token = parameters[at]!
    if (inline.test(token.toLowerCase())) return token
    if (!/^[-+/]./.test(token) || token === '--') return undefined
    if (takesValue?.test(token.toLowerCase())) at++
  }
  return undefined
}

/** Returns the interpreter and the option with which these tokens pass program text (`sh -c`), or null. */
export function inlineScript(argv: Argv): string | null {
  const { command, parameters } = behindEnv(argv)
  const interpreter = interpreters.find(({ name }) => name.test(nameOf(command)))
  const option = interpreter && inlineOption(parameters, interpreter.inline, interpreter.takesValue)
  return option === undefined ? null : `${command} ${option}`
}
