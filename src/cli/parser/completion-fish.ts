import type { CompletionWords, Offer } from './completion-words.ts'

/** A tab separates a name from its meaning, as in the file of run ids. */
const head = `function __shellphone_names
  set -l target
  set -l line (commandline -opc)
  for at in (seq 2 (count $line))
    contains -- $line[$at] --on --home --host --port; and set -a target $line[$at] $line[(math $at + 1)]
  end
  command shellphone completion words $argv $target 2>/dev/null
end`

const fileIn = (variable: string, otherwise: string, file: string) =>
  `(set -q ${variable}; and echo $${variable}; or echo ${otherwise})/shellphone/${file} 2>/dev/null`

/** Where fish reads names. */
const sources: Record<string, string> = {
  runs: `(cat ${fileIn('XDG_CACHE_HOME', '~/.cache', 'runs')})`,
  remotes: `(sed -n "s/^  .\\([^\\"]*\\).: {\\$/\\1/p" ${fileIn('XDG_CONFIG_HOME', '~/.config', 'remotes.json')})`,
}

/** The script for fish. */
export function fishScript(words: CompletionWords[]): string {
  const names = words.map(({ name }) => name).join(' ')
  const lines = words.flatMap((one) => {
    const seen = `__fish_seen_subcommand_from ${one.name}`
    const verbs = one.verbs.map(({ name }) => name).join(' ')
    if (verbs === '') return linesOf(seen, one)
    const first = `${seen}; and not __fish_seen_subcommand_from ${verbs}`
    return [
      `complete -c shellphone -n '${first}' -f -a '${verbs}'`,
      ...linesOf(first, one),
      ...one.verbs.flatMap((verb) => linesOf(`${seen}; and __fish_seen_subcommand_from ${verb.name}`, verb)),
    ]
  })
  return [head, `complete -c shellphone -n 'not __fish_seen_subcommand_from ${names}' -f -a '${names}'`, ...lines].join(
    '\n',
  )
}

function linesOf(condition: string, { operands, options }: CompletionWords): string[] {
  const line = (more = '') => `complete -c shellphone -n '${condition}${more}'`
  const { next = new Map<string, string[]>() } = operands
  const first = next.size > 0 ? `; and not __fish_seen_subcommand_from ${[...next.keys()].join(' ')}` : ''
  const { rareWords = [] } = operands
  const typed = line('; and string length -q -- (commandline -ct)')
  const rare = rareWords.length > 0 ? [`${typed} -f -a '${rareWords.join(' ')}'`] : []
  const own = [...options].map(([option, offer]) => {
    const value = offer === null ? '' : offer.names === 'files' ? ' -r' : ` -x${wordsIn(offer)}`
    return `${line()} -l ${option.slice(2)}${value}`
  })
  const values = [...next].map(
    ([word, words]) => `${line(`; and __fish_seen_subcommand_from ${word}`)} -f${wordsIn({ words })}`,
  )
  const named = `${line(first)} -f -k${wordsIn(operands)}`
  return [...(operands.names === 'files' ? [] : [named]), ...values, ...rare, ...own]
}

function wordsIn({ words, names }: Offer): string {
  const read = names === undefined || names === 'files' ? [] : [sources[names] ?? `(__shellphone_names ${names})`]
  const all = [...words, ...read].join(' ')
  return all === '' ? '' : ` -a '${all}'`
}
