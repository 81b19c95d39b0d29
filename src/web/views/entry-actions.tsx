import { useState } from 'preact/hooks'
import type { FileEntry, FileList } from '../../sdk/index.ts'
import { pathWord, visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { nameIn } from './directory-tools.tsx'
import { runCommand } from './file-command.ts'
import { startDownload } from './transfers.ts'

const { files: texts } = rareWords

/** What the second click deletes: an entry on its own, or a directory with everything in it. */
type Target = 'entry' | 'tree'

async function targetAt(path: string, type: FileEntry['type']): Promise<Target> {
  if (type !== 'directory') return 'entry'
  const response = await ask((phone) => phone.request('/files', { query: { path }, signal: noTimeout() }))
  const { entries } = (await response.json()) as FileList
  return entries.length > 0 ? 'tree' : 'entry'
}

/** Deletes an entry. The file routes delete no directory with entries, but a command does. */
const deleteEntry = (path: string, target: Target): Promise<unknown> =>
  target === 'tree'
    ? runCommand(`rm -r -- ${pathWord(path)}`, texts.notRemoved)
    : ask((phone) => phone.request('/files', { method: 'DELETE', query: { path }, signal: noTimeout() }))

interface Props {
  path: string
  type: FileEntry['type']
  rename(): void
  /** called after the entry was deleted */
  done(): void
}

/** Downloads, renames or, after a second click, deletes an entry of a directory. */
export function EntryActions({ path, type, rename, done }: Props) {
  /** null before the first click */
  const [target, setTarget] = useState<Target | null>(null)
  const [errorText, setErrorText] = useState('')
  const name = visible(nameIn(path))
  const fail = (error: unknown) => {
    setTarget(null)
    setErrorText(messageOf(error))
  }
  const confirm = () => {
    setErrorText('')
    targetAt(path, type).then(setTarget, fail)
  }
  return (
    <>
      <span class="file-acts">
        {target ? (
          <>
            <Button kind="danger" icon="trash" onClick={() => deleteEntry(path, target).then(done, fail)}>
              {target === 'tree' ? texts.removeTree(name) : texts.removeSure(name)}
            </Button>
            <Button onClick={() => setTarget(null)}>{words.cancel}</Button>
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
            <Button kind="quiet" icon="edit" label={texts.rename(name)} class="file-rename" onClick={rename} />
            <Button kind="quiet" icon="trash" label={texts.remove(name)} onClick={confirm} />
          </>
        )}
      </span>
      {errorText !== '' && (
        <div class="file-error">
          <ErrorText>{errorText}</ErrorText>
        </div>
      )}
    </>
  )
}
