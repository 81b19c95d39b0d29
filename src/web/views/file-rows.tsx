import { useState } from 'preact/hooks'
import type { FileEntry } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText } from '../parts/basics.tsx'
import { toDayAndTime, toSize } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Empty } from '../parts/states.tsx'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { childOf, hrefAt, nameIn } from './directory-tools.tsx'
import { EntryActions } from './entry-actions.tsx'
import { FileColumns, FileOrder, showIfHidden, shownEntries } from './file-order.tsx'
import type { FilePages } from './file-pages.ts'
import { SelectEntry, type Selected, SelectionBar } from './file-selection.tsx'
import { RenameForm, useRenamedFocus } from './rename.tsx'

const { files: texts } = rareWords

const icons: Partial<Record<FileEntry['type'], IconName>> = { file: 'file', directory: 'folder', symlink: 'link' }

/** The entries of a directory, page by page. */
export function FileRows({ folder, pages, changed }: { folder: string; pages: FilePages; changed(): void }) {
  const { entries, isPart, load, errorText } = pages
  const [selected, choose] = useState<Selected>(null)
  if (entries.length === 0) return <Empty icon="folder">{texts.empty}</Empty>
  const shown = shownEntries(entries)
  return (
    <>
      <FileOrder entries={entries} isPart={isPart}>
        <Button aria-pressed={selected !== null} onClick={() => choose(selected ? null : new Set())}>
          {texts.selectMode}
        </Button>
      </FileOrder>
      {selected && <SelectionBar folder={folder} entries={shown} {...{ selected, choose, changed }} />}
      {shown.length === 0 ? (
        <Empty icon="folder">{texts.onlyHidden}</Empty>
      ) : (
        <div class="rows">
          <FileColumns />
          <ul class="files">
            {shown.map((entry) => (
              <Entry key={entry.name} folder={folder} {...{ entry, selected, choose, changed }} />
            ))}
          </ul>
        </div>
      )}
      {isPart && (
        <div class="list-end">
          <Button onClick={load}>{words.runs.more}</Button>
        </div>
      )}
      <ErrorText>{errorText}</ErrorText>
    </>
  )
}

/** Seconds would not fit on a phone. */
const minutes = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** What can be opened: a link may point to a directory or to a file. Reading a pipe or a device could wait forever. */
const canOpen = (type: FileEntry['type']): boolean => type in icons

interface EntryProps {
  folder: string
  entry: FileEntry
  selected: Selected
  choose(selected: Selected): void
  changed(): void
}

function Entry({ folder, entry, selected, choose, changed }: EntryProps) {
  const { name, type, bytes, modified_at } = entry
  const [isRenaming, setRenaming] = useState(false)
  const path = childOf(folder, name)
  const icon = <Icon name={icons[type] ?? 'more'} />
  const renamed = (target: string) => {
    showIfHidden(nameIn(target))
    changed()
  }
  if (isRenaming) {
    return (
      <li class="file-row">
        {icon}
        <RenameForm path={path} isFolder={type === 'directory'} done={renamed} close={() => setRenaming(false)} />
      </li>
    )
  }
  return (
    <li class="file-row">
      {selected ? <SelectEntry {...{ name, selected, choose }} /> : icon}
      <EntryName path={path} entry={entry} rename={() => setRenaming(true)} />
      <span class="dim file-facts">
        <time dateTime={modified_at} title={toDayAndTime(modified_at)}>
          {minutes.format(new Date(modified_at))}
        </time>
        <span class="file-size">{type === 'file' && toSize(bytes)}</span>
      </span>
      {!selected && <EntryActions path={path} type={type} rename={() => setRenaming(true)} done={changed} />}
    </li>
  )
}

function EntryName({ path, entry, rename }: { path: string; entry: FileEntry; rename(): void }) {
  const { name, type, target } = entry
  const ref = useRenamedFocus<HTMLAnchorElement & HTMLSpanElement>(path)
  const shownName = (
    <>
      {visible(name)}
      {target !== undefined && <span class="dim"> → {visible(target)}</span>}
    </>
  )
  const props = { ref, class: 'clip file-name', onKeyDown: ({ key }: KeyboardEvent) => key === 'F2' && rename() }
  return canOpen(type) ? (
    <a {...props} data-row href={hrefAt(path)}>
      {shownName}
    </a>
  ) : (
    <span {...props} tabIndex={-1}>
      {shownName}
    </span>
  )
}
