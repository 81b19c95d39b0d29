import { signal } from '@preact/signals'
import { PhoneError, type Run, type RunRecord, type RunStatus } from '../../sdk/index.ts'
import { ask, messageOf } from '../wire.ts'
import type { ShownOutput } from './shown-output.ts'

/** Of what came before the page looked, so much is fetched: an output of a gigabyte is no page's. */
const TAIL_BYTES = 4_000_000
const NEW_LINE = 10
const FIRST_WAIT_MS = 125
const LONGEST_WAIT_MS = 4_000

/** A run whose output is followed, over as many connections as it takes. */
export function followRun(id: string) {
  const status = signal<RunStatus | null>(null)
  /** the question that it waits for */
  const waitsFor = signal<string | null>(null)
  const result = signal<RunRecord | null>(null)
  /** as it was when the page looked, then as it ended */
  const record = signal<RunRecord | null>(null)
  const isStdinOpen = signal(false)
  const bytes = signal(0)
  /** bytes at its beginning that were left out */
  const skipped = signal(0)
  /** bytes that are no longer stored */
  const missing = signal(0)
  const error = signal('')
  let run: Run | null = null
  let isLeft = false
  let isUnreachable = false

  const tell = async (output: ShownOutput): Promise<void> => {
    const known = (record.value = await patient(() => ask((phone) => phone.record(id))))
    status.value = known.status
    let isNews = false // who attaches hears every step, those that the page knows first
    const from = {
      stdout: Math.max(0, known.stdout_bytes - TAIL_BYTES),
      stderr: Math.max(0, known.stderr_bytes - TAIL_BYTES),
    }
    skipped.value = from.stdout + from.stderr
    bytes.value = skipped.value
    missing.value = 0
    run = await patient(() => ask((phone) => phone.attach(id, { ...from, observe: true, gaps: 'report' })))
    if (isLeft) return run.leave()
    for await (const event of run.events()) {
      if (event.type === 'output') {
        bytes.value += event.bytes.length
        const isCut = event.offset > 0 && event.offset === from[event.stream]
        await output.write(event.stream, isCut ? whole(event.bytes) : event.bytes, event.offset)
      } else if (event.type === 'gap') {
        missing.value += event.next_offset - event.offset
        bytes.value += event.next_offset - event.offset
        from[event.stream] = event.next_offset // what comes next begins anywhere in a line
      } else if (event.type === 'status') {
        isNews ||= event.status === known.status
        if (isNews) status.value = event.status
      } else if (event.type === 'stdin_open') isStdinOpen.value = true
      else if (event.type === 'note') waitsFor.value = event.approval.id
      else record.value = result.value = event
    }
  }
  return {
    status,
    waitsFor,
    isStdinOpen,
    result,
    record,
    bytes,
    skipped,
    missing,
    error,
    run: (): Run | null => run,
    /** It was given up, as nobody answered. */
    isUnreachable: (): boolean => isUnreachable,
    /** Writes its output, until it has ended or is left. */
    async into(output: ShownOutput): Promise<void> {
      try {
        await tell(output)
        await output.end()
      } catch (trouble) {
        if (isLeft) return
        error.value = messageOf(trouble)
        isUnreachable = trouble instanceof PhoneError && trouble.type === 'unreachable'
        record.value = await ask((phone) => phone.record(id)).catch(() => record.value)
      }
    },
    leave(): void {
      isLeft = true
      run?.leave()
    },
  }
}

/** A call that a broken connection took is made again: 6 times in 8 s, then it is given up. */
async function patient<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    try {
      return await call()
    } catch (error) {
      const isLost = error instanceof PhoneError && error.type === 'unreachable'
      if (!isLost || waitMs > LONGEST_WAIT_MS) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

/** Without the end of the line, and of the character, in which it begins. */
const whole = (bytes: Uint8Array): Uint8Array => bytes.subarray(bytes.indexOf(NEW_LINE) + 1)

export type RunFollower = ReturnType<typeof followRun>
