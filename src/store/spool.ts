import type { Stream } from '../schema/index.ts'
import { toRunOutput } from './follow.ts'
import { createGate, type Gate } from './gate.ts'
import { checkOffset, MAX_READ_BYTES, notKept, type RunOutput, readOrExpired, type SpoolSummary } from './output.ts'
import type { SmallOutput } from './output.ts'
import type { Disk } from './quota.ts'
import { createRunFiles, type RunFiles } from './run-files.ts'
import { createSpoolStreams, type SpoolStreams } from './spool-streams.ts'
import { createSpoolWriter, type SpoolWriter } from './spool-writer.ts'

/** Output stays in memory up to this size … */
export const MEMORY_BYTES = 65_536
/** … and this age; then a file is opened, so that a crash of the service does not take it. */
const MEMORY_MS = 1000
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

/** Reads what is in memory, else what is on disk. */
const createReader = (id: string, spooled: SpoolStreams, files: RunFiles | null, change: Gate, done: () => boolean) =>
  toRunOutput({
    order: spooled.order,
    end: (stream) => spooled[stream].bytes,
    keptBytes: (stream) => spooled[stream].kept,
    available: (stream, offset) =>
      offset < spooled[stream].kept ? offset : Math.max(offset, spooled[stream].window.start()),
    read: async (stream, offset, limit) => {
      const { window, kept, written, bytes } = spooled[stream]
      checkOffset(offset, bytes)
      const most = Math.min(limit, MAX_READ_BYTES)
      if (offset >= window.start()) return window.read(offset, most)
      if (offset >= kept || !files) throw notKept(stream, kept)
      return readOrExpired(id, files.read(stream, offset, Math.min(most, written - offset)))
    },
    changed: () => (done() ? null : change.wait()),
    finished: done,
  })

const smallOf = (spooled: SpoolStreams): SmallOutput | null => {
  const { stdout, stderr } = spooled
  if (spooled.total('bytes') > MEMORY_BYTES) return null
  return { stdout: stdout.window.read(0, stdout.bytes), stderr: stderr.window.read(0, stderr.bytes) }
}

/** From memory to files, when the run grows or lasts; `room` opens when the disk is no longer behind. */
const createSpill = ({ id, disk, stallMs }: SpoolOptions, spooled: SpoolStreams, room: Gate) => {
  const files = disk && createRunFiles(disk.folder, id)
  let writer: SpoolWriter | null = null
  let spilled = false

  const freeRoom = (): void => {
    if (spooled.pending() <= FREE_BELOW_BYTES) room.open()
  }
  const giveUp = (reason: string): void => {
    spooled.giveUp(reason)
    freeRoom()
  }
  const onWritten = (): void => {
    spooled.trim()
    freeRoom()
  }
  const start = (): void => {
    if (spilled) return
    spilled = true
    spooled.spill()
    if (!disk || !files) return giveUp('nothing is kept on disk')
    writer = createSpoolWriter({ files, quota: disk.quota, stallMs, spooled, onWritten, onFailed: giveUp })
    writer.kick()
  }
  const more = (): void => {
    if (spooled.pending() > GIVE_UP_ABOVE_BYTES) giveUp('the disk is too slow')
    else if (spooled.pending() > 0) writer?.kick()
    spooled.trim()
  }
  const settle = async (): Promise<void> => {
    await writer?.idle()
    freeRoom()
    void files?.close()
  }
  return { files, start, more, settle, spilled: () => spilled }
}

/** The spool of one running run: memory first, files when it grows or lasts, "not kept" when the disk will not. */
export const createSpool = (options: SpoolOptions): LiveSpool => {
  const spooled = createSpoolStreams(options.maxRunSpoolBytes)
  const [change, room] = [createGate(), createGate()]
  const spill = createSpill(options, spooled, room)
  let ending: Promise<SpoolSummary> | null = null
  let isDone = false
  let ageTimer: NodeJS.Timeout | null = null

  const end = async (): Promise<SpoolSummary> => {
    if (ageTimer) clearTimeout(ageTimer)
    spooled.order.seal()
    await spill.settle()
    // a small output is whole in memory, whatever the disk said: the history takes it over
    if (smallOf(spooled)) spooled.keepAll()
    isDone = true
    change.open()
    const [stdout, stderr] = [spooled.summary('stdout'), spooled.summary('stderr')]
    return { stdout, stderr, order: spooled.order.lengths, notes: spooled.notes }
  }

  // one literal: an object that is spread into another costs more than all else here
  const { size, keptBytes, finished, read, follow } = createReader(
    options.id,
    spooled,
    spill.files,
    change,
    () => isDone,
  )
  return {
    size,
    keptBytes,
    finished,
    read,
    follow,
    append: (stream, chunk) => {
      if (ending !== null || chunk.length === 0) return
      spooled.add(stream, chunk)
      if (spill.spilled()) spill.more()
      else if (spooled.total('bytes') > MEMORY_BYTES) spill.start()
      else ageTimer ??= setTimeout(spill.start, MEMORY_MS).unref()
      change.open()
    },
    blocked: () => (spill.spilled() && spooled.pending() > BLOCKED_ABOVE_BYTES ? room.wait() : null),
    finish: () => {
      ending ??= end()
      return ending
    },
    small: () => smallOf(spooled),
    spilled: spill.spilled,
  }
}
