import { createHash, type Hash } from 'node:crypto'
import type { Stream } from '../schema/index.ts'
import { type BlockSums, createBlockSums } from './block-sums.ts'
import { type ByteWindow, createByteWindow } from './byte-window.ts'
import { createOrderList, type OrderList, streams } from './order-list.ts'
import type { StreamSummary } from './output.ts'

/** So much of each stream stays in memory for readers that keep up. */
const WINDOW_BYTES = 262_144
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** One stream of a running run: what came, what is to be kept of it, what is on disk. */
export interface SpoolStream {
  window: ByteWindow
  /** bytes that came */
  bytes: number
  /** the first so many are to be kept */
  kept: number
  /** the first so many are on disk */
  written: number
  /** of what is on disk; null: nothing will be */
  sums: BlockSums | null
  hash: Hash | null
}

/** Both streams of a running run, in the order they came, and what of them is to be kept. */
export interface SpoolStreams extends Record<Stream, SpoolStream> {
  order: OrderList
  /** plain words on what is not kept, and why */
  notes: string[]
  add(stream: Stream, chunk: Buffer): void
  total(field: 'bytes' | 'kept' | 'written'): number
  /** bytes to be kept that are not on disk yet */
  pending(): number
  /** So many bytes more are on disk. */
  wrote(stream: Stream, bytes: number): void
  /** From now on every chunk is hashed as it comes, and what is written has checksums: what is in memory may be forgotten. */
  spill(): void
  /** Forgets what readers that keep up do not need and what is on disk. */
  trim(): void
  /** No more is kept than what is on disk. */
  giveUp(reason: string): void
  /** All is kept, for all is in memory still. */
  keepAll(): void
  /** sha256 in hex is of every byte that came, kept or not; ask once, at the end. */
  summary(stream: Stream): StreamSummary
}

const createStream = (): SpoolStream => ({
  window: createByteWindow(),
  bytes: 0,
  kept: 0,
  written: 0,
  sums: null,
  hash: null,
})

const hashWindow = ({ window, bytes }: SpoolStream): Hash => {
  const hash = createHash('sha256')
  for (const piece of bytes === 0 ? [] : window.pieces(0, bytes)) hash.update(piece)
  return hash
}

const digestOf = (stream: SpoolStream): string =>
  stream.bytes === 0 ? SHA256_OF_NOTHING : (stream.hash ?? hashWindow(stream)).digest('hex')

const trimStream = ({ window, kept, written, bytes }: SpoolStream): void =>
  window.dropBefore(Math.min(bytes - WINDOW_BYTES, written < kept ? written : bytes))

/** A write that was given up is not counted when it comes through after all. */
const countWritten = (stream: SpoolStream, bytes: number): void => {
  const { window, written, kept, sums } = stream
  if (written + bytes > kept) return
  for (const piece of window.pieces(written, written + bytes)) sums?.add(piece)
  stream.written = written + bytes
}

const toSummary = (stream: SpoolStream): StreamSummary => ({
  bytes: stream.bytes,
  keptBytes: stream.kept,
  sha256: digestOf(stream),
  sums: stream.sums?.text(),
})

/** Keeps the first `maxBytes` of both together. */
export const createSpoolStreams = (maxBytes: number): SpoolStreams => {
  const spooled = { stdout: createStream(), stderr: createStream() }
  const order = createOrderList()
  const notes: string[] = []
  let isKeeping = true

  const total = (field: 'bytes' | 'kept' | 'written'): number => spooled.stdout[field] + spooled.stderr[field]

  const stopKeeping = (reason: string): void => {
    if (!isKeeping) return
    isKeeping = false
    const { stdout, stderr } = spooled
    notes.push(`output beyond ${stdout.kept} bytes of stdout and ${stderr.kept} bytes of stderr is not kept: ${reason}`)
  }

  const keep = (stream: SpoolStream, length: number): void => {
    const fits = Math.min(length, maxBytes - total('kept'))
    stream.kept += fits
    if (fits < length) stopKeeping(`the limit of ${maxBytes} bytes a run is reached`)
  }

  const { stdout, stderr } = spooled
  return {
    stdout,
    stderr,
    order,
    notes,
    add: (name, chunk) => {
      const stream = spooled[name]
      stream.bytes += chunk.length
      stream.window.append(chunk)
      stream.hash?.update(chunk)
      order.add(name, chunk.length)
      if (isKeeping) keep(stream, chunk.length)
    },
    total,
    pending: () => total('kept') - total('written'),
    spill: () => {
      for (const name of streams) {
        spooled[name].hash = hashWindow(spooled[name])
        spooled[name].sums = createBlockSums()
      }
    },
    trim: () => {
      for (const name of streams) trimStream(spooled[name])
    },
    giveUp: (reason) => {
      for (const name of streams) spooled[name].kept = Math.min(spooled[name].kept, spooled[name].written)
      stopKeeping(reason)
    },
    keepAll: () => {
      for (const name of streams) spooled[name].kept = spooled[name].bytes
      notes.length = 0
    },
    wrote: (name, bytes) => countWritten(spooled[name], bytes),
    summary: (name) => toSummary(spooled[name]),
  }
}
