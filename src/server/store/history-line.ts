import { crc32 } from 'node:zlib'
import {
  type Collected,
  type ExecRecord,
  type Finding,
  note,
  type Note,
  type RunStatus,
  type RunSummary,
  type CollectedOutput,
  statuses,
  type Stream,
} from '../../shared/schema/index.ts'
import { isRunId } from './ids.ts'
import { streams } from './output.ts'
import type { SpoolSummary, StreamSummary } from './spool-stream.ts'

/** The Idempotency-Key of a run, and the digest of the body that came with it. */
export interface RunKey {
  key: string
  digest: string
}

/** Where the whole output of an ended run lies: in its line, in files, or nowhere. `lines` is for what lies in files. */
interface Kept extends Record<Stream, StreamSummary & { lines?: number | undefined }> {
  where: SpoolSummary['where']
  encoding: CollectedOutput['encoding']
}

/** Bytes in a line: as text where the text is those bytes again. */
type Text = string | { base64: string }

/** What lies in the line itself: all of a small output, else the ends of a stream that files do not hold. */
interface LineOutput extends Partial<Record<Stream, { head?: Text | undefined; tail?: Text | undefined }>> {
  order?: number[] | undefined
  /** checksums of the files, block by block */
  sums?: Partial<Record<Stream, string>> | undefined
}

/** The first two fields are found without parsing, so they come first; `out` is long and lists need it not, so it comes last. */
export interface EndLine {
  e: string
  status: ExecRecord['status']
  /** there is something in runs/ for it */
  files?: true | undefined
  record: RunSummary
  kept: Kept
  /** the service did not live to end it */
  cutOff?: true | undefined
  /** of a denied run */
  guards?: Finding[] | undefined
  out?: LineOutput | undefined
}

/** So much of the end of a stream (and of its start, where there is no file) is in the line where files do not hold all of it. */
const END_BYTES = 32_768
const OUT_KEY = ',"out":'
/** Eight digits of CRC-32 before each line: what rots is noticed. */
const SEAL = 8

function toText(bytes: Buffer): Text {
  const text = bytes.toString()
  const isShort = JSON.stringify(text).length <= bytes.length * 2 + 2
  return isShort && Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') }
}

export const fromText = (text: Text): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.base64, 'base64')

function toEnds({ head, tail }: Collected, { bytes, keptBytes }: StreamSummary): LineOutput[Stream] {
  if (keptBytes === bytes) return undefined
  return {
    head: keptBytes === 0 ? toText(head.subarray(0, END_BYTES)) : undefined,
    tail: toText((tail.length === 0 ? head : tail).subarray(-END_BYTES)),
  }
}

/** All of a small output, the ends of what files hold in part. */
function toLineOutput(summary: SpoolSummary, shown: CollectedOutput | null): LineOutput | undefined {
  const { small, order, stdout, stderr } = summary
  const out: LineOutput = order.length > 2 ? { order } : {}
  if (!small && (stdout.sums || stderr.sums)) out.sums = { stdout: stdout.sums ?? '', stderr: stderr.sums ?? '' }
  for (const stream of streams) {
    const ends = small ? { head: toText(small[stream]) } : shown && toEnds(shown[stream], summary[stream])
    if (ends && summary[stream].bytes > 0) out[stream] = ends
  }
  return Object.keys(out).length === 0 ? undefined : out
}

/** `shown`: what the reply was made of; null: that is not known. */
export function toEndLine(record: RunSummary, summary: SpoolSummary, shown: CollectedOutput | null): EndLine {
  const { where, stdout, stderr } = summary
  return {
    e: record.id,
    status: record.status,
    files: where === 'file' || undefined,
    record,
    kept: {
      where,
      encoding: shown?.encoding ?? 'utf8',
      stdout: { ...stdout, sums: undefined, lines: shown?.stdout.lines },
      stderr: { ...stderr, sums: undefined, lines: shown?.stderr.lines },
    },
    guards: shown?.guards.length ? shown.guards : undefined,
    out: toLineOutput(summary, shown),
  }
}

/** The fields of a line as they are written. */
export function seal(fields: object): string {
  const line = JSON.stringify(fields)
  return `${crc32(line).toString(16).padStart(SEAL, '0')}${line}\n`
}

const isSealed = (line: Buffer): boolean =>
  Number.parseInt(line.toString('latin1', 0, SEAL), 16) === crc32(line.subarray(SEAL))

/** The fields of a line; null where it is not what was written. */
export const parseSealed = <T>(line: Buffer): T | null =>
  isSealed(line) ? JSON.parse(line.toString('utf8', SEAL)) : null

/** First line of a file. `first`, of a segment: so many lines came before it. */
export const headerLine = (fields: object): string => seal({ h: true, ...fields })

/** Written before a run starts. */
export const beginLine = (record: RunSummary, key?: RunKey): string =>
  seal({ b: record.id, key: key?.key, digest: key?.digest, record })

/** Written where the files of an ended run were removed to make room. */
export const sweptLine = (runId: string): string => seal({ s: runId })

/** Written beside the begin line, and where a key stands for nothing any more. */
export const keyLine = (runId: string, { key, digest }: RunKey): string => seal({ k: runId, key, digest, record: null })
export const freeLine = (runId: string): string => seal({ f: runId })

/** A record as it is stored: its notes may be plain texts, without codes. */
type StoredRecord = Omit<RunSummary, 'notes'> & { notes: (Note | string)[] }

const toRecord = (stored: StoredRecord): RunSummary => ({
  ...stored,
  notes: stored.notes.map((one) => (typeof one === 'string' ? note('NOTE', one) : one)),
})

/** The record of a begin line; null where the line is not what was written. */
export function parseBegun(line: Buffer): RunSummary | null {
  const begun = parseSealed<{ record: StoredRecord }>(line)
  return begun && toRecord(begun.record)
}

/** A whole end line; null where it is not what was written. */
export function parseEnd(line: Buffer): EndLine | null {
  const end = parseSealed<Omit<EndLine, 'record'> & { record: StoredRecord }>(line)
  return end && { ...end, record: toRecord(end.record) }
}

/** The record of an end line without its `out`. A `"` inside a JSON string is always escaped, so the field is found by its text alone. */
export function parseEndRecord(line: Buffer): RunSummary | null {
  if (!isSealed(line)) return null
  const text = line.toString('utf8', SEAL)
  const at = text.indexOf(OUT_KEY)
  return toRecord(JSON.parse(at < 0 ? text : `${text.slice(0, at)}}`).record)
}

/** What a line is, by its first bytes. */
export interface LineHead {
  /** header, begin, end, swept, key, key freed; null: the line is not what was written */
  kind: 'h' | 'b' | 'e' | 's' | 'k' | 'f' | null
  id: string
  status: RunStatus
  /** is there anything in runs/ for it? */
  files: boolean
  key: RunKey | null
  /** of a header */
  first: number
  /** bytes from the start of the segment, and of the line without its newline */
  offset: number
  length: number
}

const HEAD =
  /^\{"(?:h":true,"first":(\d+)|([beskf])":"([0-9a-z]{26})"(?:,"status":"([a-z_]+)"(,"files":true)?|(,"key":))?)/
const HEAD_BYTES = 80
const ID_AT = SEAL + '{"e":"'.length

/** The key's fields stand before the record. */
function parseKey(line: Buffer): RunKey {
  const text = line.toString('utf8', SEAL)
  const { key, digest } = JSON.parse(`${text.slice(0, text.indexOf(',"record":'))}}`)
  return { key, digest }
}

function toHead(line: Buffer, offset: number): LineHead {
  const match = isSealed(line) ? HEAD.exec(line.toString('latin1', SEAL, HEAD_BYTES)) : null
  const [, first, kind = 'h', found = '', status, files, key] = match ?? []
  return {
    kind: match && (first !== undefined || isRunId(found)) ? (kind as LineHead['kind']) : null,
    // a text of its own: what is cut from another keeps all of that in memory
    id: line.toString('latin1', ID_AT, ID_AT + found.length),
    status: statuses.find((one) => one === status) ?? 'running',
    files: files !== undefined,
    key: key === undefined ? null : parseKey(line),
    first: Number(first ?? 0),
    offset,
    length: line.length,
  }
}

/** The lines of a file by their first bytes alone; the very last may lack its newline. */
export function* scanLines(file: Buffer): Generator<LineHead> {
  for (let offset = 0, end = 0; offset < file.length; offset = end + 1) {
    end = file.indexOf(10, offset)
    if (end < 0) end = file.length
    if (end > offset) yield toHead(file.subarray(offset, end), offset)
  }
}
