import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asTyped, Button } from '../parts/basics.tsx'
import { toCount } from '../parts/format.ts'
import { words } from '../words.ts'
import { findIn, mark, reveal } from './find-in.ts'

type Props = { box: RefObject<HTMLElement | null>; scroller: RefObject<HTMLElement | null>; done: () => void }

/** Finds a text in an output, and goes from place to place. */
export function FindLine({ box, scroller, done }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [found, setFound] = useState<Range[]>([])
  const [at, setAt] = useState(0)
  useEffect(() => {
    input.current?.focus()
    return () => mark([], undefined)
  }, [])
  const search = (wanted: string) => {
    setText(wanted)
    const places = findIn(box.current!, wanted)
    setFound(places)
    show(places, Math.max(0, places.length - 1))
  }
  const show = (places: Range[], index: number) => {
    setAt(index)
    mark(places, places[index])
    if (places[index]) reveal(scroller.current!, places[index])
  }
  const step = (by: number) => found.length > 0 && show(found, (at + by + found.length) % found.length)
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') done()
    else if (event.key === 'Enter') step(event.shiftKey ? 1 : -1)
    else return
    event.preventDefault()
  }
  const { places, none } = words.output
  const count = found.length > 0 ? places(toCount(at + 1), toCount(found.length)) : text === '' ? '' : none
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
        {...asTyped}
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
