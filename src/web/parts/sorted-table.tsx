import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

const wide = matchMedia('(width >= 64rem)')
/** Whether the screen has room for a table. */
export const isWide = signal(wide.matches)
wide.addEventListener('change', () => (isWide.value = wide.matches))

export interface Sort {
  by: string
  sign: 1 | -1
}

/** What to sort a row by; null puts it at the end in either order. */
export type SortKey<Row> = (row: Row) => string | number | null

/** Sorts rows by the column that the user has chosen; before that, they stay as they are. `keys`: what each column sorts by. */
export function useSort<Row>(rows: Row[], keys: Record<string, SortKey<Row>>) {
  const [sort, setSort] = useState<Sort | null>(null)
  return { sorted: sortRows(rows, keys, sort), sort, setSort }
}

/** Sorts rows by a column; null or an unknown column: leaves them as they are. */
export function sortRows<Row>(rows: Row[], keys: Record<string, SortKey<Row>>, sort: Sort | null): Row[] {
  const key = sort && keys[sort.by]
  return sort && key ? rows.toSorted((one, other) => compare(key(one), key(other), sort.sign)) : rows
}

function compare(one: string | number | null, other: string | number | null, sign: number): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? 1 : -1
  return one < other ? -sign : sign
}

interface TableProps {
  /** the class of the table, for the widths of its columns */
  kind?: string
  /** the title of each column */
  names: Readonly<Record<string, string>>
  sort: Sort | null
  setSort(sort: Sort): void
  /** a header cell before the columns */
  first?: ComponentChildren
  /** the rows */
  children: ComponentChildren
}

/** A table: click a header to sort by its column, and again for the opposite order. */
export const SortedTable = ({ kind = '', names, sort, setSort, first, children }: TableProps) => (
  <table class={`table ${kind}`}>
    <thead>
      <tr>
        {first}
        {Object.entries(names).map(([by, name]) => (
          <th
            key={by}
            scope="col"
            class={`column-${by}`}
            aria-sort={sort?.by !== by ? undefined : sort.sign === 1 ? 'ascending' : 'descending'}
          >
            <button type="button" onClick={() => setSort({ by, sign: sort?.by === by && sort.sign === 1 ? -1 : 1 })}>
              {name}
            </button>
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
