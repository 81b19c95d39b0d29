import type { Watched } from '../exec/index.ts'
import type { Stream } from '../../shared/schema/index.ts'
import { cutCharacterBytes, type Offsets } from '../store/index.ts'
import type { McpToolCall } from './mcp-parts.ts'

/** Interval between reports: at most five per second. Each report covers all output since the last one. */
const EVERY_MS = 200
/** Maximum bytes of output in a report. Each report contains only the newest output, so that a flood of output costs little. */
const MAX_BYTES = 2000

/** Reports a run's output as it arrives, and whether the run waits for approval, until the returned function is called. */
export function reportOutput(run: Watched, report: McpToolCall['report']): () => void {
  if (report === null) return () => {}
  const at: Offsets = { stdout: 0, stderr: 0 }
  let reportedBytes = -1
  let isReading = false
  let isOver = false
  /** Never rejects. */
  const reportNews = async () => {
    const bytes = run.output.size('stdout') + run.output.size('stderr')
    if (isReading || bytes <= reportedBytes || (bytes === 0 && run.waitsFor === null)) return
    isReading = true
    reportedBytes = bytes
    const text = bytes === 0 ? 'waits for approval' : await newest(run, at).catch(() => '')
    isReading = false
    if (!isOver) report(bytes, text) // otherwise the call ended during the read
  }
  const timer = setInterval(() => void reportNews(), EVERY_MS)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

/** Returns the newest MAX_BYTES of what both streams received since the last report, and updates `at`. */
async function newest(run: Watched, at: Offsets): Promise<string> {
  const texts = [await newestOf(run, 'stdout', at), await newestOf(run, 'stderr', at)]
  return texts.join('').slice(-MAX_BYTES)
}

async function newestOf({ output }: Watched, stream: Stream, at: Offsets): Promise<string> {
  const end = output.keptBytes(stream)
  const from = Math.max(at[stream], end - MAX_BYTES)
  if (from >= end) return ''
  const bytes = await output.read(stream, from, end - from)
  const whole = bytes.subarray(0, bytes.length - cutCharacterBytes(bytes))
  at[stream] = from + whole.length
  return whole.toString()
}
