import { effect, signal } from '@preact/signals'
import { PhoneError } from '../../sdk/index.ts'
import { access } from '../access.ts'
import { urlOfPhone } from '../fleet-phones.ts'
import { saveFile } from '../output/download.ts'
import { selectedPhone } from '../route.ts'
import { ask, messageOf } from '../wire.ts'
import { childOf } from './directory-tools.tsx'
import { errorIn } from './file-command.ts'

/** The uploads that the user started together. */
interface UploadBatch {
  /** on the phone */
  folder: string
  count: number
}

/** A download or an upload, as the page shows it. */
export interface Transfer {
  name: string
  /** on the phone */
  path: string
  /** the phone of the fleet; null: the one that serves this page */
  phone: string | null
  act: 'download' | 'upload'
  state: 'active' | 'done' | 'failed' | 'exists'
  bytes: number
  /** null: unknown */
  total: number | null
  /** empty unless it failed */
  error: string
  cancel(): void
  /** stops showing a transfer that has ended */
  dismiss(): void
  /** of an upload */
  batch?: UploadBatch
  /** repeats an upload, now replacing the existing file */
  replace?(): void
  /** repeats an upload with the next name that is free */
  keepBoth?(): void
}

interface Upload {
  path: string
  file: File
  phone: string | null
  batch: UploadBatch
  /** the page already shows a file with this name */
  isTaken: boolean
  done(): void
}

/** What an upload does if its name exists. */
type IfExists = 'ask' | 'replace' | 'rename'

/** Receives the number of bytes so far and, if known, of all bytes. */
type OnProgress = (bytes: number, total: number | null) => void
interface Sent {
  phone: string | null
  path: string
  file: File
  isReplacing: boolean
  signal: AbortSignal
  at: OnProgress
}

/** Transfers that have ended are no longer shown beyond this number. */
const MAX_SHOWN = 20

/** With HTTP/1.1, browsers open six connections to a service. An upload that waits for approval holds one, and the page needs some. */
const MAX_UPLOADS = 3

let uploading = 0
const waiting: (() => void)[] = []

/** Resolves when the next upload may begin; call `endTurn` after it. Throws PhoneError if it is canceled before. */
async function takeTurn(signal: AbortSignal): Promise<void> {
  if (uploading < MAX_UPLOADS) return void uploading++
  await new Promise<void>((resolve, reject) => {
    waiting.push(resolve)
    signal.addEventListener('abort', () => {
      const at = waiting.indexOf(resolve)
      if (at < 0) return // it has begun
      waiting.splice(at, 1)
      reject(canceled())
    })
  })
}

function endTurn(): void {
  const next = waiting.shift()
  if (next) next()
  else uploading--
}

const canceled = () => new PhoneError('closed', 'canceled')

/** The transfers that this page has started, newest first; they continue when the user opens another view. */
export const transfers = signal<Transfer[]>([])

/** Has the browser ask before it closes or reloads the page. */
const warn = (event: Event) => event.preventDefault()

effect(() => {
  if (transfers.value.some(({ state }) => state === 'active')) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
})

function show(
  first: Pick<Transfer, 'name' | 'path' | 'phone' | 'act' | 'total' | 'batch' | 'replace' | 'keepBoth'>,
  work: (signal: AbortSignal, at: OnProgress) => Promise<void>,
): void {
  const stop = new AbortController()
  const dismiss = () => void (transfers.value = transfers.value.filter((one) => one !== now))
  let now: Transfer = { ...first, state: 'active', bytes: 0, error: '', cancel: () => stop.abort(), dismiss }
  const isOpen = ({ state }: Transfer) => state === 'active' || state === 'exists'
  transfers.value = [now, ...transfers.value].filter((one, at) => isOpen(one) || at < MAX_SHOWN)
  const set = (change: Partial<Transfer>) => {
    const before = now
    now = { ...now, ...change }
    transfers.value = transfers.value.map((one) => (one === before ? now : one))
  }
  work(stop.signal, (bytes, total) => set({ bytes, total: total ?? now.total })).then(
    () => set({ state: 'done', bytes: now.total ?? now.bytes }),
    (error) => {
      if (stop.signal.aborted) dismiss()
      else if (isTaken(error)) set({ state: 'exists' })
      else set({ state: 'failed', error: messageOf(error) })
    },
  )
}

/** Downloads a file of the phone and saves it in the browser. */
export const startDownload = (path: string, name: string): void =>
  show({ name, path, phone: selectedPhone.value, act: 'download', total: null }, async (signal, at) => {
    const response = await ask((phone) => phone.request('/files', { query: { path }, signal }))
    const total = Number(response.headers.get('content-length')) || null
    const pieces: Uint8Array<ArrayBuffer>[] = []
    let bytes = 0
    const reader = response.body!.getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      pieces.push(piece.value)
      at((bytes += piece.value.length), total)
    }
    saveFile(new Blob(pieces), name)
  })

/**
 * Uploads files to a directory of the selected phone; `done` is called for each file that the phone has stored. They replace existing files
 * only after the user has confirmed it. `taken`: the names of known files, so that nobody is asked to approve an upload that would be refused.
 */
export function startUploads(folder: string, files: File[], taken: ReadonlySet<string>, done: () => void): void {
  const batch = { folder, count: files.length }
  const phone = selectedPhone.value
  for (const file of files) {
    const isTaken = taken.has(file.name)
    startUpload({ path: childOf(folder, file.name), file, phone, batch, isTaken, done }, 'ask')
  }
}

/** Starts an upload. Its row replaces that of an earlier upload that was refused. */
function startUpload(upload: Upload, ifExists: IfExists): void {
  const { path, file, phone, batch, done } = upload
  transfers.value = transfers.value.filter(
    (one) => one.act !== 'upload' || one.path !== path || one.phone !== phone || one.state !== 'exists',
  )
  const replace = () => startUpload(upload, 'replace')
  const keepBoth = () => {
    transfers.value = transfers.value.filter((one) => one.keepBoth !== keepBoth)
    startUpload({ ...upload, path: nextName(path), isTaken: false }, 'rename')
  }
  const first = { name: file.name, path, phone, act: 'upload', total: file.size, batch, replace, keepBoth } as const
  show(first, async (signal, at) => {
    const target = phone ?? undefined
    await ask(({ request }) => mayUpload(request, path, file.size, signal), target)
    signal.throwIfAborted()
    if (upload.isTaken && ifExists === 'ask') throw taken
    await takeTurn(signal)
    try {
      await ask(() => send({ phone, path, file, isReplacing: ifExists === 'replace', signal, at }), target)
    } catch (error) {
      if (ifExists === 'rename' && isTaken(error)) return keepBoth()
      throw error
    } finally {
      endTurn()
    }
    done()
  })
}

/** The error for a name that exists. */
const taken = new PhoneError('precondition_failed', 'the name is taken', null, { status: 412 })

const isTaken = (error: unknown): boolean => error instanceof PhoneError && error.status === 412

/** The path with a number in the name, or with the next number: `a.txt`, `a (2).txt`, `a (3).txt`. */
function nextName(path: string): string {
  const [, folder = '', base = '', number, type = ''] = /^(.*\/)?(.+?)(?: \((\d+)\))?(\.[^./]*)?$/.exec(path) ?? []
  return `${folder}${base} (${Number(number ?? 1) + 1})${type}`
}

/** Throws PhoneError if the token may not upload, before any byte is sent: the service answers with the bytes received so far, which are none. */
async function mayUpload(
  request: (path: string, options: object) => Promise<unknown>,
  path: string,
  size: number,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-range': `bytes */${size}`, 'upload-key': 'page' }
  await request('/files', { method: 'PUT', query: { path }, headers, signal }).catch((error) => {
    if (!(error instanceof PhoneError && error.status === 308)) throw error
  })
}

/** Sends the bytes. XMLHttpRequest reports how many have been sent, which fetch does not. */
const send = ({ phone, path, file, isReplacing, signal, at }: Sent): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', `${urlOfPhone(phone)}/files?${new URLSearchParams({ path })}`)
    request.setRequestHeader('authorization', `Bearer ${access.value?.token}`)
    request.setRequestHeader('content-type', 'application/octet-stream')
    if (!isReplacing) request.setRequestHeader('if-none-match', '*')
    request.upload.addEventListener('progress', ({ loaded }) => at(loaded, file.size))
    request.addEventListener('load', () =>
      request.status < 300 ? resolve() : reject(errorIn(request.status, bodyOf(request))),
    )
    request.addEventListener('error', () => reject(new PhoneError('unreachable', 'the connection was lost')))
    signal.addEventListener('abort', () => {
      request.abort()
      reject(canceled())
    })
    request.send(file)
  })

/** The body as JSON; null: it is not from the service. */
function bodyOf({ responseText }: XMLHttpRequest): unknown {
  try {
    return JSON.parse(responseText)
  } catch {
    return null
  }
}
