import { useEffect, useState } from 'preact/hooks'
import type { FileEntry, FileList, RunPhone } from '../../sdk/index.ts'
import { ask, messageOf, noTimeout } from '../wire.ts'
import { type FileStart, PREVIEW_RANGE, startIn, startOf } from './file-preview.tsx'
import { isRenamedAfter } from './rename.tsx'

/** A page of a directory, or the start of a file. */
type Found = { list: FileList } | { start: FileStart }

export const foundAt =
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

/** The loaded part of a directory. */
export interface FilePages {
  entries: FileEntry[]
  /** whether there are more entries */
  isPart: boolean
  /** loads the next page; never rejects */
  load(): Promise<void>
  /** why the next page was not loaded; empty unless that failed */
  errorText: string
}

/** Loads the pages after the first one, which is null until it is loaded. */
export function usePages(first: FileList | null): FilePages {
  const [loaded, setLoaded] = useState<FileList[]>([])
  const [errorText, setErrorText] = useState('')
  const pages = first === null ? [] : loaded[0] === first ? loaded : [first]
  const next = pages.at(-1)?.next ?? null
  const load = async () => {
    try {
      const found = await ask(foundAt(first!.path, next!))
      if ('list' in found) setLoaded([...pages, found.list])
    } catch (error) {
      setErrorText(messageOf(error))
    }
  }
  useEffect(() => {
    if (first !== null && next !== null && isRenamedAfter(first.path, next)) void load()
  }, [first, next])
  return { entries: pages.flatMap((page) => page.entries), isPart: next !== null, load, errorText }
}
