import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { literalInput, Button } from '../parts/basics.tsx'
import { commandLine } from '../parts/run-row.tsx'
import { go, hrefOf, selectedPhone } from '../route.ts'
import { isUnreachable, messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { change, draft, otherRuns, start } from './draft.ts'
import { createHistory } from './command-history.ts'
import { Options, OptionsInForce } from './options.tsx'
import { useVerdict, Verdict } from './verdict.tsx'

/** A request that takes longer than this is shown as pending. */
const SLOW_MS = 1_500
/** More links would push the output off a phone's screen. */
const MAX_LINKS = 3

/** The command field: Enter runs the command, Shift+Enter starts a new line, the arrow keys recall earlier commands. */
export function Composer({ shown }: { shown: string | undefined }) {
  const input = useRef<HTMLTextAreaElement>(null)
  const options = useRef<HTMLDetailsElement>(null)
  const history = useMemo(createHistory, [])
  const [isBusy, setBusy] = useState(false)
  const [isSlow, setSlow] = useState(false)
  const [errorText, setErrorText] = useState('')
  const now = draft.value
  const checked = useVerdict(now)
  useLayoutEffect(() => fitHeight(input.current!), [now.command])
  useLayoutEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus() // on a touch screen the keyboard would cover the page
  }, [])
  useEffect(() => {
    if (!isBusy) return
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isBusy])
  const run = async () => {
    if (isBusy || now.command.trim() === '') return
    setBusy(true)
    setErrorText('')
    try {
      const id = await start(now)
      history.add(now.command)
      if (draft.value.command === now.command) change({ command: '' })
      options.current!.open = false // on a phone, they would hide the run
      go(hrefOf('run', [id]))
    } catch (error) {
      setErrorText(isUnreachable(error) ? words.run.unreachable : messageOf(error))
    }
    setBusy(false)
  }
  const recall = async (by: 1 | -1) => {
    const command = await history.step(by)
    if (command !== null) change({ command })
  }
  /** On a touch screen, which has no arrow keys; after the oldest command, the newest again. */
  const recallEarlier = async () => {
    const command = await history.step(1)
    if (command === null) history.reset()
    change({ command: command ?? (await history.step(1)) ?? '' })
  }
  const press = (event: KeyboardEvent) => {
    const { key, shiftKey, isComposing } = event
    if (isComposing) return
    if (key === 'Enter' && !shiftKey) void run()
    else if (key === 'ArrowUp' && isAtEdge(input.current!, 'first')) void recall(1)
    else if (key === 'ArrowDown' && isAtEdge(input.current!, 'last')) void recall(-1)
    else if (key === 'Escape') input.current?.blur()
    else return
    event.preventDefault()
  }
  return (
    <form class="composer card" onSubmit={(event) => event.preventDefault()}>
      <div class={`command ${selectedPhone.value ? 'names-phone' : ''}`}>
        <span class="prompt mono" aria-hidden="true">
          $
        </span>
        <textarea
          ref={input}
          data-key="r"
          class="mono"
          rows={1}
          aria-label={words.run.command}
          placeholder={words.run.placeholder}
          value={now.command}
          onInput={({ currentTarget }) => {
            history.reset()
            change({ command: currentTarget.value })
          }}
          onKeyDown={press}
          {...literalInput}
          enterkeyhint="go"
        />
        <Button kind="quiet" class="touch-only" icon="up" label={words.run.earlier} onClick={recallEarlier} />
        <Button kind="main" icon="run" disabled={isBusy || now.command.trim() === ''} onClick={run}>
          {selectedPhone.value ? words.run.runOn(selectedPhone.value) : words.run.run}
        </Button>
      </div>
      <OptionsInForce />
      <StillRunning shown={shown} />
      {isSlow && (
        <p class="verdict warn" role="status">
          {words.run.pending}
        </p>
      )}
      <div class="composer-foot">
        {errorText === '' ? (
          <Verdict checked={checked} />
        ) : (
          <p class="error-text" role="alert">
            {errorText}
          </p>
        )}
        <Options details={options} />
      </div>
    </form>
  )
}

/** Links to the running commands that the card of a newer run has replaced. */
function StillRunning({ shown }: { shown: string | undefined }) {
  const runs = otherRuns(shown).slice(0, MAX_LINKS)
  return runs.length === 0 ? null : (
    <p class="in-force" role="status">
      {words.run.stillRunning}
      {runs.map(({ id, command }) => (
        <a key={id} class="clip mono" href={hrefOf('run', [id])}>
          {commandLine(command)}
        </a>
      ))}
    </p>
  )
}

/** Fits the height to the content, up to the limit in CSS. */
function fitHeight(input: HTMLTextAreaElement): void {
  input.style.height = 'auto'
  input.style.height = `${input.scrollHeight}px`
}

/** Whether the cursor is in the first or last line, where an arrow key recalls a command instead of moving the cursor. */
function isAtEdge({ value, selectionStart, selectionEnd }: HTMLTextAreaElement, which: 'first' | 'last'): boolean {
  if (selectionStart !== selectionEnd) return false
  const other = which === 'first' ? value.slice(0, selectionStart) : value.slice(selectionEnd)
  return !other.includes('\n')
}
