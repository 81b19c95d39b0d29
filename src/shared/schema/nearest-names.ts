const MAX_NAMES = 3

/** Names that shell tools use for the same field. */
const synonyms = [
  ['command', 'cmd', 'script', 'shell_command'],
  ['working_directory', 'workingdirectory', 'working_dir', 'workdir', 'directory', 'dir', 'cwd', 'path'],
  ['timeout_seconds', 'timeout_ms', 'timeout', 'timeout_secs', 'time_limit'],
  ['max_length', 'max_output', 'max_output_length', 'max_output_bytes', 'max_chars', 'limit'],
  ['parameters', 'arguments', 'args', 'argv', 'params'],
  ['artifact_paths', 'artifacts', 'files'],
  ['scratchpad', 'scratchpad_name', 'save_as'],
]

/** The name that was probably meant by an unknown one: a synonym, or the closest spelling; undefined: none is close. */
export function meantName(typed: string, names: readonly string[]): string | undefined {
  const lower = typed.toLowerCase()
  const group = synonyms.find((one) => one.includes(lower)) ?? []
  return names.find((name) => group.includes(name)) ?? nearestNames(lower.slice(0, 40), names)[0]
}

/** Suggestions for a mistyped name, the closest first, at most three: names that start with it, or that differ from it in about a third of its letters. */
export function nearestNames(typed: string, names: readonly string[]): string[] {
  const limit = Math.max(1, Math.round(typed.length / 3))
  return names
    .map((name) => ({ name, edits: typed !== '' && name.startsWith(typed) ? 0 : editsBetween(typed, name) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

/** The optimal string alignment distance: the number of letters inserted, deleted or replaced, and of neighbours swapped. */
function editsBetween(from: string, to: string): number {
  const table = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row++) {
    const line = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line[column] = Math.min(
        line[column - 1]! + 1,
        table[row - 1]![column]! + 1,
        table[row - 1]![column - 1]! + (isSame ? 0 : 1),
        isSwapped ? table[row - 2]![column - 2]! + 1 : Infinity,
      )
    }
    table.push(line)
  }
  return table[from.length]![to.length]!
}

/** The suggestions as the end of a message: `, did you mean X?`; '' without any. */
export function didYouMean(typed: string, names: readonly string[]): string {
  const nearest = nearestNames(typed, names)
  return nearest.length > 0 ? `, did you mean ${nearest.join(' or ')}?` : ''
}
