import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { FileEntry } from '../../sdk/index.ts'
import { shellWord } from '../../shared/schema/index.ts'
import { Button, ErrorText, literalInput } from '../parts/basics.tsx'
import { hrefOf } from '../route.ts'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { runCommand } from './file-command.ts'
import { useHandOver } from './waiting-run.tsx'

const { files: texts } = rareWords

/** The address of a directory or a file. */
export const hrefAt = (path: string): string => hrefOf('files', [], { path })

export const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const childOf = (folder: string, name: string): string => `${folder.replace(/\/$/, '')}/${name}`

/** Linux allows no longer names. */
const MAX_NAME_BYTES = 255

/** Why no entry can have this name; empty: one can. */
export function nameError(name: string): string {
  if (name === '') return texts.nameEmpty
  if (name.includes('/')) return texts.nameSlash
  if (name === '.' || name === '..') return texts.nameDots
  return new TextEncoder().encode(name).length > MAX_NAME_BYTES ? texts.nameLong : ''
}

interface Props {
  folder: string
  /** the loaded entries of the directory */
  entries: FileEntry[]
  done(): void
}

/** Creates a directory with mkdir, because the file routes have no such operation. When it waits for approval, the form closes and FileChanges shows it. */
export function NewFolder({ folder, entries, done }: Props) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [errorText, setErrorText] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    if (isOpen) input.current!.focus()
    else if (wasOpen.current) button.current!.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const command = `mkdir -- ${shellWord(childOf(folder, name))}`
  const close = () => {
    setOpen(false)
    setErrorText('')
  }
  const finish = () => {
    close()
    setName('')
  }
  useHandOver(isBusy, (one) => one === command, finish)
  const make = async (event: Event) => {
    event.preventDefault()
    const wrong = nameError(name) || (entries.some((entry) => entry.name === name) ? texts.nameTaken : '')
    setErrorText(wrong)
    if (wrong !== '') return
    setBusy(true)
    try {
      await runCommand(command)
      if (!wasOpen.current) return
      finish()
      done()
    } catch (error) {
      if (!wasOpen.current) return
      const message = messageOf(error)
      setErrorText(/^mkdir: .*File exists$/.test(message) ? texts.nameTaken : message) // it is on another page, or new
    } finally {
      setBusy(false)
    }
  }
  if (!isOpen) {
    return (
      <Button ref={button} onClick={() => setOpen(true)}>
        {texts.newFolder}
      </Button>
    )
  }
  return (
    <form class="path-form" onSubmit={make} onKeyDown={({ key }) => key === 'Escape' && close()}>
      <input
        ref={input}
        class="mono"
        aria-label={texts.folderName}
        placeholder={texts.folderName}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        {...literalInput}
      />
      <Button type="submit" disabled={isBusy}>
        {texts.make}
      </Button>
      <Button onClick={close}>{words.cancel}</Button>
      <ErrorText>{errorText}</ErrorText>
    </form>
  )
}
