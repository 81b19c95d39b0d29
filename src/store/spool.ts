import type { Stream } from '../schema/index.ts'
import { toRunOutput } from './follow.ts'
import { createOrderList, streams } from './order-list.ts'
import {
  checkOffset,
  MAX_READ_BYTES,
  notKept,
  type RunOutput,
  readOrExpired,
  type SmallOutput,
  type SpoolSummary,
  type StreamSummary,
} from './output.ts'
import { type Disk, writeCounted } from './quota.ts'
import { createRunFiles } from './run-files.ts'
import { createSpoolStream, digestOf, type SpoolStream, startHash } from './spool-stream.ts'
import { createSpoolWriter } from './spool-writer.ts'

/** Output stays in memory up to this size … */
export const MEMORY_BYTES = 65_536
/** … and this age; then a file is opened, so that a crash of the service does not take it. */
const MEMORY_MS = 1000
/** So much of each stream stays in memory for readers that keep up. */
const WINDOW_BYTES = 262_144
/** `blocked` speaks above the first of these; above the last, nothing more of the run is kept. */
const BLOCKED_ABOVE_BYTES = 1_048_576
const FREE_BELOW_BYTES = 262_144
const GIVE_UP_ABOVE_BYTES = 8_388_608
export interface Spool extends RunOutput {
  /** Takes the chunk (and owns it from now on); never waits and never throws. */
  append(stream: Stream, chunk: Buffer): void
  /** Not null: the disk is behind; stop reading the pipes until it resolves. */
  blocked(): Promise<void> | null
  /** No more will come. Resolves when all that is kept is safe; may be called twice. */
  finish(): Promise<SpoolSummary>
}

export interface LiveSpool extends Spool {
  /** The whole output, when it is small enough for a history line; else null. */
  small(): SmallOutput | null
  /** Were files made? */
  spilled(): boolean
}

export interface SpoolOptions {
  id: string
  /** null: nothing goes to disk */
  disk: Disk | null
  maxRunSpoolBytes: number
  /** a write that takes longer is given up */
  stallMs: number
}

const deferred = () => {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** The spool of one running run: memory first, files when it grows or lasts, "not kept" when the disk will not. */
export const createSpool = ({ id, disk, maxRunSpoolBytes, stallMs }: SpoolOptions): LiveSpool => {
  const spooled: Record<Stream, SpoolStream> = { stdout: createSpoolStream(), stderr: createSpoolStream() }
  const order = createOrderList()
  const notes: string[] = []
  const files = disk && createRunFiles(disk.folder, id)
  let keeping = true
  let spilled = false
  let change: ReturnType<typeof deferred> | null = null
  let room: ReturnType<typeof deferred> | null = null
  let ending: Promise<SpoolSummary> | null = null
  let done = false
  let ageTimer: NodeJS.Timeout | null = null

  const total = (field: 'bytes' | 'kept' | 'written'): number => spooled.stdout[field] + spooled.stderr[field]
  const pending = (): number => total('kept') - total('written')

  const announce = (): void => {
    change?.resolve()
    change = null
  }

  const freeRoom = (): void => {
    if (pending() > FREE_BELOW_BYTES) return
    room?.resolve()
    room = null
  }

  const trim = ({ window, kept, written, bytes }: SpoolStream): void => {
    if (spilled) window.dropBefore(Math.min(bytes - WINDOW_BYTES, written < kept ? written : bytes))
  }

  const stopKeeping = (reason: string): void => {
    keeping = false
    notes.push(
      `output beyond ${spooled.stdout.kept} bytes of stdout and ${spooled.stderr.kept} bytes of stderr is not kept: ${reason}`,
    )
  }

  const giveUp = (reason: string): void => {
    for (const stream of streams) spooled[stream].kept = Math.min(spooled[stream].kept, spooled[stream].written)
    if (keeping) stopKeeping(reason)
    freeRoom()
  }

  const writer =
    disk && files
      ? createSpoolWriter({
          files,
          quota: disk.quota,
          stallMs,
          streamOf: (stream) => spooled[stream],
          onWritten: () => {
            for (const stream of streams) trim(spooled[stream])
            freeRoom()
          },
          onFailed: giveUp,
        })
      : null

  const spill = (): void => {
    if (spilled || done) return
    spilled = true
    for (const stream of streams) startHash(spooled[stream])
    if (writer) writer.kick()
    else giveUp('nothing is kept on disk')
  }

  const keep = (stream: SpoolStream, length: number): void => {
    const fits = Math.min(length, maxRunSpoolBytes - total('kept'))
    stream.kept += fits
    if (fits < length) stopKeeping(`the limit of ${maxRunSpoolBytes} bytes a run is reached`)
  }

  const append = (name: Stream, chunk: Buffer): void => {
    if (ending !== null || chunk.length === 0) return
    const stream = spooled[name]
    stream.bytes += chunk.length
    stream.window.append(chunk)
    stream.hash?.update(chunk)
    order.add(name, chunk.length)
    if (keeping) keep(stream, chunk.length)
    if (spilled) {
      if (pending() > GIVE_UP_ABOVE_BYTES) giveUp('the disk is too slow')
      else if (pending() > 0) writer?.kick()
      trim(stream)
    } else if (total('bytes') > MEMORY_BYTES) spill()
    else ageTimer ??= setTimeout(spill, MEMORY_MS).unref()
    announce()
  }

  const blocked = (): Promise<void> | null => {
    if (!spilled || pending() <= BLOCKED_ABOVE_BYTES) return null
    room ??= deferred()
    return room.promise
  }

  const small = () => {
    const { stdout, stderr } = spooled
    if (total('bytes') > MEMORY_BYTES) return null
    return {
      stdout: stdout.window.read(0, stdout.bytes),
      stderr: stderr.window.read(0, stderr.bytes),
      order: order.lengths,
    }
  }

  const settleFiles = async (): Promise<void> => {
    if (!spilled || !disk || !files || !writer) return
    await writer.idle()
    freeRoom()
    // with fewer changes the order is plain: stdout, then stderr
    if (total('kept') > MEMORY_BYTES && order.lengths.length > 2) {
      const refused = await writeCounted(disk, id, 'order', JSON.stringify(order.lengths))
      if (refused !== null) notes.push(`the order of the streams is not kept: ${refused}`)
    }
    void files.close()
  }

  const summaryOf = (stream: SpoolStream): StreamSummary => ({
    bytes: stream.bytes,
    keptBytes: stream.kept,
    sha256: digestOf(stream),
  })

  /** A small output is whole in memory, whatever the disk said: the history takes it over. */
  const keepSmall = (): void => {
    if (small() === null) return
    for (const stream of streams) spooled[stream].kept = spooled[stream].bytes
    notes.length = 0
  }

  const end = async (): Promise<SpoolSummary> => {
    if (ageTimer) clearTimeout(ageTimer)
    order.seal()
    await settleFiles()
    keepSmall()
    done = true
    announce()
    return { stdout: summaryOf(spooled.stdout), stderr: summaryOf(spooled.stderr), notes }
  }

  const read = async (name: Stream, offset: number, limit: number): Promise<Buffer> => {
    const { window, kept, written, bytes } = spooled[name]
    checkOffset(offset, bytes)
    const most = Math.min(limit, MAX_READ_BYTES)
    if (offset >= window.start()) return window.read(offset, most)
    if (offset >= kept || !files) throw notKept(name, kept)
    return readOrExpired(id, files.read(name, offset, Math.min(most, written - offset)))
  }

  const output = toRunOutput({
    order,
    end: (stream) => spooled[stream].bytes,
    keptBytes: (stream) => spooled[stream].kept,
    available: (stream, offset) =>
      offset < spooled[stream].kept ? offset : Math.max(offset, spooled[stream].window.start()),
    read,
    changed: () => {
      if (done) return null
      change ??= deferred()
      return change.promise
    },
    finished: () => done,
  })

  const { size, keptBytes, finished, follow } = output
  return {
    size,
    keptBytes,
    finished,
    read,
    follow,
    append,
    blocked,
    finish: () => {
      ending ??= end()
      return ending
    },
    small,
    spilled: () => spilled,
  }
}
