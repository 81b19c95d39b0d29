import { useRef, useState } from 'preact/hooks'
import type { FileEntry } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, literalInput, Title } from '../parts/basics.tsx'
import { Loaded, useAnswer } from '../parts/states.tsx'
import { go, type ViewProps } from '../route.ts'
import { words } from '../words.ts'
import { rareWords } from '../words/rare-words.ts'
import { hrefAt, NewFolder } from './directory-tools.tsx'
import { FileChanges } from './file-changes.tsx'
import { shownEntries } from './file-order.tsx'
import { foundAt, usePages } from './file-pages.ts'
import { FilePreview } from './file-preview.tsx'
import { FileRows } from './file-rows.tsx'
import { RenameOpen } from './rename.tsx'
import { Transfers } from './transfer-rows.tsx'
import { startUploads } from './transfers.ts'

const { files: texts } = rareWords

const HOME = '~'

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
  const pages = usePages(list)
  const { entries } = pages
  const at = list?.path ?? path
  return (
    <>
      <Crumbs key={at} path={at} />
      {list && <Upload folder={at} entries={entries} done={found.again} />}
      {list && <FileChanges folder={at} entries={shownEntries(entries)} changed={found.again} />}
      <Transfers />
      <Loaded from={found}>
        {(value) =>
          'list' in value ? (
            <FileRows folder={value.list.path} pages={pages} changed={found.again} />
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
