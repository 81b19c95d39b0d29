import type { RefObject } from 'preact'
import { useState } from 'preact/hooks'
import { words } from '../words.ts'
import { Button } from './basics.tsx'

/** Copies to the clipboard; pages on plain HTTP have no clipboard API and use the older command. Resolves with false if the browser refuses. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text) // no secure context, or the user denied access
  }
}

function copyBySelection(text: string): boolean {
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
  /** the notice that the text was copied */
  copied?: (text: string) => string
  /** the element to select if copying fails, so that the user can copy its text */
  fallback?: RefObject<HTMLElement | null>
  /** text next to the icon */
  children?: string
}

/** Copies text and confirms that it was copied. */
export function CopyButton({ text, label = words.copy, copied, fallback, children }: Props) {
  const [notice, setNotice] = useState('')
  const failed = fallback ? words.selected : words.notCopied
  const copy = async () => {
    const source = typeof text === 'string' ? text : text()
    const isCopied = await copyText(source)
    if (!isCopied && fallback?.current) getSelection()?.selectAllChildren(fallback.current)
    setNotice(isCopied ? (copied?.(source) ?? words.copied) : failed)
    setTimeout(() => setNotice(''), SHOWN_MS)
  }
  return (
    <span class="copy">
      <span class="notice-text" role="status">
        {notice}
      </span>
      <Button
        kind="quiet"
        icon={notice === '' || notice === failed ? 'copy' : 'ok'}
        label={label}
        data-caption={words.copy}
        onClick={copy}
      >
        {children}
      </Button>
    </span>
  )
}
