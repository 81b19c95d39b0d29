import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { literalInput, Button } from '../parts/basics.tsx'
import { toCount } from '../parts/format.ts'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { findWords } from '../words/find-words.ts'
import {
  findMatches,
  firstInView,
  highlightMatches,
  indexAfterDraw,
  isInView,
  type Match,
  MAX_MATCHES,
  middleOf,
} from './find-matches.ts'
import { type Found, lineAt, searchFrom } from './found-lines.ts'
import type { FoundLine } from './search-run.ts'
import type { ShownOutput } from './shown-output.ts'
import type { Stream } from './text-style.ts'

/** Delay between the last key and a search on the service. */
const DEBOUNCE_MS = 300

interface Props {
  id: string
  container: RefObject<HTMLElement | null>
  scroller: RefObject<HTMLElement | null>
  output: RefObject<ShownOutput | null>
  /** whether the page has loaded the whole output, so that it need not ask the service */
  isWhole: boolean
  /** whether the run has ended and its last output is shown: the search is then repeated once */
  isComplete: boolean
  /** the only stream that is shown; null: both */
  only: Stream | null
  /** whether the view moves with the output to its end */
  isFollowing: boolean
  done: () => void
}

const nothing: Found = { count: 0, isAll: true, lines: null }

/** Finds text in the whole output of a run and steps through the matches. */
export function FindBar({ id, container, scroller, output, isWhole, isComplete, only, isFollowing, done }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const searched = useRef('')
  /** the current match on the page, and the line of the current one in the stored output */
  const current = useRef<Match | undefined>(undefined)
  const currentLine = useRef<FoundLine | null>(null)
  /** whether the view showed the current match when it was last drawn or scrolled */
  const wasInView = useRef(false)
  /** whether the current match came with more output, so that the view has not moved to it */
  const isUnseen = useRef(false)
  const layout = useRef('')
  const redrawn = useRef(() => {})
  const resized = useRef(() => {})
  const [text, setText] = useState('')
  const [found, setFound] = useState(nothing)
  const [at, setAt] = useState(0)
  const [notice, setNotice] = useState('')
  useLayoutEffect(() => {
    input.current?.focus() // before the next key arrives
    const drawing = new MutationObserver(() => redrawn.current())
    drawing.observe(container.current!, { childList: true, subtree: true })
    const sizes = new ResizeObserver(() => resized.current())
    for (const element of [scroller.current!, container.current!]) sizes.observe(element)
    const from = scroller.current!
    const scrolled = () => {
      if (layout.current === layoutOf(from)) wasInView.current = isCurrentInView()
      else resized.current() // the browser scrolled, because the output became shorter
    }
    from.addEventListener('scroll', scrolled, { passive: true })
    return () => {
      drawing.disconnect()
      sizes.disconnect()
      from.removeEventListener('scroll', scrolled)
      highlightMatches([], undefined)
    }
  }, [])
  const isCurrentInView = () => current.current !== undefined && isInView(scroller.current!, current.current)
  const reveal = () => {
    const view = scroller.current!
    current.current?.block.scrollIntoView({ block: 'nearest' })
    output.current?.hold(() => (current.current ? middleOf(view, current.current) : view.scrollTop))
    wasInView.current = true
    isUnseen.current = false
  }
  const mark = (matches: Match[], match: Match | undefined) => {
    current.current = match
    highlightMatches(matches, match)
  }
  /** Moves the view back to the current match after other lines or sizes moved it, unless it follows the output. */
  resized.current = () => {
    layout.current = layoutOf(scroller.current!)
    if (wasInView.current && !isCurrentInView() && current.current && (isComplete || !isFollowing)) reveal()
  }
  const highlight = (pick: (matches: Match[]) => Match | undefined, fromLine = 0) => {
    const matches = findMatches(container.current!, text, fromLine)
    const match = pick(matches)
    mark(matches, match)
    if (match) reveal()
    return matches
  }
  /** A longer text continues at the current match; a new one starts with what is visible. */
  const firstOf = (matches: Match[]) => {
    const { current: from } = current
    if (!from) return firstInView(scroller.current!, matches)
    return Math.max(
      0,
      matches.findIndex(({ line }) => line >= from.line),
    )
  }
  const countShown = (matches: Match[], index: number) => {
    setFound({ count: matches.length, isAll: matches.length < MAX_MATCHES, lines: null })
    setAt(index)
  }
  /** The index of the current match among those of another part of the output; -1: the part does not contain it. */
  const indexInPart = (matches: Match[]) => {
    if (!found.lines || found.count === 0) return -1
    const [{ stream, number }, place] = lineAt(found.lines, at)
    const { firstNumber, first, dropped, isMixed } = output.current!.shown
    if (firstNumber === null || number === null || first !== stream || isMixed) return -1
    const line = number - firstNumber - dropped
    const start = matches.findIndex((match) => match.line === line)
    return start < 0 ? -1 : start + place
  }
  /** Highlights the matches again in lines that were drawn again, and those in new lines. */
  redrawn.current = () => {
    if (text === '') return
    const { current: before } = current
    const matches = findMatches(container.current!, text, isWhole ? 0 : fromLineOf(before?.line))
    let index = before ? indexAfterDraw(matches, before) : -1
    const isGone = index < 0
    if (isGone && isWhole) index = before ? Math.min(at, matches.length - 1) : firstOf(matches)
    else if (isGone) index = indexInPart(matches)
    mark(matches, matches[index])
    if (isGone) wasInView.current = isCurrentInView()
    if (isGone && isWhole) isUnseen.current = true
    if (isWhole) countShown(matches, Math.max(0, index))
    resized.current()
  }
  const show = async ({ lines, count }: Found, index: number) => {
    setAt(index)
    if (count === 0) return
    if (!lines) return void highlight((matches) => matches[index])
    const [found, place] = lineAt(lines, index)
    currentLine.current = found
    const line = await output.current?.showLine(found)
    highlight((matches) => matches.filter((match) => match.line === line)[place], fromLineOf(line))
  }
  useEffect(() => {
    setNotice('')
    if (text === '' || isWhole) {
      const isRepeated = searched.current === text && current.current !== undefined
      searched.current = text
      if (isRepeated) {
        redrawn.current()
        return void (isUnseen.current && reveal())
      }
      let index = 0
      const matches = highlight((all) => all[(index = firstOf(all))])
      return countShown(matches, index)
    }
    let isOver = false
    const search = async () => {
      const at = wasInView.current ? currentLine.current : null
      const from = at ? { ...at, linesAfter: 0 } : output.current?.position
      const { index, ...next } = await searchFrom(id, text, only, from)
      if (isOver) return
      setNotice('')
      setFound(next)
      await show(next, index)
    }
    setFound(nothing)
    setNotice(findWords.searching)
    const timer = setTimeout(() => void search().catch((error) => setNotice(messageOf(error))), DEBOUNCE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [text, isWhole, isComplete, only])
  const step = (by: number) => {
    if (found.count > 0) void show(found, isUnseen.current ? at : (at + by + found.count) % found.count)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') done()
    else if (event.key === 'Enter') step(event.shiftKey ? -1 : 1)
    else return
    event.preventDefault()
  }
  const { matchCount, fromView, none } = findWords
  const isLasting = found.isAll && (isComplete || !found.lines)
  const all = `${toCount(found.count)}${isLasting ? '' : '+'}`
  const place = matchCount(toCount(at + 1), all) + (found.isFromView ? fromView : '')
  const count = found.count > 0 ? place : text === '' ? '' : none
  return (
    <div class="find" role="search">
      <input
        ref={input}
        type="search"
        aria-label={words.output.find}
        placeholder={words.output.find}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={press}
        {...literalInput}
      />
      <span class="dim" role="status">
        {notice || count}
      </span>
      <Button kind="quiet" icon="up" label={findWords.earlier} onClick={() => step(-1)} />
      <Button kind="quiet" icon="down" label={findWords.later} onClick={() => step(1)} />
      <Button kind="quiet" icon="close" label={words.close} onClick={done} />
    </div>
  )
}

/** Above the current match, which must be among those that are highlighted, at most this many lines are searched. */
const LINES_ABOVE = 300

const fromLineOf = (line: number | null | undefined) => Math.max(0, (line ?? 0) - LINES_ABOVE)

/** What determines the height of the lines, apart from their text. */
const layoutOf = ({ clientWidth, clientHeight, className }: Element) => `${clientWidth} ${clientHeight} ${className}`
