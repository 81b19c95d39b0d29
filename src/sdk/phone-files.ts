import { PhoneError } from './phone-error.ts'
import { isDirectory, toSource } from './file-parts.ts'
import { waitFor } from './patience.ts'
import type { Files } from './phone-client.ts'
import { ask, forEver, newKey, type ApiAddress } from './requests.ts'
import { deliver, FILES_PATH, readFacts, receive } from './file-transfer.ts'
import type { FileEntry, FileList, FilePiece } from './types.ts'

/** Files over HTTP. What is cut is tried again until `reconnectMs` have brought nothing. */
export function filesBy(way: ApiAddress, reconnectMs: number): Files {
  return {
    head: (path) => readFacts(way, path, waitFor(reconnectMs)),
    get: (path, from = 0) => get(way, path, from, reconnectMs),
    put: (path, data, { mode, ifMatch, ifNoneMatch } = {}) => {
      const source = toSource(data)
      const headers = { 'upload-key': source.key ?? newKey(), ...ifHeaders(ifMatch, ifNoneMatch) }
      return deliver(way, { method: 'PUT', query: { path, mode }, headers }, source, waitFor(reconnectMs))
    },
    async delete(path, { ifMatch } = {}) {
      await ask(way, FILES_PATH, {
        method: 'DELETE',
        query: { path },
        headers: ifHeaders(ifMatch),
        signal: forEver(),
      })
    },
    list: (path) => list(way, path),
  }
}

const ifHeaders = (match?: string, none?: string): Record<string, string> => ({
  ...(match === undefined ? {} : { 'if-match': match }),
  ...(none === undefined ? {} : { 'if-none-match': none }),
})

async function* get(way: ApiAddress, path: string, from: number, reconnectMs: number): AsyncGenerator<FilePiece, void> {
  let isBegun = false
  for await (const { facts, ...piece } of receive(way, path, from, waitFor(reconnectMs))) {
    if (facts === null) yield piece
    else if (isBegun) throw new PhoneError('precondition_failed', `${path}: it is another file by now`)
    isBegun = true
  }
}

async function* list(way: ApiAddress, path: string): AsyncGenerator<FileEntry, void> {
  for (let after: string | null = ''; after !== null;) {
    const answer = await ask(way, FILES_PATH, {
      query: { path, after: after === '' ? undefined : after },
    })
    if (!isDirectory(answer)) throw await notADirectory(answer, path)
    const page = (await answer.json()) as FileList
    yield* page.entries
    after = page.next
  }
}

async function notADirectory({ body }: Response, path: string): Promise<PhoneError> {
  await body?.cancel()
  return new PhoneError('validation_error', `${path}: expected a directory, got a file`)
}
