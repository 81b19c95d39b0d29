import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { asTyped, Button } from '../parts/basics.tsx'
import { go, hrefOf } from '../route.ts'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { change, draft, start } from './draft.ts'
import { createHistory } from './command-history.ts'
import { Options } from './options.tsx'
import { useVerdict, Verdict } from './verdict.tsx'

/** The command box: Enter runs, Shift+Enter makes a line, the arrows bring earlier commands. */
export function Composer() {
  const box = useRef<HTMLTextAreaElement>(null)
  const history = useMemo(createHistory, [])
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState('')
  const now = draft.value
  const checked = useVerdict(now)
  useLayoutEffect(() => grow(box.current!), [now.command])
  useLayoutEffect(() => {
    if (matchMedia('(pointer: fine)').matches) box.current?.focus() // a keyboard on the screen would hide the rest
  }, [])
  const run = async () => {
    if (isBusy || now.command.trim() === '') return
    setBusy(true)
    setTrouble('')
    try {
      const id = await start(now)
      history.add(now.command)
      change({ command: '' })
      go(hrefOf('run', [id]))
    } catch (error) {
      setTrouble(messageOf(error))
    }
    setBusy(false)
  }
  const recall = async (by: 1 | -1) => {
    const command = await history.step(by)
    if (command !== null) change({ command })
  }
  const press = (event: KeyboardEvent) => {
    const { key, shiftKey, isComposing } = event
    if (isComposing) return
    if (key === 'Enter' && !shiftKey) void run()
    else if (key === 'ArrowUp' && isAtEdge(box.current!, 'first')) void recall(1)
    else if (key === 'ArrowDown' && isAtEdge(box.current!, 'last')) void recall(-1)
    else if (key === 'Escape') box.current?.blur()
    else return
    event.preventDefault()
  }
  return (
    <form class="composer card" onSubmit={(event) => event.preventDefault()}>
      <div class="command">
        <span class="prompt mono" aria-hidden="true">
          $
        </span>
        <textarea
          ref={box}
          data-key="r"
          class="mono"
          rows={1}
          aria-label={words.run.command}
          placeholder={words.run.placeholder}
          value={now.command}
          onInput={({ currentTarget }) => {
            history.rest()
            change({ command: currentTarget.value })
          }}
          onKeyDown={press}
          {...asTyped}
          enterkeyhint="go"
        />
        <Button kind="main" icon="run" disabled={isBusy || now.command.trim() === ''} onClick={run}>
          {words.run.run}
        </Button>
      </div>
      <div class="composer-foot">
        {trouble === '' ? (
          <Verdict checked={checked} />
        ) : (
          <p class="trouble" role="alert">
            {trouble}
          </p>
        )}
        <Options />
      </div>
    </form>
  )
}

/** As high as what is in it, up to what the style allows. */
function grow(box: HTMLTextAreaElement): void {
  box.style.height = 'auto'
  box.style.height = `${box.scrollHeight}px`
}

/** Whether the cursor is in the first or the last line: only there the arrows leave the text. */
function isAtEdge({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, which: 'first' | 'last'): boolean {
  if (selectionStart !== selectionEnd) return false
  const other = which === 'first' ? value.slice(0, selectionStart) : value.slice(selectionEnd)
  return !other.includes('\n')
}
