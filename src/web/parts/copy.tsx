import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words.ts'
import { Button } from './basics.tsx'

/** To the clipboard; where the browser has none for pages over plain HTTP, by the old way. False: it was refused. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyByHand(text) // no secure context, or the person said no
  }
}

function copyByHand(text: string): boolean {
  const [before, field] = [document.activeElement as HTMLElement | null, document.createElement('textarea')]
  field.value = text
  field.className = 'copying'
  document.body.append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  before?.focus()
  return isCopied
}

const SHOWN_MS = 2_500

type Props = {
  text: string | (() => string)
  label?: string
  /** selected where nothing can be copied, for a person to do it */
  fallback?: RefObject<HTMLElement | null>
  /** words beside the icon */
  children?: string
}

/** Copies a text, and says so. */
export function CopyButton({ text, label = words.copy, fallback, children }: Props) {
  const [told, setTold] = useState('')
  const copy = async () => {
    const isCopied = await copyText(typeof text === 'string' ? text : text())
    if (!isCopied && fallback?.current) getSelection()?.selectAllChildren(fallback.current)
    setTold(isCopied ? words.copied : fallback ? words.selected : words.notCopied)
    setTimeout(() => setTold(''), SHOWN_MS)
  }
  return (
    <>
      <Button kind="quiet" icon={told === words.copied ? 'ok' : 'copy'} label={label} onClick={copy}>
        {children}
      </Button>
      <span class="told" role="status">
        {told}
      </span>
    </>
  )
}
