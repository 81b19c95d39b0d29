import { visible } from '../../shared/schema/index.ts'
import type { Style } from './style.ts'
import { cut, widthOf } from './text-width.ts'

/** One column of a table. */
export interface Column<Row> {
  title: string
  /** the text of a row, without control characters */
  text(row: Row): string
  isRight?: boolean
  paint?(row: Row, text: string): string
}

/** Formats rows in columns with a header. On a terminal, each line is cut at its width; the last column is the one that is cut. */
export function textTable<Row>(rows: Row[], columns: Column<Row>[], style: Style): string {
  const cells = rows.map((row) => columns.map(({ text }) => text(row)))
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((line) => widthOf(line[at]!))))
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  const room = Math.max(10, style.columns - before)
  const line = (texts: string[], paint: (at: number, text: string) => string) =>
    texts
      .map((text, at) => {
        const isLast = at === columns.length - 1
        const spaces = ' '.repeat(isLast ? 0 : widths[at]! - widthOf(text))
        const painted = paint(at, isLast ? cut(text, room) : text)
        return columns[at]!.isRight ? spaces + painted : painted + spaces
      })
      .join('  ')
      .trimEnd()
  const header = line(
    columns.map(({ title }) => title),
    (_at, text) => style.bold(text),
  )
  return [
    header,
    ...rows.map((row, index) => line(cells[index]!, (at, text) => columns[at]!.paint?.(row, text) ?? text)),
  ].join('\n')
}

/** The text of a cell: a command in one line, with control characters escaped. */
export const commandCell = (command: string): string => visible(command.replaceAll('\n', '⏎'))
