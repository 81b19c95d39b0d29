import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText, literalInput } from '../parts/basics.tsx'
import { go } from '../route.ts'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { childOf, hrefAt, nameError, nameIn } from './directory-tools.tsx'
import { failureIn, isRenamingOf, isRequested, renameCommand, renamedTo, runCommand } from './file-command.ts'
import { useEndOf, waitingRun, WaitingRun } from './waiting-run.tsx'

const { files: texts } = rareWords

/** The path of the entry that gets the focus when the page next draws it; empty: none. */
let nextFocus = ''

/** Focuses the element for an entry that was renamed, or whose renaming was canceled. */
export function useRenamedFocus<Target extends HTMLElement>(path: string) {
  const element = useRef<Target>(null)
  useLayoutEffect(() => {
    if (nextFocus !== path) return
    nextFocus = ''
    element.current!.focus()
  }, [])
  return element
}

/** Whether the renamed entry is on a page of the directory that is not loaded: the service sorts by name. */
export const isRenamedAfter = (folder: string, name: string): boolean =>
  nextFocus !== '' && nextFocus === childOf(folder, nameIn(nextFocus)) && nameIn(nextFocus) > name

/** The length of the part of a name that people edit: a file's name without its extension. */
function stemLength(name: string, isFolder: boolean): number {
  const dot = name.lastIndexOf('.')
  return isFolder || dot <= 0 ? name.length : dot
}

interface FormProps {
  path: string
  isFolder: boolean
  /** called with the new path; the form stays until the page draws the renamed entry */
  done(target: string): void
  close(): void
}

/** A field with the name of an entry: Enter renames it, and Escape closes the field. */
export function RenameForm({ path, isFolder, done, close }: FormProps) {
  const before = nameIn(path).replace(/[\n\r]/g, '') // a field has no line breaks
  const [name, setName] = useState(before)
  const [errorText, setErrorText] = useState('')
  const [isBusy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const error = useRef<HTMLDivElement>(null)
  const waiting = isBusy && waitingRun(isRenamingOf(path))
  useLayoutEffect(() => {
    input.current!.focus()
    input.current!.setSelectionRange(0, stemLength(before, isFolder))
  }, [])
  useLayoutEffect(() => error.current?.scrollIntoView({ block: 'nearest' }), [errorText])
  const cancel = () => {
    nextFocus = path
    close()
  }
  const rename = async (event: Event) => {
    event.preventDefault()
    if (isBusy) return
    if (name === before) return cancel()
    const wrong = nameError(name)
    setErrorText(wrong)
    if (wrong !== '') return
    setBusy(true)
    const target = childOf(path.slice(0, path.lastIndexOf('/')), name)
    try {
      await runCommand(renameCommand(path, target))
      nextFocus = target
      done(target)
    } catch (error) {
      setErrorText(messageOf(error))
      setBusy(false)
    }
  }
  return (
    <>
      <form class="path-form" onSubmit={rename} onKeyDown={({ key }) => key === 'Escape' && cancel()}>
        <input
          ref={input}
          class="mono"
          aria-label={texts.newName(visible(nameIn(path)))}
          readOnly={isBusy}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
          {...literalInput}
        />
        <Button type="submit" disabled={isBusy}>
          {texts.renameNow}
        </Button>
        {!waiting && <Button onClick={cancel}>{words.cancel}</Button>}
      </form>
      {waiting && (
        <div class="file-error">
          <WaitingRun run={waiting} isNew />
        </div>
      )}
      {errorText !== '' && (
        <div ref={error} class="file-error">
          <ErrorText>{errorText}</ErrorText>
        </div>
      )}
    </>
  )
}

/** Renames the open directory or file, and opens it at its new address; after a reload, too. */
export function RenameOpen({ path, isFolder }: { path: string; isFolder: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const [errorText, setErrorText] = useState('')
  const target = useRef('')
  const waiting = isOpen ? undefined : waitingRun(isRenamingOf(path))
  if (waiting) target.current = renamedTo(path, waiting.command)!
  const openAt = (to: string) => go(hrefAt(to), 'replace')
  useEndOf(waiting, (id) => {
    void failureIn(id).then((failure) => (failure === '' ? openAt(target.current) : setErrorText(failure)))
  })
  const open = () => {
    setErrorText('')
    setOpen(true)
  }
  if (isOpen) return <RenameForm path={path} isFolder={isFolder} done={openAt} close={() => setOpen(false)} />
  if (waiting) {
    const about = texts.renaming(visible(nameIn(path)), visible(nameIn(target.current)))
    return <WaitingRun run={waiting} isNew={isRequested(waiting.command)} about={about} />
  }
  return (
    <>
      <RenameButton {...{ path, isFolder, open }} />
      <ErrorText>{errorText}</ErrorText>
    </>
  )
}

function RenameButton({ path, isFolder, open }: { path: string; isFolder: boolean; open(): void }) {
  return (
    <Button ref={useRenamedFocus<HTMLButtonElement>(path)} icon="edit" onClick={open}>
      {texts.rename(visible(nameIn(path)), isFolder)}
    </Button>
  )
}
