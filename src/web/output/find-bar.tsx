import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { literalInput, Button } from '../parts/basics.tsx'
import { toCount } from '../parts/format.ts'
import { words } from '../words.ts'
import { findMatches, highlightMatches, reveal } from './find-matches.ts'

type Props = { container: RefObject<HTMLElement | null>; scroller: RefObject<HTMLElement | null>; done: () => void }

/** Finds text in the output and steps through the matches. */
export function FindBar({ container, scroller, done }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [found, setFound] = useState<Range[]>([])
  const [at, setAt] = useState(0)
  useEffect(() => {
    input.current?.focus()
    return () => highlightMatches([], undefined)
  }, [])
  const search = (wanted: string) => {
    setText(wanted)
    const matches = findMatches(container.current!, wanted)
    setFound(matches)
    show(matches, Math.max(0, matches.length - 1))
  }
  const show = (matches: Range[], index: number) => {
    setAt(index)
    highlightMatches(matches, matches[index])
    if (matches[index]) reveal(scroller.current!, matches[index])
  }
  const step = (by: number) => found.length > 0 && show(found, (at + by + found.length) % found.length)
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') done()
    else if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
    else return
    event.preventDefault()
  }
  const { matchCount, none } = words.output
  const count = found.length > 0 ? matchCount(toCount(at + 1), toCount(found.length)) : text === '' ? '' : none
  return (
    <div class="find" role="search">
      <input
        ref={input}
        type="search"
        aria-label={words.output.find}
        placeholder={words.output.find}
        value={text}
        onInput={({ currentTarget }) => search(currentTarget.value)}
        onKeyDown={press}
        {...literalInput}
      />
      <span class="dim" role="status">
        {count}
      </span>
      <Button kind="quiet" icon="up" label={words.output.earlier} onClick={() => step(-1)} />
      <Button kind="quiet" icon="down" label={words.output.later} onClick={() => step(1)} />
      <Button kind="quiet" icon="close" label={words.close} onClick={done} />
    </div>
  )
}
