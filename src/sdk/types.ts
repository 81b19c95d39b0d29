import type { paths } from './openapi.d.ts'

/** What the service answers to a request, as its contract has it. */
type ResponseOf<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Given } } }
  ? NonNullable<Given>
  : never

/** The fields of POST /exec, without the command. */
export type RunOptions = Omit<paths['/exec']['post']['requestBody']['content']['application/json'], 'command'>
/** A run as it is, or as it ended. */
export type RunRecord = ResponseOf<'/runs/{id}', 'get'>
/** The same without output. */
export type RunSummary = ResponseOf<'/runs', 'get'>['runs'][number]
export type RunStatus = RunRecord['status']
/** What a person should know of a run: go by the code, and show the text. A newer service may know more codes. */
export type Note = RunRecord['notes'][number]
/** Which runs: `status`, `q` (part of the command), `limit`, `before` (an id). */
export type HistoryQuery = Query<'/runs'>
/** What would be decided, and which guard says so. */
export type PolicyCheck = ResponseOf<'/policy/check', 'post'>
/** Questions that wait for a person, and answers that were given for always. */
export type Approvals = ResponseOf<'/approvals', 'get'>
/** One that waits. */
export type PendingApproval = Approvals['approvals'][number]
/** One that was saved for always. */
export type SavedRule = Approvals['rules'][number]
/** What a person said. */
export type ApprovalAnswer = ResponseOf<'/approvals/{id}', 'post'>
/** Whether it is well, and what it can do. */
export type Health = ResponseOf<'/health', 'get'>

/** A page of a directory. */
export type FileList = ResponseOf<'/files', 'get'>
/** One name of it. */
export type FileEntry = FileList['entries'][number]

/** A file as it is; of a directory only that it is one. */
export interface FileFacts {
  type: 'file' | 'directory'
  bytes: number
  /** permissions, octal */
  mode: string | null
  modified_at: string | null
  /** another one as soon as the file is another, or is changed */
  etag: string | null
  /** base64 */
  sha256: string | null
}

/** Some bytes of a file, and where they stand in it. */
export interface FilePiece {
  offset: number
  bytes: Uint8Array<ArrayBuffer>
  /** of the whole file */
  total: number
}

/** Battery, network and storage, at most a minute old. */
export type PhoneStatus = ResponseOf<'/phone', 'get'>
/** Five seconds of the service. */
export type LoadSample = ResponseOf<'/load', 'get'>['samples'][number]
/** One setting as it is. */
export type Setting = ResponseOf<'/settings', 'get'>['settings'][number]
/** What is wrong there, and what to do. */
export type DoctorReport = ResponseOf<'/doctor', 'get'>
/** A token without its secret. */
export type NamedToken = ResponseOf<'/tokens', 'get'>['tokens'][number]
/** Somebody who is there. */
export type Connection = ResponseOf<'/connections', 'get'>['connections'][number]

/** A token for this side, told once, and what it allows. */
export type NewToken = paths['/pair']['post']['responses'][201]['content']['application/json']

/**
 * What happens on the service, all that lives and waits first: anew on each connection. `refused`: this token is told nothing of
 * questions.
 */
export type WatchEvent =
  | { type: 'connected' | 'disconnected' }
  | { type: 'run'; run: RunSummary }
  | { type: 'approval_requested'; approval: PendingApproval }
  | ({ type: 'approval_decided'; id: string; run_id: string } & ApprovalAnswer)
  | { type: 'refused'; message: string }

/** Byte offsets of the two streams, to go on from. */
export interface Offsets {
  stdout: number
  stderr: number
}

/** A piece of output: bytes as they came, and where they stand in their stream. */
export interface OutputEvent {
  type: 'output'
  stream: 'stdout' | 'stderr'
  offset: number
  /** where a reader that has this goes on */
  next_offset: number
  bytes: Uint8Array<ArrayBuffer>
}

/** Output that is no longer stored, between what was read before and what comes next. */
export interface GapEvent {
  type: 'gap'
  stream: 'stdout' | 'stderr'
  /** byte offset of the first missing byte */
  offset: number
  /** byte offset at which the output goes on */
  next_offset: number
}

/** How a run that exists is followed. */
export interface AttachOptions extends Partial<Offsets> {
  /** true: only watch. A run with `when_full: wait` does not wait for this reader (default: false) */
  observe?: boolean
  /** what happens where output is no longer stored: `throw` ends the events with the error `gap`, `report` is an event, and they go on (default: throw) */
  gaps?: 'throw' | 'report'
}

/** What happens to a run, in order: each status once, a note where it waits for a person, that its stdin is open, output, at last its result. */
export type RunEvent =
  | { type: 'status'; id: string; status: RunStatus }
  | { type: 'note'; id: string; note: Note; approval: { id: string; expires_at: string } }
  | { type: 'stdin_open'; id: string }
  | OutputEvent
  | GapEvent
  | ({ type: 'result' } & RunRecord)
