import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { shellWord } from '../../shared/schema/index.ts'
import { Button, ErrorText, literalInput } from '../parts/basics.tsx'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { runCommand } from './file-command.ts'

const { files: texts } = rareWords

export const nameIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
export const childOf = (folder: string, name: string): string => `${folder.replace(/\/$/, '')}/${name}`

/** Creates a directory with mkdir, because the file routes have no such operation. */
export function NewFolder({ folder, done }: { folder: string; done(): void }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [errorText, setErrorText] = useState('')
  const button = useRef<HTMLButtonElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const wasOpen = useRef(false)
  useLayoutEffect(() => {
    if (isOpen) input.current!.focus()
    else if (wasOpen.current) button.current!.focus()
    wasOpen.current = isOpen
  }, [isOpen])
  const close = () => {
    setOpen(false)
    setErrorText('')
  }
  const make = async (event: Event) => {
    event.preventDefault()
    setErrorText('')
    try {
      await runCommand(`mkdir -- ${shellWord(childOf(folder, name))}`, texts.notMade)
      close()
      setName('')
      done()
    } catch (error) {
      setErrorText(messageOf(error))
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
        pattern="[^\/]+"
        required
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        {...literalInput}
      />
      <Button type="submit">{texts.make}</Button>
      <Button onClick={close}>{words.cancel}</Button>
      <ErrorText>{errorText}</ErrorText>
    </form>
  )
}
