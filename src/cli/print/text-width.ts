const characters = new Intl.Segmenter()
/** Emoji, and the ranges that Unicode calls wide or fullwidth: East Asian scripts. */
const wide =
  /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|[\u1100-\u115F\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]/u

/** The number of columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of characters.segment(text)) width += columnsOf(segment)
  return width
}

/** The beginning of a text that fits, with … in place of the rest. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let [shown, width] = ['', 0]
  for (const { segment } of characters.segment(text)) {
    width += columnsOf(segment)
    if (width > columns - 1) break
    shown += segment
  }
  return `${shown}…`
}

const columnsOf = (character: string): number => (wide.test(character) ? 2 : 1)
