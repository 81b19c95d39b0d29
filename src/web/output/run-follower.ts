import { computed, type Signal, signal } from '@preact/signals'
import { type Run, type RunRecord, type RunStatus } from '../../sdk/index.ts'
import { isCutOff } from '../live.ts'
import { isWaiting } from '../waiting.ts'
import { startedHere } from '../run/draft.ts'
import { ask, isUnreachable, live, messageOf, noteMessage } from '../wire.ts'
import { noteArrival, withTimes } from './arrivals.ts'
import type { BothOffsets } from './both-positions.ts'
import { NEW_LINE } from './older.ts'
import { type Stream, streams } from './text-style.ts'
import type { ShownOutput } from './shown-output.ts'

/** Maximum number of bytes of earlier output to fetch: a page cannot show a gigabyte. */
const TAIL_BYTES = 4_000_000
const FIRST_WAIT_MS = 125
const LONGEST_WAIT_MS = 4_000

/** What an earlier follower of a run knew. */
interface KnownRun {
  record: Signal<RunRecord | null>
  used: Signal<readonly Stream[]>
}

/** Follows a run and its output, or one stream of it, over as many connections as needed. */
export function followRun(id: string, only: Stream | null, earlier: KnownRun | null) {
  const known = earlier?.record.value ?? null
  const status = signal<RunStatus | null>(known?.status ?? null)
  /** the final record, as soon as the page knows that the run has ended; its output may still arrive */
  const result = signal<RunRecord | null>(known?.ended_at ? known : null)
  /** the record when the page opened, then when the run started, and later the final record */
  const record = signal<RunRecord | null>(known)
  const isStdinOpen = signal(false)
  const bytes = signal(0)
  /** where the fetched output starts in each stream */
  const start = signal<BothOffsets>({ stdout: 0, stderr: 0 })
  /** bytes at the start that were not fetched */
  const skipped = computed(() => (only ? start.value[only] : start.value.stdout + start.value.stderr))
  /** bytes that the service no longer stores */
  const missing = signal(0)
  const error = signal('')
  /** the streams that have output */
  const used = signal<readonly Stream[]>(earlier?.used.value ?? [])
  let run: Run | null = null
  let isLeft = false
  let didNotRespond = false

  const use = (stream: Stream): void => {
    if (!used.value.includes(stream)) used.value = [...used.value, stream]
  }
  const end = (final: RunRecord): void => void (record.value = result.value = final)
  const readRecord = (): Promise<RunRecord> => ask((phone) => phone.record(id))

  const isHidden = (stream: Stream) => only !== null && stream !== only
  /** Where the fetched output starts, and from where to fetch it; of a hidden stream, only what is new. */
  const startIn = async (sizes: BothOffsets) => {
    const isLong = streams.some((stream) => !isHidden(stream) && sizes[stream] > TAIL_BYTES)
    if (isLong) return (await import('./long-output.ts')).startOfNewest(id, sizes, only, TAIL_BYTES)
    const start = { stdout: isHidden('stdout') ? sizes.stdout : 0, stderr: isHidden('stderr') ? sizes.stderr : 0 }
    return { start, from: { ...start } }
  }

  const follow = async (output: ShownOutput): Promise<void> => {
    const known = (record.value = await withRetries(readRecord))
    status.value = known.status
    if (known.ended_at) end(known)
    let isCurrent = false // attaching replays every status from the start: skip those before `known`
    /** Output that the service had before this page followed the run did not arrive now; a run of this page has just begun. */
    const isOwn = startedHere.delete(id)
    const isNew = (stream: Stream, offset: number) => isOwn || offset >= known[`${stream}_bytes`]
    const newest = await withRetries(() => startIn({ stdout: known.stdout_bytes, stderr: known.stderr_bytes }))
    start.value = newest.start
    const { from } = newest
    for (const stream of streams) if (known[`${stream}_bytes`] > 0) use(stream)
    bytes.value = skipped.value
    missing.value = 0
    run = await withRetries(() => ask((phone) => phone.attach(id, { ...from, observe: true, gaps: 'report' })))
    if (isLeft) return run.leave()
    for await (const event of run.events()) {
      if (event.type !== 'disconnected') noteMessage()
      if (event.type === 'output') use(event.stream)
      if ((event.type === 'output' || event.type === 'gap') && isHidden(event.stream)) continue
      if (event.type === 'output') {
        bytes.value += event.bytes.length
        const isCut = event.offset > 0 && event.offset === from[event.stream]
        const text = isCut ? afterFirstLine(event.bytes) : event.bytes
        const { stream, offset, next_offset: end } = event
        if (isNew(stream, offset)) noteArrival(id, stream, offset, end - offset, Date.now())
        for (const piece of withTimes(id, stream, text, end - text.length)) await output.write({ stream, ...piece })
      } else if (event.type === 'gap') {
        missing.value += event.next_offset - event.offset
        bytes.value += event.next_offset - event.offset
        from[event.stream] = event.next_offset // the next output may start in the middle of a line
      } else if (event.type === 'status') {
        isCurrent ||= event.status === known.status
        if (isCurrent) status.value = event.status
        const hasStarted: boolean = isCurrent && event.status === 'running' && !record.value?.started_at
        const now: RunRecord | null = hasStarted ? await readRecord().catch(() => null) : null
        if (now && !result.value) record.value = now
      } else if (event.type === 'stdin_open') isStdinOpen.value = true
      else if (event.type === 'result') end(event)
    }
  }
  /** The only stream that is shown or has output; null: both. */
  const single = (): Stream | null => only ?? (used.value.length > 1 ? null : (used.value[0] ?? 'stdout'))
  return {
    id,
    only,
    used,
    status,
    isStdinOpen,
    result,
    record,
    bytes,
    start,
    skipped,
    missing,
    error,
    run: (): Run | null => run,
    /** Whether the run waits for approval. */
    isWaiting: (): boolean =>
      status.value === 'queued' && !result.value && live.runs.value.some((run) => run.id === id && isWaiting(run)),
    /** Whether there is nothing to show: the run is unknown, waits for approval, or ended before it started. */
    hasNoOutput: (): boolean =>
      !record.value ||
      status.value === 'queued' ||
      (record.value.ended_at !== null && record.value.started_at === null && !isCutOff(record.value)),
    single,
    /** How many bytes of an ended run have not arrived yet. */
    unloadedBytes: (): number => {
      const { stdout_bytes: stdout = 0, stderr_bytes: stderr = 0 } = result.value ?? {}
      return (only ? { stdout, stderr }[only] : stdout + stderr) - bytes.value
    },
    /** Whether following stopped because the service did not respond. */
    isUnreachable: (): boolean => didNotRespond,
    /** Writes the output until the run ends or leave() is called. */
    async writeTo(output: ShownOutput): Promise<void> {
      // the result arrives after the output; the connection with the events of all runs reports the end at once
      const unsubscribe = live.ended.subscribe((ended) => {
        if (ended?.id === id && !result.value) void readRecord().then(end, () => {})
      })
      try {
        await follow(output)
        await output.end()
      } catch (failure) {
        if (isLeft) return
        didNotRespond = isUnreachable(failure)
        error.value = didNotRespond ? '' : messageOf(failure) // the page says once that there is no connection
        record.value = await readRecord().catch(() => record.value)
      } finally {
        unsubscribe()
      }
    },
    leave(): void {
      isLeft = true
      run?.leave()
    },
  }
}

/** Repeats a call that failed because the connection broke; gives up after 7 attempts in about 8 s. */
async function withRetries<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      return await call()
    } catch (error) {
      if (!isUnreachable(error) || waitMs > LONGEST_WAIT_MS) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

/** Drops the incomplete first line, which may also start in the middle of a character. */
const afterFirstLine = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.indexOf(NEW_LINE) + 1)

export type RunFollower = ReturnType<typeof followRun>
