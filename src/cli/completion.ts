import { flagName } from '../config/index.ts'
import { SettingError, type SettingRow } from '../schema/index.ts'
import { placeSettings, type Subcommand, type Subcommands } from './subcommand.ts'

type Words = [name: string, options: string[]][]

/** A static script that completes subcommands and options in bash, zsh or fish: nothing of ours starts at a Tab. */
export function completionScript(shell: string | undefined, rows: SettingRow[], subcommands: Subcommands): string {
  const words = Object.entries(subcommands).map(([name, row]): Words[number] => [name, optionNames(row, rows)])
  if (shell === 'bash') return bash(words)
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
  if (shell === 'fish') return fish(words)
  throw new SettingError(`completion: expected bash, zsh or fish, got ${shell === undefined ? 'nothing' : shell}`)
}

function optionNames({ options = {}, settings }: Subcommand, rows: SettingRow[]): string[] {
  const flags =
    settings === 'none' ? [] : ['home', ...(settings === 'all' ? rows.map((row) => row.name) : placeSettings)]
  return [...Object.keys(options), ...flags.map(flagName), 'help'].map((name) => `--${name}`)
}

function bash(words: Words): string {
  const cases = words.map(([name, options]) => `    ${name}) words='${options.join(' ')}' ;;`)
  return `_shellphone() {
  local words='${words.map(([name]) => name).join(' ')}'
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _shellphone shellphone`
}

function fish(words: Words): string {
  const names = words.map(([name]) => name).join(' ')
  return [
    `complete -c shellphone -n 'not __fish_seen_subcommand_from ${names}' -a '${names}'`,
    ...words.flatMap(([name, options]) =>
      options.map((option) => `complete -c shellphone -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
    ),
  ].join('\n')
}
