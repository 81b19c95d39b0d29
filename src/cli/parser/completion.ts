import { flagName } from '../../server/config/index.ts'
import { SettingError, type SettingRow } from '../../shared/schema/index.ts'
import { addressSettings, type Subcommand, type Subcommands } from './subcommand.ts'

interface CompletionWords {
  name: string
  options: string[]
  completes: Subcommand['completes']
}

/** Shell commands that read ids and names from files, so that completion does not start Node. */
const SEEN_RUNS = 'cat "${XDG_CACHE_HOME:-$HOME/.cache}/shellphone/runs" 2>/dev/null'
const REMOTES =
  'sed -n \'s/^  "\\([^"]*\\)": {$/\\1/p\' "${XDG_CONFIG_HOME:-$HOME/.config}/shellphone/remotes.json" 2>/dev/null'

/** Returns a static script that completes subcommands, options, run ids and phone names in bash, zsh or fish. Throws SettingError for another shell. */
export function completionScript(shell: string | undefined, rows: SettingRow[], subcommands: Subcommands): string {
  const words = Object.entries(subcommands).map(([name, row]) => {
    return { name, options: optionNames(row, rows), completes: row.completes }
  })
  if (shell === 'bash') return bash(words)
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
  if (shell === 'fish') return fish(words)
  throw new SettingError(`completion: expected bash, zsh or fish, got ${shell === undefined ? 'nothing' : shell}`)
}

function optionNames({ options = {}, settings }: Subcommand, rows: SettingRow[]): string[] {
  const flags =
    settings === 'none' ? [] : ['home', ...(settings === 'all' ? rows.map((row) => row.name) : addressSettings)]
  return [...Object.keys(options), ...flags.map(flagName), 'help'].map((name) => `--${name}`)
}

function bash(words: CompletionWords[]): string {
  const more = ({ completes }: CompletionWords) => (completes === 'runs' ? ` words="$words $(${SEEN_RUNS})"` : '')
  const cases = words.map((one) => `    ${one.name}) words='${one.options.join(' ')}'${more(one)} ;;`)
  return `_shellphone() {
  local words='${words.map(({ name }) => name).join(' ')}'
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words='' ;;
  esac
  [ "\${COMP_WORDS[COMP_CWORD - 1]}" = --on ] && words=$(${REMOTES})
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _shellphone shellphone`
}

/** The same files in the syntax of fish. */
const fishFile = (variable: string, otherwise: string, file: string) =>
  `(set -q ${variable}; and echo $${variable}; or echo ${otherwise})/shellphone/${file} 2>/dev/null`
const fishRuns = `'(cat ${fishFile('XDG_CACHE_HOME', '~/.cache', 'runs')})'`
const fishRemotes = `'(sed -n "s/^  .\\([^\\"]*\\).: {\\$/\\1/p" ${fishFile('XDG_CONFIG_HOME', '~/.config', 'remotes.json')})'`

function fish(words: CompletionWords[]): string {
  const names = words.map(({ name }) => name).join(' ')
  const lines = words.flatMap(({ name, options, completes }) => {
    const seen = `complete -c shellphone -n '__fish_seen_subcommand_from ${name}'`
    const values = (option: string) => (option === '--on' ? ` -x -a ${fishRemotes}` : '')
    const ofOptions = options.map((option) => `${seen} -l ${option.slice(2)}${values(option)}`)
    return completes === 'runs' ? [`${seen} -a ${fishRuns}`, ...ofOptions] : ofOptions
  })
  return [`complete -c shellphone -n 'not __fish_seen_subcommand_from ${names}' -a '${names}'`, ...lines].join('\n')
}
