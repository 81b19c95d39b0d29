import type { ExecRecord, Stream } from '../schema/index.ts'
import { isRunId } from './ids.ts'
import { streams } from './order-list.ts'
import type { SmallOutput, StreamSummary } from './output.ts'

/** A record without the texts of its output: what lists show. */
export type RunRecord = Omit<ExecRecord, 'stdout' | 'stderr' | 'output'>

/** Where the whole output of an ended run lies: in its line, in files, or nowhere. */
export interface Kept {
  where: 'line' | 'file' | 'none'
  stdout: StreamSummary
  stderr: StreamSummary
}

/** The texts that were answered. `output` is split around `stdout` where it holds it. */
export interface Reply {
  stdout: string
  stderr: string
  output: string | [string, string]
  /** base64 of a small stream whose bytes are not those of its text */
  raw?: Partial<Record<Stream, string>>
  order?: number[]
}

/** What an end line holds beside the reply; the first three are found without parsing it, so they come first. `replyFile`: the reply was too long for the line and is a file. */
export interface EndLine {
  e: string
  status: ExecRecord['status']
  /** there is something in runs/ for it */
  files?: true | undefined
  record: RunRecord
  kept: Kept
  replyFile?: true | undefined
}

const SPLIT_ABOVE_CHARS = 256
const REPLY_KEY = ',"reply":'

const splitOutput = (output: string, stdout: string): Reply['output'] => {
  const at = stdout.length > SPLIT_ABOVE_CHARS ? output.indexOf(stdout) : -1
  return at < 0 ? output : [output.slice(0, at), output.slice(at + stdout.length)]
}

const joinOutput = ({ output, stdout }: Reply): string =>
  typeof output === 'string' ? output : output[0] + stdout + output[1]

/** The reply of a record, with the bytes of a small output that its texts do not hold already. */
export const toReply = ({ stdout, stderr, output }: ExecRecord, small: SmallOutput | null): Reply => {
  const reply: Reply = { stdout, stderr, output: splitOutput(output, stdout) }
  if (small === null) return reply
  for (const stream of streams) {
    const bytes = small[stream]
    const isText = bytes.length === 0 ? reply[stream] === '' : Buffer.from(reply[stream]).equals(bytes)
    if (!isText) reply.raw = { ...reply.raw, [stream]: bytes.toString('base64') }
  }
  if (small.order.length > 1) reply.order = small.order
  return reply
}

/** The bytes of a small output, from the reply that holds them. */
export const toSmallOutput = (reply: Reply): SmallOutput => {
  const bytesOf = (stream: Stream): Buffer => {
    const raw = reply.raw?.[stream]
    return raw === undefined ? Buffer.from(reply[stream]) : Buffer.from(raw, 'base64')
  }
  const small = { stdout: bytesOf('stdout'), stderr: bytesOf('stderr') }
  return { ...small, order: reply.order ?? [small.stdout.length] }
}

export const withoutTexts = ({ stdout: _1, stderr: _2, output: _3, ...rest }: ExecRecord): RunRecord => rest

/** The same for JSON alone, which leaves out what is undefined: cheaper to make. */
export const textsUndefined = (record: ExecRecord): RunRecord => {
  const copy: Partial<ExecRecord> & RunRecord = { ...record }
  copy.stdout = copy.stderr = copy.output = undefined
  return copy
}

export const withTexts = (record: RunRecord, reply: Reply): ExecRecord => ({
  ...record,
  stdout: reply.stdout,
  stderr: reply.stderr,
  output: joinOutput(reply),
})

/** Written before a run starts. */
export const beginLine = (id: string, record: RunRecord): string => `{"b":"${id}","record":${JSON.stringify(record)}}\n`

/** Written when it has ended. The reply comes last, so that lists need not parse it. */
export const endLine = (line: EndLine, reply: string | null): string => {
  const text = JSON.stringify(line)
  return reply === null ? `${text}\n` : `${text.slice(0, -1)}${REPLY_KEY}${reply}}\n`
}

/** A `"` inside a JSON string is always escaped, so the key is found by its text alone. */
export const parseEndLine = (line: string): { line: EndLine; reply: Reply | null } => {
  const at = line.indexOf(REPLY_KEY)
  if (at < 0) return { line: JSON.parse(line), reply: null }
  const end = line.lastIndexOf('}')
  return { line: JSON.parse(`${line.slice(0, at)}}`), reply: JSON.parse(line.slice(at + REPLY_KEY.length, end)) }
}

/** The same without the reply. */
export const parseEndRecord = (line: string): RunRecord => {
  const at = line.indexOf(REPLY_KEY)
  return JSON.parse(at < 0 ? line : `${line.slice(0, at)}}`).record
}

export interface LineHead {
  kind: 'begin' | 'end'
  id: string
  status: string
  /** is there anything in runs/ for it? */
  files: boolean
  /** bytes from the start of the segment, and of the line without its newline */
  offset: number
  length: number
}

const HEAD = /^\{"([be])":"([0-9a-z]{26})",(?:"status":"([a-z_]+)",("files":true,)?)?"record":/
const HEAD_BYTES = 80
const CLOSE = 125

/** The very last line may lack its newline and be whole all the same. */
const isWhole = (line: Buffer): boolean => {
  try {
    JSON.parse(line.toString())
    return true
  } catch {
    return false
  }
}

/** The lines of a segment by their first bytes alone; what is torn or strange is passed over. */
export const scanLines = function* (segment: Buffer): Generator<LineHead> {
  for (let offset = 0, end = 0; offset < segment.length; offset = end + 1) {
    end = segment.indexOf(10, offset)
    if (end < 0) end = isWhole(segment.subarray(offset)) ? segment.length : offset
    if (end === offset) return
    const match = HEAD.exec(segment.toString('latin1', offset, Math.min(end, offset + HEAD_BYTES)))
    if (match === null || !isRunId(match[2]) || segment[end - 1] !== CLOSE) continue
    const kind = match[1] === 'b' ? 'begin' : 'end'
    yield {
      kind,
      id: match[2],
      status: match[3] ?? 'running',
      files: match[4] !== undefined,
      offset,
      length: end - offset,
    }
  }
}
