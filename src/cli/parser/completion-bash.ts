import type { CompletionWords, Offer } from './completion-words.ts'

/** The number of names that completion offers at once, so that they fit on a screen. */
const MAX_NAMES = 20
/** More operands than a person types. */
const ANY_NUMBER = 9999

/** The script for bash, and for zsh in bash's mode. */
export const bashScript = (words: CompletionWords[]): string => `_shellphone() {
  local word="\${COMP_WORDS[COMP_CWORD]}" option="\${COMP_WORDS[COMP_CWORD - 1]}" verb='' words='' options='' names='none'
  local rare='' most=${ANY_NUMBER} used=' ' count=0 valued='' name meaning value at target=()
  # bash splits --option=value into three words
  [ "$word" = = ] && word=''
  [ "$option" = = ] && option="\${COMP_WORDS[COMP_CWORD - 2]}"
  # after NAME: follows a path of a phone, not a file of this machine; bash splits a word at a colon
  case "\${COMP_WORDS[1]} $option$word" in "cp "*:* | "edit "*:*)
    if [ -n "$word" ]; then COMPREPLY=(); compopt +o default 2>/dev/null; return; fi ;;
  esac
  case "\${COMP_WORDS[1]}" in
${words.map(valuedCase).join('\n')}
  esac
  # the options and operands before the cursor, without the values of options
  for ((at = 2; at < COMP_CWORD; at++)); do
    value="\${COMP_WORDS[at]}"
    case "$value" in
    =) ((at++)); continue ;;
    -*) case "$valued" in *" $value "*) [ "\${COMP_WORDS[at + 1]}" != = ] && ((at++)) ;; esac ;;
    *) ((count++)); [ "$count" = 1 ] && verb=$value ;;
    esac
    used="$used$value "
  done
  if [ "$COMP_CWORD" -le 1 ]; then
    words='${words.map(({ name }) => name).join(' ')}'
  else case "\${COMP_WORDS[1]} $verb $option" in
${valueCases(words).join('\n')}
    *) case "\${COMP_WORDS[1]} $verb" in
${words.flatMap(lineCases).join('\n')}
      esac ;;
  esac; fi
  [ -n "$word" ] && words="$words $rare"
  # nothing follows the last operand but options, and nothing is offered twice
  [ "$count" -ge "$most" ] && words='' names=none
  # options follow a dash, or where nothing else can follow
  case "$names $words" in 'none ') words=$options ;; esac
  case "$word" in -*) words=$options names=none ;; esac
  COMPREPLY=()
  for name in $(compgen -W "$words" -- "$word"); do
    case "$used" in *" $name "*) ;; *) COMPREPLY+=("$name") ;; esac
  done
  # the service that the command line names
  for ((at = 2; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in --on | --home | --host | --port)
      value="\${COMP_WORDS[at + 1]}"
      [ "$value" = = ] && value="\${COMP_WORDS[at + 2]}"
      target+=("\${COMP_WORDS[at]}" "$value") ;;
    esac
  done
  while IFS=$'\\t' read -r name meaning; do
    case "$name" in
    *[!A-Za-z0-9._/@:+-]*) ;;
    "$word"*) case "$used" in *" $name "*) continue ;; esac; [ "\${#COMPREPLY[@]}" -lt ${MAX_NAMES} ] && COMPREPLY+=("$name\${meaning:+  ($meaning)}") ;;
    esac
  done < <(case "$names" in
    files | none) ;;
    runs) cat "\${XDG_CACHE_HOME:-$HOME/.cache}/shellphone/runs" ;;
    remotes) sed -n 's/^  "\\([^"]*\\)": {$/\\1/p' "\${XDG_CONFIG_HOME:-$HOME/.config}/shellphone/remotes.json" ;;
    *) "\${COMP_WORDS[0]/#\\~/$HOME}" completion words "$names" "\${target[@]}" ;;
  esac 2>/dev/null)
  # the meanings are shown beside several names; what is inserted is a name alone
  if [ "\${#COMPREPLY[@]}" -eq 1 ] || [ "\${COMP_TYPE:-}" = 37 ] || [ -n "\${ZSH_VERSION:-}" ]; then COMPREPLY=("\${COMPREPLY[@]%%  (*}"); fi
  case "\${COMPREPLY[*]}" in *:) compopt -o nospace 2>/dev/null ;; esac
  [ "$names" = files ] || compopt +o default 2>/dev/null
}
complete -o nosort -o default -F _shellphone shellphone 2>/dev/null || complete -o default -F _shellphone shellphone`

const assignments = ({ words, names, rareWords = [] }: Offer) =>
  `words='${words.join(' ')}' names=${names ?? 'none'}${rareWords.length > 0 ? ` rare='${rareWords.join(' ')}'` : ''}`

/** The options of a subcommand and its verbs that take a value. */
function valuedCase({ name, verbs, ...one }: CompletionWords): string {
  const valued = [one, ...verbs].flatMap(({ options, shortWithValue }) => [
    ...[...options].flatMap(([option, offer]) => (offer === null ? [] : [option])),
    ...shortWithValue,
  ])
  return `    ${name}) valued=' ${[...new Set(valued)].join(' ')} ' ;;`
}

/** A case for each value of an option: the options that offer the same share one. */
function valueCases(words: CompletionWords[]): string[] {
  const patterns = new Map<string, Set<string>>()
  const add = (line: string, { options }: CompletionWords) => {
    for (const [option, offer] of options) {
      if (offer === null) continue
      const text = `${assignments(offer)} used=` // another option may have the same value
      patterns.set(text, (patterns.get(text) ?? new Set()).add(`${line}\\ ${option}`))
    }
  }
  for (const one of words) {
    for (const verb of one.verbs) add(`${one.name}\\ ${verb.name}`, verb)
    add(`${one.name}\\ *`, one)
  }
  return [...patterns].map(([text, all]) => `    ${[...all].join(' | ')}) ${text} ;;`)
}

/** The words of the other command are files, or unknown here. */
const OTHER_COMMAND = `; [ "$count" -ge 1 ] && words='' options='' names=files`

/** What follows a subcommand: its verbs and options; after a verb, its operands and options. */
function lineCases({ name, operands, options, verbs, most, optionsFirst }: CompletionWords): string[] {
  const line = (offer: Offer, names: Iterable<string>, count: number) =>
    `${assignments(offer)} options='${[...names].join(' ')}'${count === Infinity ? '' : ` most=${count}`}`
  const words = [...verbs.map((verb) => verb.name), ...operands.words]
  return [
    ...verbs.map(
      (verb) =>
        `      ${name}\\ ${verb.name}) ${line(verb.operands, verb.options.keys(), 1 + verb.most)}${nextWords(verb.operands)} ;;`,
    ),
    `      ${name}\\ *) ${line({ ...operands, words }, options.keys(), most)}${optionsFirst ? OTHER_COMMAND : ''} ;;`,
  ]
}

/** After the verb and an operand, what can follow that operand, which is the last word before the cursor. */
function nextWords({ next }: Offer): string {
  if (next === undefined) return ''
  const cases = [...next].filter(([, words]) => words.length > 0)
  return `
        if [ "$count" -ge 2 ]; then words='' rare=''; case "$value" in
${cases.map(([word, words]) => `        ${word}) words='${words.join(' ')}' ;;`).join('\n')}
        esac; fi`
}
