import { type SettingRow, UsageError } from '../../shared/schema/index.ts'
import { flagsOf, type Subcommand, type Subcommands, type Verb } from './subcommand.ts'

/** What completion offers after a name. */
interface CompletionWords {
  name: string
  options: string[]
  completes: Verb['completes']
  verbs: CompletionWords[]
}

/** The files of run ids and names, which the scripts read, so that completion does not start Node. */
const RUNS = '"${XDG_CACHE_HOME:-$HOME/.cache}/shellphone/runs"'
const REMOTES =
  'sed -n \'s/^  "\\([^"]*\\)": {$/\\1/p\' "${XDG_CONFIG_HOME:-$HOME/.config}/shellphone/remotes.json" 2>/dev/null'

/** Returns a static script that completes subcommands, options, run ids and phone names in bash, zsh or fish. Throws UsageError for another shell. */
export function completionScript(shell: string, rows: SettingRow[], subcommands: Subcommands): string {
  const words = Object.entries(subcommands).map(([name, row]) => wordsOf(name, row, rows))
  if (shell === 'bash') return bash(words)
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(words)}`
  if (shell === 'fish') return fish(words)
  throw new UsageError(`completion: expected bash, zsh or fish, got ${shell}; see shellphone completion --help`)
}

function wordsOf(name: string, row: Subcommand, rows: SettingRow[]): CompletionWords {
  const verbs = Object.entries(row.verbs ?? {}).map(([verb, { options = {}, completes }]) => {
    return { name: verb, options: dashed(Object.keys(options)), completes, verbs: [] }
  })
  const { options = {}, completes } = row
  return { name, options: dashed([...Object.keys(options), ...flagsOf(row, rows), 'help']), completes, verbs }
}

const dashed = (names: string[]) => names.map((name) => `--${name}`)
const namesOf = (words: CompletionWords[]) => words.map(({ name }) => name).join(' ')

function bash(words: CompletionWords[]): string {
  const cases = words.map((one) => {
    const seen = one.completes === 'runs' ? ' runs=1' : ''
    return `    ${one.name}) words='${one.options.join(' ')}'${seen}${verbsInBash(one)} ;;`
  })
  return `_shellphone() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words='${namesOf(words)}' runs='' id command
  [ "$COMP_CWORD" -gt 1 ] && case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words='' ;;
  esac
  [ "\${COMP_WORDS[COMP_CWORD - 1]}" = --on ] && words=$(${REMOTES}) runs=''
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  [ -n "$runs" ] && [ -r ${RUNS} ] && while IFS=$'\\t' read -r id command; do
    case "$id" in "$word"*) COMPREPLY+=("$id\${command:+  ($command)}") ;; esac
  done < ${RUNS}
  # the commands are shown beside several ids; what is inserted is an id alone
  if [ "\${#COMPREPLY[@]}" -eq 1 ] || [ "$COMP_TYPE" = 37 ] || [ -n "$ZSH_VERSION" ]; then COMPREPLY=("\${COMPREPLY[@]%%  (*}"); fi
}
complete -o default -F _shellphone shellphone`
}

/** After the verb, its own options; as the second word, the verbs too. */
function verbsInBash({ verbs }: CompletionWords): string {
  if (verbs.length === 0) return ''
  const own = verbs.filter(({ options, completes }) => options.length > 0 || completes === 'runs')
  const cases = own.map(({ name, options, completes }) => {
    return `${name}) words="$words ${options.join(' ')}"${completes === 'runs' ? ' runs=1' : ''} ;;`
  })
  return `
      case "$COMP_CWORD:\${COMP_WORDS[2]}" in 2:*) words="${namesOf(verbs)} $words" ;; ${cases.map((one) => `*:${one}`).join(' ')} esac`
}

/** The same files in the syntax of fish. A tab separates a word from its description, as in the file of run ids. */
const fishFile = (variable: string, otherwise: string, file: string) =>
  `(set -q ${variable}; and echo $${variable}; or echo ${otherwise})/shellphone/${file} 2>/dev/null`
const fishRuns = `'(cat ${fishFile('XDG_CACHE_HOME', '~/.cache', 'runs')})'`
const fishRemotes = `'(sed -n "s/^  .\\([^\\"]*\\).: {\\$/\\1/p" ${fishFile('XDG_CONFIG_HOME', '~/.config', 'remotes.json')})'`

function fish(words: CompletionWords[]): string {
  const names = namesOf(words)
  const lines = words.flatMap((one) => {
    const seen = `__fish_seen_subcommand_from ${one.name}`
    const after = one.verbs.map((verb) => fishLines(`${seen}; and __fish_seen_subcommand_from ${verb.name}`, verb))
    const verbs = namesOf(one.verbs)
    const second =
      verbs === ''
        ? []
        : [`complete -c shellphone -n '${seen}; and not __fish_seen_subcommand_from ${verbs}' -x -a '${verbs}'`]
    return [...second, ...fishLines(seen, one), ...after.flat()]
  })
  return [`complete -c shellphone -n 'not __fish_seen_subcommand_from ${names}' -a '${names}'`, ...lines].join('\n')
}

function fishLines(condition: string, { options, completes }: CompletionWords): string[] {
  const line = `complete -c shellphone -n '${condition}'`
  const values = (option: string) => (option === '--on' ? ` -x -a ${fishRemotes}` : '')
  const ofOptions = options.map((option) => `${line} -l ${option.slice(2)}${values(option)}`)
  return completes === 'runs' ? [`${line} -a ${fishRuns}`, ...ofOptions] : ofOptions
}
