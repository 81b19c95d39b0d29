/** A line of a script, or a piece of a very long one. */
export interface ScriptLine {
  key: number
  /** null for a piece that continues the previous line */
  number: number | null
  text: string
}

/** Limits on a chunk, which is drawn in one step: rows and characters. */
const CHUNK_ROWS = 200
const CHUNK_CHARACTERS = 8_000
const ROW_CHARACTERS = 2_000

/** Splits a script into chunks that are cheap to draw one after another. */
export function chunksOf(script: string): ScriptLine[][] {
  const chunks: ScriptLine[][] = [[]]
  let characters = 0
  for (const row of rowsOf(script)) {
    const last = chunks.at(-1)!
    if (last.length > 0 && (last.length >= CHUNK_ROWS || characters + row.text.length > CHUNK_CHARACTERS)) {
      chunks.push([row])
      characters = row.text.length
    } else {
      last.push(row)
      characters += row.text.length
    }
  }
  return chunks
}

function* rowsOf(script: string): Generator<ScriptLine> {
  let key = 0
  let number = 0
  for (const line of script.split('\n')) {
    number++
    let from = 0
    do {
      const to = characterBoundary(line, from + ROW_CHARACTERS)
      yield { key: key++, number: from === 0 ? number : null, text: line.slice(from, to) }
      from = to
    } while (from < line.length)
  }
}

/** The first index from `at` on that does not split a surrogate pair. */
function characterBoundary(line: string, at: number): number {
  if (at >= line.length) return line.length
  const unit = line.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000 ? at + 1 : at
}
