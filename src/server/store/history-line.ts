import { crc32 } from 'node:zlib'
import {
  type Collected,
  type ExecRecord,
  type Finding,
  isRunId,
  note,
  type Note,
  type RunStatus,
  type RunSummary,
  type CollectedOutput,
  statuses,
  type Stream,
} from '../../shared/schema/index.ts'
import { streams } from './output.ts'
import type { SpoolSummary, StreamSummary } from './spool-stream.ts'

/** The Idempotency-Key of a run, and the digest of the body that came with it. */
export interface RunKey {
  key: string
  digest: string
}

/** Where the complete output of an ended run is stored: in its line, in files, or nowhere. `lines`: the number of lines, if known. */
interface StoredOutput extends Record<Stream, StreamSummary & { lines?: number | undefined }> {
  where: SpoolSummary['where']
  encoding: CollectedOutput['encoding']
}

/** Bytes in a line: as text if it encodes exactly these bytes, otherwise as base64. */
type EncodedBytes = string | { base64: string }

/** Output in the line itself: all of a small output, otherwise the ends of each stream that files do not contain completely. */
interface LineOutput extends Partial<
  Record<Stream, { head?: EncodedBytes | undefined; tail?: EncodedBytes | undefined }>
> {
  order?: number[] | undefined
  /** checksums of the files, block by block */
  sums?: Partial<Record<Stream, string>> | undefined
}

/** The first two fields come first so that they are found without parsing; `out` comes last because it is long and lists do not need it. */
export interface EndLine {
  e: string
  status: ExecRecord['status']
  /** runs/ has files for the run */
  files?: true | undefined
  record: RunSummary
  kept: StoredOutput
  /** the service stopped before the run ended */
  cutOff?: true | undefined
  /** the findings of a denied run */
  guards?: Finding[] | undefined
  out?: LineOutput | undefined
}

/** If files do not contain all of a stream, the line contains this many bytes of its end (and of its start if there is no file). */
const END_BYTES = 32_768
const OUT_KEY = ',"out":'
/** Each line starts with its CRC-32 in eight hexadecimal digits, which reveals damage. */
const SEAL = 8

function toText(bytes: Buffer): EncodedBytes {
  const text = bytes.toString()
  const isShort = JSON.stringify(text).length <= bytes.length * 2 + 2
  return isShort && Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') }
}

export const fromText = (text: EncodedBytes): Buffer =>
  typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.base64, 'base64')

function toEnds({ head, tail }: Collected, { bytes, keptBytes }: StreamSummary): LineOutput[Stream] {
  if (keptBytes === bytes) return undefined
  return {
    head: keptBytes === 0 ? toText(head.subarray(0, END_BYTES)) : undefined,
    tail: toText((tail.length === 0 ? head : tail).subarray(-END_BYTES)),
  }
}

/** All of a small output; otherwise the ends of each stream that files contain only in part. */
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

/** Builds the end line of a run. `shown`: the output that the reply was made from; null: unknown. */
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

/** Formats the fields as a line with its checksum. */
export function seal(fields: object): string {
  const line = JSON.stringify(fields)
  return `${crc32(line).toString(16).padStart(SEAL, '0')}${line}\n`
}

const isSealed = (line: Buffer): boolean =>
  Number.parseInt(line.toString('latin1', 0, SEAL), 16) === crc32(line.subarray(SEAL))

/** The fields of a line; null if its checksum does not match. */
export const parseSealed = <T>(line: Buffer): T | null =>
  isSealed(line) ? JSON.parse(line.toString('utf8', SEAL)) : null

/** The first line of a file. `first` in a segment: the number of lines before it. */
export const headerLine = (fields: object): string => seal({ h: true, ...fields })

/** The line that is written before a run starts. It is read after a crash, which ends every approval request. */
export const beginLine = ({ pending_approval: _, approval: _answer, ...record }: RunSummary, key?: RunKey): string =>
  seal({ b: record.id, key: key?.key, digest: key?.digest, record })

/** The line that is written after the files of an ended run were removed to free space. */
export const sweptLine = (runId: string): string => seal({ s: runId })

/** A step of an approval request: a run `a` of this token waits for approval, or its request has ended. */
export interface ApprovalStep {
  a: string
  answered: boolean
  token: string | undefined
  token_id: string | undefined
  /** the name of the session; undefined: none, or an older version wrote the line */
  session?: string | undefined
  at: string
}

/** The line that is written when a run begins to wait for approval, and when its request has ended. */
export const approvalLine = (step: ApprovalStep): string => seal(step)

/** The step of such a line; null if its checksum does not match. */
export const parseApproval = (line: Buffer): ApprovalStep | null => parseSealed<ApprovalStep>(line)

/** The line that is written together with a begin line that has a key; `freeLine` is written when the key is freed. */
export const keyLine = (runId: string, { key, digest }: RunKey): string => seal({ k: runId, key, digest, record: null })
export const freeLine = (runId: string): string => seal({ f: runId })

/** A record in the file: older versions stored notes as plain strings without codes. */
type StoredRecord = Omit<RunSummary, 'notes'> & { notes: (Note | string)[] }

const toRecord = (stored: StoredRecord): RunSummary => ({
  ...stored,
  notes: stored.notes.map((one) => (typeof one === 'string' ? note('NOTE', one) : one)),
})

/** The record of a begin line; null if its checksum does not match. */
export function parseBegun(line: Buffer): RunSummary | null {
  const begun = parseSealed<{ record: StoredRecord }>(line)
  return begun && toRecord(begun.record)
}

/** A complete end line; null if its checksum does not match. */
export function parseEnd(line: Buffer): EndLine | null {
  const end = parseSealed<Omit<EndLine, 'record'> & { record: StoredRecord }>(line)
  return end && { ...end, record: toRecord(end.record) }
}

/** The record of an end line without its `out`. A `"` inside a JSON string is always escaped, so a text search finds the field. */
export function parseEndRecord(line: Buffer): RunSummary | null {
  if (!isSealed(line)) return null
  const text = line.toString('utf8', SEAL)
  const at = text.indexOf(OUT_KEY)
  return toRecord(JSON.parse(at < 0 ? text : `${text.slice(0, at)}}`).record)
}

/** The facts in the first bytes of a line. */
export interface LineHead {
  /** header, begin, end, swept, key, key freed, approval; null: the line is damaged */
  kind: 'h' | 'b' | 'e' | 's' | 'k' | 'f' | 'a' | null
  id: string
  status: RunStatus
  /** whether runs/ has files for the run */
  files: boolean
  key: RunKey | null
  /** in a header: the number of lines before it */
  first: number
  /** `offset`: bytes from the start of the segment; `length`: bytes of the line without its newline */
  offset: number
  length: number
}

const HEAD =
  /^\{"(?:h":true,"first":(\d+)|([beskfa])":"([0-9a-z]{26})"(?:,"status":"([a-z_]+)"(,"files":true)?|(,"key":))?)/
const HEAD_BYTES = 80
const ID_AT = SEAL + '{"e":"'.length

/** Parses only the key's fields, which come before the record. */
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
    // a new string: a slice would keep the whole line in memory
    id: line.toString('latin1', ID_AT, ID_AT + found.length),
    status: statuses.find((one) => one === status) ?? 'running',
    files: files !== undefined,
    key: key === undefined ? null : parseKey(line),
    first: Number(first ?? 0),
    offset,
    length: line.length,
  }
}

/** Scans the first bytes of each line of a file; the last line may lack its newline. */
export function* scanLines(file: Buffer): Generator<LineHead> {
  for (let offset = 0, end = 0; offset < file.length; offset = end + 1) {
    end = file.indexOf(10, offset)
    if (end < 0) end = file.length
    if (end > offset) yield toHead(file.subarray(offset, end), offset)
  }
}
