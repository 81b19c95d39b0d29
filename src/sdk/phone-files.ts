import { PhoneError } from './phone-error.ts'
import { isDirectory, toSource } from './file-parts.ts'
import { retryFor } from './retry-policy.ts'
import type { Files } from './phone-client.ts'
import { ask, noTimeout, newKey, type ApiAddress } from './requests.ts'
import { uploadBytes, FILES_PATH, readFacts, downloadBytes } from './file-transfer.ts'
import type { EditedFile, FileEntry, FileLines, FileList, FilePiece, FoundLines, PatchedFiles } from './types.ts'

/** Files over HTTP. Retries interrupted transfers until `reconnectMs` have passed without data. */
export function filesBy(api: ApiAddress, reconnectMs: number): Files {
  return {
    head: (path) => readFacts(api, path, retryFor(reconnectMs)),
    get: (path, from = 0) => get(api, path, from, reconnectMs),
    put: (path, data, { mode, ifMatch, ifNoneMatch } = {}) => {
      const source = toSource(data)
      const headers = { 'upload-key': source.key ?? newKey(), ...ifHeaders(ifMatch, ifNoneMatch) }
      return uploadBytes(api, { method: 'PUT', query: { path, mode }, headers }, source, retryFor(reconnectMs))
    },
    async delete(path, { ifMatch } = {}) {
      await ask(api, FILES_PATH, {
        method: 'DELETE',
        query: { path },
        headers: ifHeaders(ifMatch),
        signal: noTimeout(),
      })
    },
    list: (path) => list(api, path),
    async lines(path, { first = 1, last } = {}) {
      const response = await ask(api, FILES_PATH, {
        query: { path, lines: `${first}-${last ?? ''}` },
        signal: noTimeout(),
      })
      return (await response.json()) as FileLines
    },
    async replace(path, text, ifHash) {
      const response = await ask(api, FILES_PATH, {
        method: 'PUT',
        query: { path, if_hash: ifHash },
        raw: text,
        signal: noTimeout(),
      })
      return response.headers.get('file-hash')!
    },
    edit: async (path, edits, { ifHash } = {}) =>
      post<EditedFile>(api, `${FILES_PATH}/edit`, { path, edits, ...(ifHash !== undefined && { if_hash: ifHash }) }),
    patch: async (patch, directory) =>
      post<PatchedFiles>(api, `${FILES_PATH}/patch`, { patch, ...(directory !== undefined && { directory }) }),
    search: async (path, options = {}) => post<FoundLines>(api, `${FILES_PATH}/search`, { path, ...options }),
  }
}

/** Sends JSON, and waits as long as an approval takes. */
const post = async <Result>(api: ApiAddress, path: string, body: object): Promise<Result> =>
  (await (await ask(api, path, { method: 'POST', body, signal: noTimeout() })).json()) as Result

const ifHeaders = (match?: string, none?: string): Record<string, string> => ({
  ...(match === undefined ? {} : { 'if-match': match }),
  ...(none === undefined ? {} : { 'if-none-match': none }),
})

async function* get(api: ApiAddress, path: string, from: number, reconnectMs: number): AsyncGenerator<FilePiece, void> {
  let isBegun = false
  for await (const { facts, ...piece } of downloadBytes(api, path, from, retryFor(reconnectMs))) {
    if (facts === null) yield piece
    else if (isBegun)
      throw new PhoneError('precondition_failed', `${path}: the file was replaced or changed during the download`)
    isBegun = true
  }
}

async function* list(api: ApiAddress, path: string): AsyncGenerator<FileEntry, void> {
  for (let after: string | null = ''; after !== null;) {
    const response = await ask(api, FILES_PATH, {
      query: { path, after: after === '' ? undefined : after },
    })
    if (!isDirectory(response)) throw await notADirectory(response, path)
    const page = (await response.json()) as FileList
    yield* page.entries
    after = page.next
  }
}

async function notADirectory({ body }: Response, path: string): Promise<PhoneError> {
  await body?.cancel()
  return new PhoneError('validation_error', `${path}: expected a directory, got a file`)
}
