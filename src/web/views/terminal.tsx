import { useEffect, useRef, useState } from 'preact/hooks'
import { RunApproval } from '../approvals/run-approval.tsx'
import { Button, Title } from '../parts/basics.tsx'
import { Failed, Loading } from '../parts/states.tsx'
import { preferences } from '../local.ts'
import { go, hrefOf } from '../route.ts'
import { noteTitle, takeOpened } from '../terminal/opened.ts'
import { type Key, keys, withModifiers } from '../terminal/terminal-keys.ts'
import type { TerminalScreen } from '../terminal/terminal-screen.ts'
import { TerminalSession } from '../terminal/session.ts'
import { ask, mayAnswer, messageOf, phone } from '../wire.ts'
import { words } from '../words.ts'
import { terminalWords as texts } from '../words/terminal-words.ts'
import { EndButton } from './end-terminal.tsx'
import { NewTerminal } from './new-terminal.tsx'

const nothingHeld = { ctrl: false, alt: false }

/** A terminal with its screen, its pending approval, its notices and keys for touch screens. */
export function Terminal({ id }: { id: string }) {
  const container = useRef<HTMLDivElement>(null)
  const parts = useRef<{ screen: TerminalScreen; session: TerminalSession } | null>(null)
  const held = useRef(nothingHeld)
  const [shown, setShown] = useState(nothingHeld)
  const [state, setState] = useState<'loading' | 'waits' | 'runs' | 'ended'>('loading')
  const [notice, setNotice] = useState('')
  const [errorText, setErrorText] = useState('')
  const hold = (next: typeof nothingHeld) => setShown((held.current = next))
  const fail = (error: unknown) => setErrorText(messageOf(error))
  const type = (text: string) => {
    parts.current?.session.type(withModifiers(text, held.current))
    if (held.current !== nothingHeld) hold(nothingHeld)
  }
  const waits = (approvalId: string) => {
    const isOwn = mayAnswer.value && takeOpened(id)
    if (isOwn) ask((one) => one.answer(approvalId, 'approve', 'once')).catch(() => setState('waits'))
    else setState('waits')
  }
  useEffect(() => {
    let isOver = false
    const open = async () => {
      const { openScreen } = await import('../terminal/terminal-screen.ts')
      if (isOver) return
      const screen = openScreen(container.current!, texts.screen, {
        typed: type,
        resized: () => parts.current?.session.resized(),
        titled: (title) => noteTitle(id, title),
      })
      const session = new TerminalSession(id, screen, {
        waits,
        runs: () => setState('runs'),
        ended: ({ status, notes }) => {
          setState('ended')
          const isStopped = notes.some(({ code }) => code === 'SERVICE_STOPPING' || code === 'SERVICE_STOPPED')
          setNotice(isStopped ? texts.stopped : texts.ended(words.status[status]))
        },
        failed: fail,
      })
      parts.current = { screen, session }
      void session.start(phone())
      screen.focus()
    }
    open().catch(fail)
    return () => {
      isOver = true
      parts.current?.session.leave()
      parts.current?.screen.close()
      parts.current = null
    }
  }, [id])
  const { theme } = preferences
  useEffect(() => {
    const recolour = () => parts.current?.screen.recolour()
    recolour()
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', recolour)
    return () => system.removeEventListener('change', recolour)
  }, [theme.value])
  const press = ({ typed, application = typed }: Key) =>
    type(parts.current?.screen.isApplicationMode() ? application : typed)
  // keeps the focus on the terminal, so that the on-screen keyboard stays open
  const keepFocus = (event: Event) => event.preventDefault()
  return (
    <>
      <Title aside={<TerminalActions id={id} hasEnded={state === 'ended'} />}>{words.views.terminal}</Title>
      <p class="notice" role="status" hidden={notice === ''}>
        {notice}
      </p>
      {state === 'ended' && <NewTerminal />}
      {errorText !== '' && <Failed message={errorText} />}
      <div class={`tty ${state}`}>
        <div class="tty-screen" ref={container} />
        {state === 'loading' && errorText === '' && <Loading />}
        {state === 'waits' && <RunApproval id={id} />}
      </div>
      <div
        class="touch-keys"
        hidden={state === 'waits' || state === 'ended'}
        role="toolbar"
        aria-label={texts.keys}
        onPointerDown={keepFocus}
      >
        {(['ctrl', 'alt'] as const).map((name) => (
          <Button
            key={name}
            aria-pressed={shown[name] ? 'true' : 'false'}
            onClick={() => hold({ ...held.current, [name]: !held.current[name] })}
          >
            {texts.names[name]}
          </Button>
        ))}
        {keys.map((key) => (
          <TouchKey key={key.name} press={press} row={key} />
        ))}
      </div>
    </>
  )
}

function TouchKey({ row, press }: { row: Key; press(key: Key): void }) {
  const { name } = row
  const act = () => press(row)
  if (name === 'up' || name === 'down' || name === 'left' || name === 'right') {
    return <Button icon={name} label={texts.arrows[name]} onClick={act} />
  }
  return <Button onClick={act}>{texts.names[name]}</Button>
}

const TerminalActions = ({ id, hasEnded }: { id: string; hasEnded: boolean }) => (
  <div class="buttons">
    <Button kind="quiet" onClick={() => go(hrefOf('terminal'))}>
      {texts.leave}
    </Button>
    {!hasEnded && <EndButton id={id} />}
  </div>
)
