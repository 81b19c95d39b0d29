import { useState } from 'preact/hooks'
import { PhoneError } from '../../sdk/index.ts'
import { visible } from '../../shared/schema/index.ts'
import { Button, Card, ErrorText, Facts } from '../parts/basics.tsx'
import { toDayAndTime, toSize } from '../parts/format.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { rareWords } from '../words/rare-words.ts'
import { nameIn } from './directory-tools.tsx'
import { RenameOpen } from './rename.tsx'
import { startDownload } from './transfers.ts'

const { files: texts } = rareWords

/** How much of a text file is shown. */
const PREVIEW_BYTES = 64_000
/** Larger images are not shown, because the page holds them in memory. */
const MAX_IMAGE_BYTES = 10_000_000
const IMAGE_NAME = /\.(?:avif|bmp|gif|jpe?g|png|webp)$/i

/** A request with these headers gets the start of a file, and the list of a directory as without them. */
export const PREVIEW_RANGE = { range: `bytes=0-${PREVIEW_BYTES - 1}` }

export interface FileStart {
  /** the size of the whole file */
  bytes: number
  /** null: unknown */
  modified: string | null
  /** null: not text in UTF-8 */
  text: string | null
}

/** Reads the response to a request with PREVIEW_RANGE. */
export async function startOf(response: Response): Promise<FileStart> {
  const { headers } = response
  const content = new Uint8Array(await response.arrayBuffer())
  const total = headers.get('content-range')?.split('/')[1]
  return { bytes: Number(total ?? content.length), modified: headers.get('last-modified'), text: textIn(content) }
}

/** What an error to the same request says about the file: an empty file has no range. Throws any other error. */
export function startIn(error: unknown): FileStart {
  if (error instanceof PhoneError && error.status === 416) return { bytes: 0, modified: null, text: '' }
  throw error
}

/** The content as text; null: it is not UTF-8. The last character may be cut off. */
function textIn(content: Uint8Array): string | null {
  if (content.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content, { stream: true })
  } catch {
    return null
  }
}

/** A file: its size and time, its first lines, and a button that downloads it. */
export function FilePreview({ path, start: { bytes, modified, text } }: { path: string; start: FileStart }) {
  const name = nameIn(path)
  return (
    <Card>
      <Facts
        rows={[
          [texts.columns.size, toSize(bytes)],
          [texts.columns.modified, modified && toDayAndTime(modified)],
        ]}
      />
      <div class="buttons">
        <Button kind="main" icon="download" onClick={() => startDownload(path, name)}>
          {texts.download(visible(name))}
        </Button>
        <RenameOpen path={path} isFolder={false} />
      </div>
      {text === null ? (
        IMAGE_NAME.test(name) && bytes <= MAX_IMAGE_BYTES ? (
          <Picture path={path} name={visible(name)} />
        ) : (
          <p class="dim">{texts.noPreview}</p>
        )
      ) : text === '' ? (
        <p class="dim">{texts.emptyFile}</p>
      ) : (
        <>
          {bytes > PREVIEW_BYTES && <p class="hint">{texts.previewPart(toSize(PREVIEW_BYTES))}</p>}
          <pre class="file-text mono" tabIndex={0} role="region" aria-label={texts.preview(visible(name))} dir="auto">
            {text}
          </pre>
        </>
      )}
    </Card>
  )
}

/** An image, once the user asks for it: it may be large. */
function Picture({ path, name }: { path: string; name: string }) {
  const [source, setSource] = useState('')
  const [errorText, setErrorText] = useState('')
  const load = async () => {
    try {
      const response = await ask((phone) => phone.request('/files', { query: { path }, signal: noTimeout() }))
      setSource(await dataUrl(await response.blob()))
    } catch (error) {
      setErrorText(messageOf(error))
    }
  }
  if (source !== '') return <img class="file-image" src={source} alt={name} />
  return (
    <div class="buttons">
      <Button icon="file" onClick={load}>
        {texts.showImage}
      </Button>
      <ErrorText>{errorText}</ErrorText>
    </div>
  )
}

/** The policy of the page allows images only from itself and from data URLs; the browser recognizes the format. */
const dataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(reader.error!))
    reader.readAsDataURL(blob)
  })
