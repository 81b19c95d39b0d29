import type { Watched } from '../exec/index.ts'
import type { Stream } from '../../shared/schema/index.ts'
import { cutCharacterBytes, type Offsets } from '../store/index.ts'
import type { McpToolCall } from './mcp-parts.ts'

/** Five a second at most: what came in between is told together. */
const EVERY_MS = 200
/** Of what came, the newest: a flood costs no more than a trickle. */
const MAX_BYTES = 2000

/** Tells the caller of a run's output while it comes, and that it waits for a person, until the returned function is called. */
export function reportOutput(run: Watched, report: McpToolCall['report']): () => void {
  if (report === null) return () => {}
  const at: Offsets = { stdout: 0, stderr: 0 }
  let told = -1
  let isReading = false
  let isOver = false
  /** Never rejects. */
  const tell = async () => {
    const bytes = run.output.size('stdout') + run.output.size('stderr')
    if (isReading || bytes <= told || (bytes === 0 && run.waitsFor === null)) return
    isReading = true
    told = bytes
    const text = bytes === 0 ? "waits for a person's answer" : await newest(run, at).catch(() => '')
    isReading = false
    if (!isOver) report(bytes, text) // else the call was answered while this was read
  }
  const timer = setInterval(() => void tell(), EVERY_MS)
  return () => {
    isOver = true
    clearInterval(timer)
  }
}

/** What came of both streams since the last look, its end where that is much; moves `at`. */
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
