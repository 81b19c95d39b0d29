import { useEffect, useRef, useState } from 'preact/hooks'
import type { FileEntry, FileList, RunPhone } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText, literalInput, Title } from '../parts/basics.tsx'
import { toDayAndTime, toSize } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { childOf, nameIn, NewFolder } from './directory-tools.tsx'
import { EntryActions } from './entry-actions.tsx'
import { FileChanges } from './file-changes.tsx'
import { FileColumns, FileOrder, showIfHidden, shownEntries } from './file-order.tsx'
import { FilePreview, type FileStart, PREVIEW_RANGE, startIn, startOf } from './file-preview.tsx'
import { SelectEntry, type Selected, SelectionBar } from './file-selection.tsx'
import { isRenamedAfter, RenameForm, RenameOpen, useRenamedFocus } from './rename.tsx'
import { Transfers } from './transfer-rows.tsx'
import { startUploads } from './transfers.ts'

const { files: texts } = rareWords

const HOME = '~'
const hrefAt = (path: string): string => hrefOf('files', [], { path })

/** A page of a directory, or the start of a file. */
type Found = { list: FileList } | { start: FileStart }

const foundAt =
  (path: string, after = '') =>
  async (phone: RunPhone): Promise<Found> => {
    const query = { path, after: after || undefined }
    const response = await phone
      .request('/files', { query, headers: PREVIEW_RANGE, signal: noTimeout() })
      .catch(startIn)
    if (!(response instanceof Response)) return { start: response }
    if (response.headers.get('content-type')?.startsWith('application/json')) return { list: await response.json() }
    return { start: await startOf(response) }
  }

/** The directory at `#/files?path=/x` (default: the home directory). */
export function Files({ query }: ViewProps) {
  const path = query.get('path') || HOME
  return (
    <>
      <Title>{words.views.files}</Title>
      <p class="dim">{texts.about}</p>
      <Path key={path} path={path} />
    </>
  )
}

function Path({ path }: { path: string }) {
  const found = useAnswer(foundAt(path))
  const list = found.value && 'list' in found.value ? found.value.list : null
  const at = list?.path ?? path
  return (
    <>
      <Crumbs key={at} path={at} />
      {list && <Upload folder={at} entries={list.entries} done={found.again} />}
      {list && <FileChanges folder={at} entries={list.entries} changed={found.again} />}
      <Transfers />
      <Loaded from={found}>
        {(value) =>
          'list' in value ? (
            <Entries first={value.list} changed={found.again} />
          ) : (
            <FilePreview path={path} start={value.start} />
          )
        }
      </Loaded>
    </>
  )
}

/** The directories above the path as links, and a field for another path. */
function Crumbs({ path }: { path: string }) {
  const [text, setText] = useState(path)
  const names = path.split('/').filter((name) => name !== '' && name !== HOME)
  const start = path.startsWith(HOME) ? HOME : ''
  const open = (event: Event) => {
    event.preventDefault()
    go(hrefAt(text.trim()))
  }
  return (
    <div class="path">
      <nav class="crumbs" aria-label={texts.above}>
        <a href={hrefAt(HOME)}>{texts.home}</a>
        <a href={hrefAt('/')}>/</a>
        {names.map((name, index) => (
          <a
            key={index}
            href={hrefAt(`${start}/${names.slice(0, index + 1).join('/')}`)}
            aria-current={index === names.length - 1 ? 'page' : undefined}
          >
            {visible(name)}
          </a>
        ))}
      </nav>
      <form class="path-form" onSubmit={open}>
        <input
          class="mono"
          aria-label={texts.path}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          {...literalInput}
        />
        <Button type="submit">{texts.open}</Button>
      </form>
    </div>
  )
}

function Upload({ folder, entries, done }: { folder: string; entries: FileEntry[]; done(): void }) {
  const input = useRef<HTMLInputElement>(null)
  const upload = () => {
    const taken = new Set(entries.filter(({ type }) => type === 'file').map(({ name }) => name))
    startUploads(folder, Array.from(input.current!.files ?? []), taken, done)
    input.current!.value = '' // so that choosing the same file again is a change
  }
  return (
    <div class="buttons">
      <input ref={input} type="file" multiple hidden aria-label={texts.choose} onChange={upload} />
      <Button kind="main" icon="up" onClick={() => input.current!.click()}>
        {texts.upload}
      </Button>
      <NewFolder {...{ folder, entries, done }} />
      {folder !== '/' && <RenameOpen path={folder} isFolder />}
    </div>
  )
}

const icons: Partial<Record<FileEntry['type'], IconName>> = { file: 'file', directory: 'folder', symlink: 'link' }

/** The entries of a directory, page by page. */
function Entries({ first, changed }: { first: FileList; changed(): void }) {
  const [loaded, setLoaded] = useState([first])
  const [errorText, setErrorText] = useState('')
  const [selected, choose] = useState<Selected>(null)
  const pages = loaded[0] === first ? loaded : [first]
  const entries = pages.flatMap((page) => page.entries)
  const { next } = pages.at(-1)!
  const load = () =>
    ask(foundAt(first.path, next!)).then(
      (found) => 'list' in found && setLoaded([...pages, found.list]),
      (error) => setErrorText(messageOf(error)),
    )
  useEffect(() => {
    if (next !== null && isRenamedAfter(first.path, next)) void load()
  }, [first, next])
  if (entries.length === 0) return <Empty icon="folder">{texts.empty}</Empty>
  const shown = shownEntries(entries)
  return (
    <>
      <FileOrder entries={entries} isPart={next !== null}>
        <Button aria-pressed={selected !== null} onClick={() => choose(selected ? null : new Set())}>
          {texts.selectMode}
        </Button>
      </FileOrder>
      {selected && <SelectionBar folder={first.path} entries={shown} {...{ selected, choose, changed }} />}
      {shown.length === 0 ? (
        <Empty icon="folder">{texts.onlyHidden}</Empty>
      ) : (
        <div class="rows">
          <FileColumns />
          <ul class="files">
            {shown.map((entry) => (
              <Entry key={entry.name} folder={first.path} {...{ entry, selected, choose, changed }} />
            ))}
          </ul>
        </div>
      )}
      {next !== null && (
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
