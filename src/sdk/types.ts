import type { paths } from './openapi.d.ts'

/** The body of a successful response, from openapi.yaml. */
type ResponseOf<Path extends keyof paths, Method extends keyof paths[Path]> = paths[Path][Method] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never
type Query<Path extends keyof paths> = paths[Path] extends { get: { parameters: { query?: infer Parameters } } }
  ? NonNullable<Parameters>
  : never

/** The fields of POST /exec except the command. */
export type RunOptions = Omit<paths['/exec']['post']['requestBody']['content']['application/json'], 'command'>
/** A run in its current or final state. */
export type RunRecord = ResponseOf<'/runs/{id}', 'get'>
/** A run without its output. */
export type RunSummary = ResponseOf<'/runs', 'get'>['runs'][number]
export type RunStatus = RunRecord['status']
/** Something that a person should know about a run. Programs use the code and show the text. A newer service may have more codes. */
export type Note = RunRecord['notes'][number]
/** The reply of another agent's tool: `output` in the tool's own text format. */
export type DialectAnswer = ResponseOf<'/exec/{dialect}', 'post'>
/** Another agent's tool: its dialect, name, description and parameters. */
export type DialectTool = Extract<ResponseOf<'/dialects', 'get'>, { dialects: unknown[] }>['dialects'][number]
/** Selects runs: `status`, `q` (a text in the command), `limit`, `before` (an id), `own` (only the token's own runs). */
export type HistoryQuery = Query<'/runs'>
/** The decision that a command would get, and the rules behind it. */
export type PolicyCheck = ResponseOf<'/policy/check', 'post'>
/** Pending approval requests and saved approvals. */
export type Approvals = ResponseOf<'/approvals', 'get'>
/** An approval request that waits for an answer. */
export type PendingApproval = Approvals['approvals'][number]
/** An answer with scope `always`. */
export type SavedRule = Approvals['rules'][number]
/** The outcome of an approval request. */
export type ApprovalAnswer = ResponseOf<'/approvals/{id}', 'post'>
/** A session of the token: what one command passes on to the next. */
export type SessionInfo = ResponseOf<'/sessions', 'get'>['sessions'][number]
/** A webhook of the token, with its last deliveries. */
export type Webhook = ResponseOf<'/webhooks', 'get'>['webhooks'][number]
/** An event on its way to a webhook. */
export type WebhookDelivery = Webhook['deliveries'][number]
/** The state of the service, and its features. */
export type Health = ResponseOf<'/health', 'get'>

/** A page of a directory. */
export type FileList = Extract<ResponseOf<'/files', 'get'>, { entries: unknown[] }>
/** One entry of a directory. */
export type FileEntry = FileList['entries'][number]

/** Lines of a text file, with the hash of the whole file. */
export type FileLines = Exclude<ResponseOf<'/files', 'get'>, FileList>
/** One replacement in a text file: `old` must occur exactly once, unless `replace_all` is set. */
export type FileEdit = paths['/files/edit']['post']['requestBody']['content']['application/json']['edits'][number]
/** An edited file: its new hash, and the changed lines. */
export type EditedFile = ResponseOf<'/files/edit', 'post'>
/** What to search for, and where: `pattern`, `glob`, `ignore_case`, `context`, `limit`. */
export type SearchOptions = Omit<paths['/files/search']['post']['requestBody']['content']['application/json'], 'path'>
/** The files that a patch has changed. */
export type PatchedFiles = ResponseOf<'/files/patch', 'post'>
/** The lines or files that a search found. */
export type FoundLines = ResponseOf<'/files/search', 'post'>

/** The metadata of a file. For a directory, only `type` is meaningful. */
export interface FileFacts {
  type: 'file' | 'directory'
  bytes: number
  /** the permissions in octal */
  mode: string | null
  modified_at: string | null
  /** changes when the file is changed or replaced */
  etag: string | null
  /** in base64 */
  sha256: string | null
}

/** Some bytes of a file, with their offset in the file. */
export interface FilePiece {
  offset: number
  bytes: Uint8Array<ArrayBuffer>
  /** the size of the whole file */
  total: number
}

/** The state of battery, network and storage, up to a minute old. */
export type PhoneStatus = ResponseOf<'/phone', 'get'>
/** A sample of the service's load over five seconds. */
export type LoadSample = ResponseOf<'/load', 'get'>['samples'][number]
/** A setting and its current value. */
export type Setting = ResponseOf<'/settings', 'get'>['settings'][number]
/** The results of the checks of the phone and the service, and how to fix problems. */
export type DoctorReport = ResponseOf<'/doctor', 'get'>
/** A token without its secret. */
export type NamedToken = ResponseOf<'/tokens', 'get'>['tokens'][number]
/** A connected client. */
export type Connection = ResponseOf<'/connections', 'get'>['connections'][number]

/** An event of the access log. */
export type AccessEvent = ResponseOf<'/access-log', 'get'>['events'][number]

/** A token for this client, which is shown once, with its rights. */
export type NewToken = paths['/pair']['post']['responses'][201]['content']['application/json']

/**
 * An event of the service. Each connection first repeats all live runs and pending approvals. `refused`: this token may not receive
 * this kind of event.
 */
export type WatchEvent =
  | { type: 'connected' | 'disconnected' }
  | { type: 'run'; run: RunSummary }
  | { type: 'approval_requested'; approval: PendingApproval }
  | ({ type: 'approval_decided'; id: string; run_id: string } & ApprovalAnswer)
  | { type: 'refused'; message: string }

/** The byte offsets of the two streams at which to resume. */
export interface Offsets {
  stdout: number
  stderr: number
}

/** A piece of output: unchanged bytes, with their offset in the stream. */
export interface OutputEvent {
  type: 'output'
  stream: 'stdout' | 'stderr'
  offset: number
  /** the offset to resume from after this piece */
  next_offset: number
  bytes: Uint8Array<ArrayBuffer>
}

/** A part of the output that the service no longer stores. */
export interface GapEvent {
  type: 'gap'
  stream: 'stdout' | 'stderr'
  /** the offset of the first missing byte */
  offset: number
  /** the offset of the byte at which the output continues */
  next_offset: number
}

/** How to follow an existing run. */
export interface AttachOptions extends Partial<Offsets> {
  /** true: only observe, so that a run with `when_full: wait` does not wait for this reader (default: false) */
  observe?: boolean
  /** what to do about output that is no longer stored: `throw` ends the events with the error `gap`; `report` yields a `gap` event and continues (default: throw) */
  gaps?: 'throw' | 'report'
}

/** The events of a run, in order: `disconnected` when the connection is lost and a first attempt to reconnect has failed, then `connected`; each status once, a note while the run waits for approval, `stdin_open`, output, and finally its result. */
export type RunEvent =
  | { type: 'status'; id: string; status: RunStatus }
  | { type: 'note'; id: string; note: Note; approval: { id: string; expires_at: string } }
  | { type: 'stdin_open'; id: string }
  | { type: 'connected' | 'disconnected' }
  | OutputEvent
  | GapEvent
  | ({ type: 'result' } & RunRecord)
