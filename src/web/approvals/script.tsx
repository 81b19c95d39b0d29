import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { visibleParts } from '../../shared/schema/index.ts'
import { toCount, toPlural } from '../parts/format.ts'
import { words } from '../words.ts'
import { chunksOf, type ScriptLine } from './chunks.ts'

/** Everything that is not ASCII is marked: a letter of another script looks like one of ours. */
const foreign = /[^\x20-\x7e]+/

/**
 * A script whole, so that nothing in it can hide, reorder or imitate: lines have numbers, what cannot be seen is spelled out, and what
 * is no ASCII is marked. Of a long one the rest is drawn as it is scrolled to; `onEnd` hears when the end has been seen.
 */
export function Script({ text, onEnd }: { text: string; onEnd?: () => void }) {
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
    seen.observe(end.current!)
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
      <div class="script-box mono" tabIndex={0} role="region" aria-label={words.approvals.script} dir="ltr">
        {chunks.slice(0, drawn).map((rows, index) => (
          <ol key={index}>
            {rows.map((row) => (
              <ScriptLine key={row.key} row={row} isAlone={lines === 1} />
            ))}
          </ol>
        ))}
        <p ref={end} class="script-end">
          {isWhole ? words.approvals.end : words.approvals.more(toCount(chunks.length - drawn))}
        </p>
      </div>
    </div>
  )
}

/** The number is drawn by the style: it is no part of the text. */
const ScriptLine = ({ row, isAlone }: { row: ScriptLine; isAlone: boolean }) => (
  <li data-number={isAlone ? undefined : (row.number ?? '↪')}>
    {visibleParts(row.text).map(({ text, isSpelled }, index) =>
      isSpelled ? (
        <mark key={index} class="spelled">
          {text}
        </mark>
      ) : (
        marked(text, index)
      ),
    )}
  </li>
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
