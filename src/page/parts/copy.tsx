import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words.ts'
import { Button } from './basics.tsx'

const SHOWN_MS = 2_500

type Props = { text: () => string; label?: string; fallback?: RefObject<HTMLElement | null> }

/** Copies a text; where the browser does not let us (plain HTTP), selects what is in `fallback`, so that a person can. */
export function CopyButton({ text, label = words.copy, fallback }: Props) {
  const [told, setTold] = useState('')
  const say = (news: string) => {
    setTold(news)
    setTimeout(() => setTold(''), SHOWN_MS)
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text())
      say(words.copied)
    } catch {
      if (fallback?.current) getSelection()?.selectAllChildren(fallback.current)
      say(words.selected)
    }
  }
  return (
    <>
      <Button kind="quiet" icon={told === words.copied ? 'ok' : 'copy'} label={label} onClick={copy} />
      <span class="told" role="status">
        {told}
      </span>
    </>
  )
}
