import type { Stream } from '../schema/index.ts'
import { reasonOf } from './folder.ts'
import type { Quota } from './quota.ts'
import type { RunFiles } from './run-files.ts'
import type { SpoolStreams } from './spool-streams.ts'

const MAX_WRITE_BYTES = 262_144

/** Moves kept bytes from memory to disk, one write at a time, and never longer than `stallMs` each. */
export interface SpoolWriter {
  /** Starts, or goes on, writing what is not written yet. */
  kick(): void
  /** Resolves when everything kept is written, or given up. */
  idle(): Promise<void>
}

export interface SpoolWriterOptions {
  files: RunFiles
  quota: Quota
  stallMs: number
  spooled: SpoolStreams
  /** after each write */
  onWritten(): void
  /** once, when no more can be written: then `kept` is at most what is written */
  onFailed(reason: string): void
}

const STALLED = Symbol('stalled')

const orStalled = async <T>(work: Promise<T>, stallMs: number): Promise<T | typeof STALLED> => {
  let timer: NodeJS.Timeout | undefined
  const stall = new Promise<typeof STALLED>((resolve) => {
    timer = setTimeout(resolve, stallMs, STALLED)
  })
  // a write that was given up may still fail later, and nobody waits for it then
  work.catch(() => undefined)
  return Promise.race([work, stall]).finally(() => clearTimeout(timer))
}

export const createSpoolWriter = (options: SpoolWriterOptions): SpoolWriter => {
  const { files, quota, stallMs, spooled, onWritten, onFailed } = options
  let running: Promise<void> | null = null

  const write = async (stream: Stream, wanted: number): Promise<string | null> => {
    const refused = await quota.admit(wanted)
    if (refused !== null) return refused
    const from = spooled[stream].written
    let bytes = 0
    try {
      bytes = await files.write(stream, spooled[stream].window.pieces(from, from + wanted), from)
    } finally {
      quota.giveBack(wanted - bytes)
    }
    spooled.wrote(stream, bytes)
    return bytes === 0 ? 'the disk took nothing' : null
  }

  const waiting = (stream: Stream): number => spooled[stream].kept - spooled[stream].written

  const writeOne = async (stream: Stream): Promise<string | null> => {
    try {
      const result = await orStalled(write(stream, Math.min(waiting(stream), MAX_WRITE_BYTES)), stallMs)
      return result === STALLED ? `the disk did not answer for ${stallMs / 1000} seconds` : result
    } catch (error) {
      return reasonOf(error)
    }
  }

  const writeAll = async (): Promise<void> => {
    for (;;) {
      const stream = waiting('stdout') >= waiting('stderr') ? 'stdout' : 'stderr'
      if (waiting(stream) <= 0) return
      const failure = await writeOne(stream)
      if (failure !== null) return onFailed(failure)
      onWritten()
    }
  }

  const pump = async (): Promise<void> => {
    await writeAll()
    running = null
    // what came while the last write ended
    if (spooled.pending() > 0) kick()
  }

  const kick = (): void => {
    running ??= pump()
  }

  const idle = async (): Promise<void> => {
    while (running !== null) await running
  }

  return { kick, idle }
}
