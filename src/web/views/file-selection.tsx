import { useRef, useState } from 'preact/hooks'
import type { FileEntry } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { messageOf } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { childOf } from './directory-tools.tsx'
import { deletePaths, isDeletionOf } from './file-command.ts'
import { startDownload } from './transfers.ts'
import { useHandOver } from './waiting-run.tsx'

const { files: texts } = rareWords

/** The names of the selected entries; null: the rows have no checkboxes. */
export type Selected = ReadonlySet<string> | null

interface Props {
  folder: string
  /** the entries that are shown */
  entries: FileEntry[]
  selected: ReadonlySet<string>
  choose(selected: Selected): void
  /** called after entries were deleted */
  changed(): void
}

/** Downloads the selected files or, after a second click, deletes the selected entries. When that waits for approval, FileChanges shows it. */
export function SelectionBar({ folder, entries, selected, choose, changed }: Props) {
  const [isSure, setSure] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [errorText, setErrorText] = useState('')
  const chosen = entries.filter(({ name }) => selected.has(name))
  const files = chosen.filter(({ type }) => type === 'file')
  const paths = chosen.map(({ name }) => childOf(folder, name))
  const isOpen = useRef(true)
  useHandOver(isBusy, isDeletionOf(paths), () => {
    isOpen.current = false
    choose(null)
  })
  const download = () => {
    for (const { name } of files) startDownload(childOf(folder, name), name)
    choose(null)
  }
  const remove = async () => {
    setBusy(true)
    setErrorText('')
    try {
      await deletePaths(paths, 'tree')
      if (isOpen.current) choose(null)
    } catch (error) {
      setErrorText(messageOf(error))
      setSure(false)
      setBusy(false)
    }
    if (isOpen.current) changed() // a deletion that failed may have deleted some of them
  }
  const hasDirectory = chosen.some(({ type }) => type === 'directory')
  return (
    <div class="selection file-selection">
      {isSure ? (
        <>
          <Button kind="danger" icon="trash" disabled={isBusy} onClick={remove}>
            {texts.removeSelected(chosen.length, hasDirectory)}
          </Button>
          <Button disabled={isBusy} onClick={() => setSure(false)}>
            {words.cancel}
          </Button>
        </>
      ) : (
        <>
          <label class="check">
            <input
              type="checkbox"
              checked={chosen.length === entries.length}
              onChange={({ currentTarget }) =>
                choose(new Set(currentTarget.checked ? entries.map(({ name }) => name) : []))
              }
            />
            {texts.selectAll(entries.length)}
          </label>
          <Button icon="download" disabled={files.length === 0} onClick={download}>
            {texts.downloadSelected(files.length)}
          </Button>
          <Button kind="danger" icon="trash" disabled={chosen.length === 0} onClick={() => setSure(true)}>
            {texts.deleteSelected(chosen.length)}
          </Button>
          <Button onClick={() => choose(null)}>{words.cancel}</Button>
        </>
      )}
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}

/** A checkbox that adds an entry to the selection. */
export const SelectEntry = ({ name, selected, choose }: { name: string } & Pick<Props, 'selected' | 'choose'>) => (
  <label class="file-select">
    <input
      type="checkbox"
      aria-label={texts.select(visible(name))}
      checked={selected.has(name)}
      onChange={({ currentTarget }) => {
        const others = [...selected].filter((one) => one !== name)
        choose(new Set(currentTarget.checked ? [...others, name] : others))
      }}
    />
  </label>
)
