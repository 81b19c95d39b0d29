/** Lines shown before and after a change. */
const SNIPPET_LINES = 4

const CLIPPED =
  '<response clipped><NOTE>To save on context only part of this file has been shown to you. You should retry this tool after you have searched inside the file with `grep -n` in order to find the line numbers of what you are looking for.</NOTE>'

const clipped = (text: string, max: number) => (text.length <= max ? text : text.slice(0, max) + CLIPPED)

type Refused = { refusal: string }
type Edited = { text: string; output: string }

/** The two forms in which the editor shows what is at a path. */
export const numbered = {
  file: (content: string, descriptor: string, first: number, max: number): string => {
    const lines = clipped(content, max).split('\n')
    const text = lines.map((line, index) => `${String(index + first).padStart(6)}\t${line}`).join('\n')
    return `Here's the result of running \`cat -n\` on ${descriptor}:\n${text}\n`
  },
  directory: (path: string, paths: string[], max: number): string =>
    `Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n${clipped(`${paths.join('\n')}\n`, max)}\n`,
}

/** Shows a file, or the lines of a range whose end may be -1. */
export function shownLines(
  text: string,
  path: string,
  range: number[] | undefined,
  max: number,
): { output: string } | Refused {
  if (range === undefined) return { output: numbered.file(text, path, 1, max) }
  const lines = text.split('\n')
  const [first = 0, last = 0] = range
  const fault = rangeFault(first, last, lines.length)
  if (fault !== null) return { refusal: `Invalid \`view_range\`: [${first}, ${last}]. ${fault}` }
  const shown = lines.slice(first - 1, last === -1 ? undefined : last).join('\n')
  return { output: numbered.file(shown, path, first, max) }
}

function rangeFault(first: number, last: number, lines: number): string | null {
  if (first < 1 || first > lines) {
    return `Its first element \`${first}\` should be within the range of lines of the file: [1, ${lines}]`
  }
  if (last > lines) {
    return `Its second element \`${last}\` should be smaller than the number of lines in the file: \`${lines}\``
  }
  if (last === -1 || last >= first) return null
  return `Its second element \`${last}\` should be larger or equal than its first \`${first}\``
}

const edited = (path: string, snippet: string, advice: string): string =>
  `The file ${path} has been edited. ${snippet}Review the changes and make sure they are as expected${advice}. Edit the file again if necessary.`

/** Replaces a string that occurs once. */
export function replaceText(
  text: string,
  path: string,
  { old_str, new_str }: { old_str: string; new_str: string },
  max: number,
): Edited | Refused {
  const at = text.indexOf(old_str)
  if (at < 0) {
    return {
      refusal: `No replacement was performed, old_str \`${old_str}\` did not appear verbatim in ${path}.`,
    }
  }
  if (text.includes(old_str, at + old_str.length)) {
    const lines = linesWith(text, old_str).join(', ')
    return {
      refusal: `No replacement was performed. Multiple occurrences of old_str \`${old_str}\` in lines [${lines}]. Please ensure it is unique`,
    }
  }
  const after = text.slice(0, at) + new_str + text.slice(at + old_str.length)
  const line = lineFeeds(text.slice(0, at))
  const start = Math.max(0, line - SNIPPET_LINES)
  const end = line + SNIPPET_LINES + lineFeeds(new_str)
  const snippet = after
    .split('\n')
    .slice(start, end + 1)
    .join('\n')
  return {
    text: after,
    output: edited(path, numbered.file(snippet, `a snippet of ${path}`, start + 1, max), ''),
  }
}

const lineFeeds = (text: string) => text.split('\n').length - 1

/** Maximum number of lines that a message lists. */
const MAX_LISTED = 100

function linesWith(text: string, part: string): number[] {
  const lines = new Set<number>()
  let [line, seen] = [1, 0]
  for (let at = text.indexOf(part); at >= 0 && lines.size < MAX_LISTED; at = text.indexOf(part, at + part.length)) {
    line += lineFeeds(text.slice(seen, at))
    seen = at
    lines.add(line)
  }
  return [...lines]
}

/** Inserts text after a line; 0: at the beginning. */
export function insertLines(
  text: string,
  path: string,
  { insert_line, insert_text }: { insert_line: number; insert_text: string },
  max: number,
): Edited | Refused {
  const lines = text.split('\n')
  if (insert_line < 0 || insert_line > lines.length) {
    return {
      refusal: `Invalid \`insert_line\` parameter: ${insert_line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    }
  }
  const added = insert_text.split('\n')
  const before = lines.slice(0, insert_line)
  const after = lines.slice(insert_line)
  const snippet = [...before.slice(-SNIPPET_LINES), ...added, ...after.slice(0, SNIPPET_LINES)].join('\n')
  const first = Math.max(1, insert_line - SNIPPET_LINES + 1)
  const shown = numbered.file(snippet, 'a snippet of the edited file', first, max)
  return {
    text: [...before, ...added, ...after].join('\n'),
    output: edited(path, shown, ' (correct indentation, no duplicate lines, etc)'),
  }
}
