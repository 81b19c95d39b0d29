import { createHash, type Hash } from 'node:crypto'
import { type ByteWindow, createByteWindow } from './byte-window.ts'

/** One stream of a running run: what came, what is to be kept of it, what is on disk. */
export interface SpoolStream {
  window: ByteWindow
  /** bytes that came */
  bytes: number
  /** the first so many are to be kept */
  kept: number
  /** the first so many are on disk */
  written: number
  hash: Hash | null
}

export const createSpoolStream = (): SpoolStream => ({
  window: createByteWindow(),
  bytes: 0,
  kept: 0,
  written: 0,
  hash: null,
})

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

const hashWindow = ({ window, bytes }: SpoolStream): Hash => {
  const hash = createHash('sha256')
  for (const piece of bytes === 0 ? [] : window.pieces(0, bytes)) hash.update(piece)
  return hash
}

/** From now on every chunk is hashed as it comes: what is in memory may be forgotten. */
export const startHash = (stream: SpoolStream): void => {
  stream.hash = hashWindow(stream)
}

/** sha256 in hex of every byte that came, kept or not; ask once, at the end. */
export const digestOf = (stream: SpoolStream): string =>
  stream.bytes === 0 ? SHA256_OF_NOTHING : (stream.hash ?? hashWindow(stream)).digest('hex')
