import { useState } from 'preact/hooks'
import type { FileEntry, FileList } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import type { IconName } from '../parts/icon.tsx'
import { isWide } from '../parts/sorted-table.tsx'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { nameIn } from './directory-tools.tsx'
import { type Deleted, deletePaths, failureIn, isChangeOf, isRequested } from './file-command.ts'
import { startDownload } from './transfers.ts'
import { useEndOf, waitingRun, WaitingRun } from './waiting-run.tsx'

const { files: texts } = rareWords

/** What the second click deletes. */
async function targetAt(path: string, type: FileEntry['type']): Promise<Deleted> {
  if (type !== 'directory') return 'file'
  const response = await ask((phone) => phone.request('/files', { query: { path }, signal: noTimeout() }))
  const { entries } = (await response.json()) as FileList
  return entries.length > 0 ? 'tree' : 'directory'
}

interface Props {
  path: string
  type: FileEntry['type']
  rename(): void
  /** called after the entry was deleted, or when a change of it that waited for approval has ended */
  done(): void
}

/** Downloads, renames or, after a second click, deletes an entry of a directory. On a narrow screen, a button opens a menu of them. */
export function EntryActions({ path, type, rename, done }: Props) {
  /** null before the first click */
  const [target, setTarget] = useState<Deleted | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [errorText, setErrorText] = useState('')
  const name = visible(nameIn(path))
  const isMenu = !isWide.value
  const waiting = waitingRun(isChangeOf(path))
  useEndOf(isBusy ? undefined : waiting, (id) => {
    done() // without a request of this row, nothing else says how it ended
    void failureIn(id).then(setErrorText)
  })
  const close = () => {
    setTarget(null)
    setOpen(false)
    setBusy(false)
  }
  const open = () => {
    setErrorText('')
    setOpen(true)
  }
  const fail = (error: unknown) => {
    close()
    setErrorText(messageOf(error))
  }
  const confirm = () => {
    setErrorText('')
    targetAt(path, type).then(setTarget, fail)
  }
  const remove = () => {
    setBusy(true)
    deletePaths([path], target!).then(() => {
      close()
      done()
    }, fail)
  }
  const acts = (
    <>
      {type === 'file' && (
        <Act icon="download" word={isMenu && texts.downloadNow} label={texts.download(name)} onClick={download} />
      )}
      <Act
        icon="edit"
        word={isMenu && texts.renameNow}
        label={texts.rename(name, type === 'directory')}
        onClick={rename}
      />
      <Act icon="trash" word={isMenu && texts.removeNow} label={texts.remove(name)} onClick={confirm} />
    </>
  )
  function download(): void {
    startDownload(path, nameIn(path))
    close()
  }
  return (
    <>
      {isMenu && (
        <span class="file-acts">
          <Button
            kind="quiet"
            icon="more"
            label={texts.actions(name)}
            aria-expanded={isOpen}
            onClick={() => (isOpen ? close() : open())}
          />
        </span>
      )}
      {waiting ? (
        <span class="file-acts below">
          <WaitingRun run={waiting} isNew={isRequested(waiting.command)} />
        </span>
      ) : target ? (
        <span class="file-acts below">
          <Button kind="danger" icon="trash" disabled={isBusy} onClick={remove}>
            {target === 'tree' ? texts.removeTree(name) : texts.removeSure(name)}
          </Button>
          <Button onClick={close}>{words.cancel}</Button>
        </span>
      ) : (
        (isOpen || !isMenu) && <span class={`file-acts ${isMenu ? 'below' : ''}`}>{acts}</span>
      )}
      {errorText !== '' && (
        <div class="file-error">
          <ErrorText>{errorText}</ErrorText>
        </div>
      )}
    </>
  )
}

interface ActProps {
  icon: IconName
  /** shown next to the icon; false: only the icon */
  word: string | false
  label: string
  onClick(): void
}

const Act = ({ icon, word, label, onClick }: ActProps) => (
  <Button kind="quiet" {...{ icon, label, onClick }}>
    {word === false ? undefined : word}
  </Button>
)
