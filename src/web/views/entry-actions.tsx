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

/** What a deletion would delete besides the entry: the entries of a directory. `isPart`: it has more than `count`. */
interface Content {
  count: number
  isPart: boolean
}

async function contentOf(path: string, type: FileEntry['type']): Promise<Content> {
  if (type !== 'directory') return { count: 0, isPart: false }
  const response = await ask((phone) => phone.request('/files', { query: { path }, signal: noTimeout() }))
  const { entries, next } = (await response.json()) as FileList
  return { count: entries.length, isPart: next !== null }
}

/** Deletes an entry. The file routes delete no directory with entries, but a command does. */
const deleteEntry = (path: string, { count }: Content): Promise<unknown> =>
  count > 0
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
  /** what the second click deletes; null before the first */
  const [content, setContent] = useState<Content | null>(null)
  const [errorText, setErrorText] = useState('')
  const name = visible(nameIn(path))
  const fail = (error: unknown) => {
    setContent(null)
    setErrorText(messageOf(error))
  }
  const confirm = () => {
    setErrorText('')
    contentOf(path, type).then(setContent, fail)
  }
  return (
    <>
      <span class="file-acts">
        {content ? (
          <>
            <Button kind="danger" icon="trash" onClick={() => deleteEntry(path, content).then(done, fail)}>
              {content.count > 0 ? texts.removeFilled(name, content.count, content.isPart) : texts.removeSure(name)}
            </Button>
            <Button onClick={() => setContent(null)}>{words.cancel}</Button>
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
