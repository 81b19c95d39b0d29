import { useState } from 'preact/hooks'
import { type FileEntry, PhoneError } from '../../sdk/index.ts'
import { pathWord, visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { go, hrefOf } from '../route.ts'
import { change } from '../run/draft.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { nameIn } from './directory-tools.tsx'
import { startDownload } from './transfers.ts'

const { files: texts } = rareWords

/** Opens Run with a command, for what the file routes have no operation. */
function openInRun(command: string): void {
  change({ command })
  go(hrefOf('run'))
}

/** Opens Run with the command that moves this path, where the user edits the new one. */
export function Rename({ path, isBare = false }: { path: string; isBare?: boolean }) {
  const label = texts.rename(visible(nameIn(path)))
  const open = () => openInRun(`mv -n -- ${pathWord(path)} ${pathWord(path)}`)
  if (isBare) return <Button kind="quiet" icon="edit" label={label} class="file-rename" onClick={open} />
  return (
    <Button icon="edit" onClick={open}>
      {label}
    </Button>
  )
}

interface Props {
  path: string
  type: FileEntry['type']
  /** called after the entry was deleted */
  done(): void
}

/** Downloads, renames or, after a second click, deletes an entry of a directory. The service deletes no filled directory, but a command can. */
export function EntryActions({ path, type, done }: Props) {
  const [isSure, setSure] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const name = visible(nameIn(path))
  const confirm = () => {
    setSure(true)
    setError(null)
  }
  const remove = () => {
    ask((phone) => phone.request('/files', { method: 'DELETE', query: { path }, signal: noTimeout() })).then(
      done,
      (failure) => {
        setSure(false)
        setError(failure)
      },
    )
  }
  return (
    <>
      <span class="file-acts">
        {isSure ? (
          <>
            <Button kind="danger" icon="trash" onClick={remove}>
              {texts.removeSure(name)}
            </Button>
            <Button onClick={() => setSure(false)}>{words.cancel}</Button>
          </>
        ) : (
          <>
            {type === 'file' && (
              <Button
                kind="quiet"
                icon="download"
                label={texts.download(name)}
                onClick={() => startDownload(path, nameIn(path))}
              />
            )}
            <Rename path={path} isBare />
            <Button kind="quiet" icon="trash" label={texts.remove(name)} onClick={confirm} />
          </>
        )}
      </span>
      {error !== null && (
        <div class="file-error">
          <ErrorText>{messageOf(error)}</ErrorText>
          {type === 'directory' && error instanceof PhoneError && error.type === 'conflict' && (
            <Button icon="run" onClick={() => openInRun(`rm -r -- ${pathWord(path)}`)}>
              {texts.removeFilled}
            </Button>
          )}
        </div>
      )}
    </>
  )
}
