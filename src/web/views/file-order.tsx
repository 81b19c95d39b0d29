import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { FileEntry } from '../../sdk/index.ts'
import { rareWords } from '../words/rare-words.ts'

const { files: texts } = rareWords
type Order = keyof typeof texts.orders

/** How the entries are shown, in every directory until the page is closed. */
const order = signal<Order>('name')
const showsHidden = signal(false)

const names = new Intl.Collator(undefined, { numeric: true })
const isFolder = ({ type }: FileEntry): number => Number(type === 'directory')

const compare: Record<Order, (one: FileEntry, other: FileEntry) => number> = {
  name: (one, other) => isFolder(other) - isFolder(one) || names.compare(one.name, other.name),
  newest: (one, other) => Date.parse(other.modified_at) - Date.parse(one.modified_at),
  oldest: (one, other) => Date.parse(one.modified_at) - Date.parse(other.modified_at),
  largest: (one, other) => other.bytes - one.bytes,
  smallest: (one, other) => one.bytes - other.bytes,
}

const isHidden = ({ name }: Pick<FileEntry, 'name'>): boolean => name.startsWith('.')

/** Shows the hidden entries if the name is one of theirs. */
export function showIfHidden(name: string): void {
  if (isHidden({ name })) showsHidden.value = true
}

/** The entries to show, in the chosen order. */
export const shownEntries = (entries: FileEntry[]): FileEntry[] =>
  entries.filter((entry) => showsHidden.value || !isHidden(entry)).toSorted(compare[order.value])

interface Props {
  entries: FileEntry[]
  /** whether the directory has more entries that are not loaded */
  isPart: boolean
  /** another control, in the same row */
  children: ComponentChildren
}

/** Chooses the order of the entries, and whether hidden ones are shown. */
export function FileOrder({ entries, isPart, children }: Props) {
  const hidden = entries.filter(isHidden).length
  return (
    <>
      <div class="file-order">
        <select
          aria-label={texts.order}
          value={order.value}
          onChange={({ currentTarget }) => (order.value = currentTarget.value as Order)}
        >
          {Object.entries(texts.orders).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={showsHidden.value}
            onChange={({ currentTarget }) => (showsHidden.value = currentTarget.checked)}
          />
          {texts.hidden(hidden)}
        </label>
        {children}
      </div>
      {isPart && <p class="hint">{texts.sortedPart}</p>}
    </>
  )
}

/** The orders of each column, each with its sign; a click on the column's name chooses the first, and then the other. */
const ordersOf: [column: keyof typeof texts.columns, orders: [Order, sign: string][]][] = [
  ['name', [['name', '↑']]],
  [
    'modified',
    [
      ['newest', '↓'],
      ['oldest', '↑'],
    ],
  ],
  [
    'size',
    [
      ['largest', '↓'],
      ['smallest', '↑'],
    ],
  ],
]

/** The names of the columns on a wide screen; a click sorts by one. */
export const FileColumns = () => (
  <div class="file-row file-columns">
    {ordersOf.map(([column, orders]) => {
      const at = orders.findIndex(([name]) => name === order.value)
      const [next] = orders[at + 1] ?? orders[0]!
      return (
        <button
          key={column}
          type="button"
          class={`column-${column}`}
          aria-pressed={at >= 0}
          onClick={() => (order.value = next)}
        >
          {texts.columns[column]} {orders[at]?.[1] ?? <span aria-hidden="true">⇅</span>}
        </button>
      )
    })}
  </div>
)
