import { useEffect, useRef, useState } from 'preact/hooks'
import type { FileEntry, FileList, RunPhone } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, ErrorText, literalInput, Title } from '../parts/basics.tsx'
import { toSize } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Ago } from '../parts/run-row.tsx'
import { Empty, Loaded, useAnswer } from '../parts/states.tsx'
import { go, hrefOf, type ViewProps } from '../route.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { childOf, nameIn, NewFolder, Remove } from './directory-tools.tsx'
import { FileOrder, shownEntries } from './file-order.tsx'
import { Transfers } from './transfer-rows.tsx'
import { startDownload, startUpload } from './transfers.ts'

const { files: texts } = rareWords

const HOME = '~'
const hrefAt = (path: string): string => hrefOf('files', [], { path })

/** A page of a directory; null if the path is a file. */
interface Found {
  list: FileList | null
}

const listAt =
  (path: string, after = '') =>
  async (phone: RunPhone): Promise<Found> => {
    const query = { path, after: after || undefined }
    const response = await phone.request('/files', { query, signal: noTimeout() })
    if (response.headers.get('content-type')?.startsWith('application/json')) return { list: await response.json() }
    await response.body?.cancel()
    return { list: null }
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
  const found = useAnswer(listAt(path))
  const at = found.value?.list?.path ?? path
  return (
    <>
      <Crumbs key={at} path={at} />
      {found.value?.list && <Upload folder={at} done={found.again} />}
      <Transfers />
      <Loaded from={found}>
        {({ list }) => (list ? <Entries first={list} changed={found.again} /> : <OneFile path={path} />)}
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

function Upload({ folder, done }: { folder: string; done(): void }) {
  const input = useRef<HTMLInputElement>(null)
  const upload = () => {
    for (const file of Array.from(input.current!.files ?? [])) startUpload(childOf(folder, file.name), file, done)
    input.current!.value = '' // so that choosing the same file again is a change
  }
  return (
    <div class="buttons">
      <input ref={input} type="file" multiple hidden aria-label={texts.choose} onChange={upload} />
      <Button kind="main" icon="up" onClick={() => input.current!.click()}>
        {texts.upload}
      </Button>
      <NewFolder folder={folder} done={done} />
    </div>
  )
}

const icons: Partial<Record<FileEntry['type'], IconName>> = { file: 'file', directory: 'folder', symlink: 'link' }

/** The entries of a directory, page by page. */
function Entries({ first, changed }: { first: FileList; changed(): void }) {
  const [more, setMore] = useState<FileList[]>([])
  const [errorText, setErrorText] = useState('')
  useEffect(() => setMore([]), [first])
  const pages = [first, ...more]
  const entries = pages.flatMap((page) => page.entries)
  const { next } = pages.at(-1)!
  const load = () =>
    ask(listAt(first.path, next!)).then(
      ({ list }) => list && setMore([...more, list]),
      (error) => setErrorText(messageOf(error)),
    )
  if (entries.length === 0) return <Empty icon="folder">{texts.empty}</Empty>
  const shown = shownEntries(entries)
  return (
    <>
      <FileOrder entries={entries} isPart={next !== null} />
      {shown.length === 0 ? (
        <Empty icon="folder">{texts.onlyHidden}</Empty>
      ) : (
        <ul class="rows files">
          {shown.map((entry) => (
            <Entry key={entry.name} folder={first.path} entry={entry} changed={changed} />
          ))}
        </ul>
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

function Entry({ folder, entry, changed }: { folder: string; entry: FileEntry; changed(): void }) {
  const { name, type, bytes, modified_at, target } = entry
  const path = childOf(folder, name)
  const content = (
    <>
      <Icon name={icons[type] ?? 'more'} />
      <span class="clip grow">
        {visible(name)}
        {target !== undefined && <span class="dim"> → {visible(target)}</span>}
      </span>
      <span class="dim file-time">
        <Ago when={modified_at} />
      </span>
      <span class="dim file-size">{type === 'file' && toSize(bytes)}</span>
    </>
  )
  if (type === 'directory' || type === 'symlink') {
    return (
      <li class="removable">
        <a class="row" data-row href={hrefAt(path)}>
          {content}
          <Icon name="right" />
        </a>
        <Remove path={path} done={changed} />
      </li>
    )
  }
  return (
    <li class="row">
      {content}
      {type === 'file' && (
        <Button
          kind="quiet"
          icon="download"
          data-row
          label={texts.download(visible(name))}
          onClick={() => startDownload(path, name)}
        />
      )}
      <Remove path={path} done={changed} />
    </li>
  )
}

const OneFile = ({ path }: { path: string }) => (
  <div class="buttons">
    <Button icon="download" onClick={() => startDownload(path, nameIn(path))}>
      {texts.download(visible(nameIn(path)))}
    </Button>
  </div>
)
