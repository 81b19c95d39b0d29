import { useEffect, useRef, useState } from 'preact/hooks'
import { Button, literalInput } from '../parts/basics.tsx'
import type { RunSummary } from '../../sdk/index.ts'
import { Icon } from '../parts/icon.tsx'
import { go, hrefOf, route } from '../route.ts'
import { words } from '../words.ts'
import { dialectOf } from './dialect-of-run.ts'
import type { Filter } from './pages.ts'

const DEBOUNCE_MS = 250

/** The filter in the address, which survives a reload and can be shared. */
export const filterIn = (query: URLSearchParams): Filter => ({
  q: query.get('q') ?? '',
  status: query.get('status') ?? '',
  token: query.get('token') ?? '',
  dialect: query.get('dialect') ?? '',
  session: query.get('session') ?? '',
  day: query.get('day') ?? '',
  files: query.get('files') ?? '',
})

/** The filter controls; they keep the order of the runs. They offer the tokens and dialects of the runs in `seen`. */
export function Filters({ filter, seen }: { filter: Filter; seen: RunSummary[] }) {
  const [text, setText] = useState(filter.q)
  /** whether a narrow screen shows all controls; a wide one always does */
  const [isOpen, setIsOpen] = useState(false)
  const active = Object.entries(filter).filter(([field, value]) => field !== 'q' && value !== '').length
  // the address may have changed since the page has drawn `filter`
  const set = (part: Partial<Filter>) => {
    const { query } = route.peek()
    go(hrefOf('runs', [], { ...filterIn(query), sort: query.get('sort') ?? '', ...part }), 'replace')
  }
  const sent = useRef(filter.q)
  useEffect(() => {
    if (filter.q !== sent.current) setText(filter.q) // a link changed the address
    sent.current = filter.q
  }, [filter.q])
  useEffect(() => {
    if (text === filter.q) return
    const timer = setTimeout(() => {
      sent.current = text
      set({ q: text })
    }, DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text, ...Object.values(filter)])
  const { search, anyStatus, day, live } = words.runs
  return (
    <div class="run-filters" role="search">
      <label class="find-runs">
        <Icon name="search" />
        <input
          type="search"
          data-key="/"
          aria-label={search}
          placeholder={search}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          {...literalInput}
        />
      </label>
      <Button class="filters-toggle" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {words.runs.filters}
        {active > 0 && (
          <>
            <b>{active}</b>
            <span class="unseen">{words.runs.active}</span>
          </>
        )}
      </Button>
      <div class="filter-fields">
        <select
          aria-label={words.runs.status}
          value={filter.status}
          onChange={({ currentTarget }) => set({ status: currentTarget.value })}
        >
          <option value="">{anyStatus}</option>
          <option value="live">{live}</option>
          {Object.entries(words.status).map(([status, name]) => (
            <option key={status} value={status}>
              {name}
            </option>
          ))}
        </select>
        {(['token', 'dialect'] as const).map((field) => (
          <select
            key={field}
            aria-label={words.runs[field]}
            value={filter[field]}
            onChange={({ currentTarget }) => set({ [field]: currentTarget.value })}
          >
            <option value="">{words.runs.any[field]}</option>
            {namesIn(field, filter, seen).map((name) => (
              <option key={name} value={name}>
                {field === 'dialect' && dialectOf({ dialect: name }) === '' ? words.runs.noDialect : name}
              </option>
            ))}
          </select>
        ))}
        <input
          type="date"
          aria-label={day}
          value={filter.day}
          onChange={({ currentTarget }) => set({ day: currentTarget.value })}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={filter.files === 'shown'}
            onChange={({ currentTarget }) => set({ files: currentTarget.checked ? 'shown' : '' })}
          />
          {words.runs.files}
        </label>
        {filter.session !== '' && (
          <Button icon="close" onClick={() => set({ session: '' })}>
            {words.runs.session(filter.session)}
          </Button>
        )}
      </div>
    </div>
  )
}

const namesIn = (field: 'token' | 'dialect', filter: Filter, seen: RunSummary[]): string[] =>
  [...new Set([filter[field], ...seen.map((run) => run[field] ?? '')])].filter(Boolean).sort()
