import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { visibleParts } from '../../shared/schema/index.ts'
import { toCount, toPlural } from '../parts/format.ts'
import { words } from '../words.ts'
import { chunksOf, type ScriptLine } from './chunks.ts'
import { splitAt } from './risky-parts.ts'

/** Every character outside ASCII is marked: a Cyrillic letter can look like a Latin one. */
const foreign = /[^\x20-\x7e]+/

interface ScriptProps {
  text: string
  isDiff?: boolean
  /** commands in the text to mark as a high risk */
  risky?: string[]
  onEnd?: () => void
}

/**
 * A whole script, shown so that nothing in it can hide, change the order of the text or imitate something else: lines are numbered,
 * invisible characters are spelled out, and characters outside ASCII are marked. The rest of a long script is drawn while the user scrolls;
 * `onEnd` is called once the end has been visible; with it, the end is marked.
 */
export function Script({ text, isDiff = false, risky = [], onEnd }: ScriptProps) {
  const chunks = useMemo(() => chunksOf(text), [text])
  const [drawn, setDrawn] = useState(1)
  const end = useRef<HTMLParagraphElement>(null)
  const isWhole = drawn >= chunks.length
  useEffect(() => {
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry!.isIntersecting) return
      if (isWhole) onEnd?.()
      else setDrawn((count) => count + 1)
    })
    if (end.current) seen.observe(end.current)
    return () => seen.disconnect()
  }, [drawn, isWhole, onEnd])
  const lines = text.split('\n').length
  return (
    <div class="script">
      {lines > 1 && (
        <p class="hint">
          {toPlural(lines, words.approvals.line, words.approvals.lines)},{' '}
          {toPlural(text.length, words.approvals.character, words.approvals.characters)}
        </p>
      )}
      <div
        class="script-lines mono"
        tabIndex={0}
        role="region"
        aria-label={isDiff ? words.approvals.diff : words.approvals.script}
        dir="ltr"
      >
        {chunks.slice(0, drawn).map((rows, index) => (
          <ol key={index}>
            {rows.map((row) => (
              <ScriptLine key={row.key} row={row} isAlone={lines === 1} {...{ isDiff, risky }} />
            ))}
          </ol>
        ))}
        {(onEnd || !isWhole) && (
          <p ref={end} class="script-end">
            {isWhole ? words.approvals.end : words.approvals.more(toCount(chunks.length - drawn))}
          </p>
        )}
      </div>
    </div>
  )
}

/** How the lines of a diff are drawn. */
const signs: Record<string, string> = { '+': 'added', '-': 'removed', '@': 'dim' }

type LineProps = { row: ScriptLine; isAlone: boolean; isDiff: boolean; risky: string[] }

/** CSS draws the number, so that it is not part of the text. */
const ScriptLine = ({ row, isAlone, isDiff, risky }: LineProps) => (
  <li data-number={isAlone ? undefined : (row.number ?? '↪')} class={isDiff ? signs[row.text[0] ?? ''] : undefined}>
    {splitAt(risky, row.text).map((part, index) =>
      index % 2 === 0 ? (
        <Visible key={index} text={part} />
      ) : (
        <mark key={index} class="risky" title={words.approvals.risk.high}>
          <Visible text={part} />
        </mark>
      ),
    )}
  </li>
)

/** Text in which nothing is invisible. */
const Visible = ({ text }: { text: string }) => (
  <>
    {visibleParts(text).map(({ text, isSpelled }, index) =>
      isSpelled ? (
        <mark key={index} class="spelled">
          {text}
        </mark>
      ) : (
        marked(text, index)
      ),
    )}
  </>
)

function marked(text: string, key: number) {
  if (!foreign.test(text)) return text
  return text.split(/([^\x20-\x7e]+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <mark key={`${key}.${index}`} class="foreign" title={words.approvals.foreign}>
        {part}
      </mark>
    ),
  )
}
