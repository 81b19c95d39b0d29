import type { SocketClass } from './socket.ts'
import type {
  ApprovalAnswer,
  AttachOptions,
  DialectAnswer,
  DialectTool,
  Approvals,
  PolicyCheck,
  EditedFile,
  FileEdit,
  FileEntry,
  FileFacts,
  FileLines,
  FilePiece,
  FoundLines,
  PatchedFiles,
  Health,
  HistoryQuery,
  OutputEvent,
  RunEvent,
  SearchOptions,
  RunOptions,
  RunRecord,
  RunSummary,
  WatchEvent,
} from './types.ts'

/** The service's address, the token, and how to connect. */
export interface ConnectOptions {
  /** http://127.0.0.1:8029 */
  url: string
  token: string
  /** (default: the platform's) */
  fetch?: typeof fetch
  /** (default: the platform's; the entry point for Node supplies one for Node 20, which has none) */
  WebSocket?: SocketClass
  /** sent with every request */
  headers?: Record<string, string>
  /** how long to try to reconnect, in milliseconds (default: 120000) */
  reconnectMs?: number
}

/** A run that the client follows. */
export interface Run {
  readonly id: string
  /** Yields the run's events in order, to a single reader, once. When the reader stops, the client leaves the run. Throws PhoneError: unreachable, gap … */
  events(): AsyncGenerator<RunEvent, void>
  /** Like `events`, but yields only output. */
  output(): AsyncGenerator<OutputEvent, void>
  /** Resolves with the run's record when the run has ended. Discards the events if nobody reads them. */
  readonly result: Promise<RunRecord>
  /** Writes to the run's stdin (for runs started with `stdin: 'open'`). Resolves when the data is sent; waits while the command does not read. */
  write(data: string | Uint8Array): Promise<void>
  /** Resolves when the command has accepted everything that was written, or reads no more. */
  flush(): Promise<void>
  /** Closes the run's stdin. */
  end(): void
  /** Stops following the run; the events end for their reader. */
  leave(): void
  cancel(): Promise<'cancel_requested' | 'already_finished'>
  /** Sends a signal. Rejects with `conflict` if the run has not started or has ended. */
  signal(name: string): Promise<void>
  /** Resizes the run's terminal. Rejects with `conflict` if the run has not started or has ended. */
  resize(size: { rows: number; columns: number }): Promise<void>
}

/** The data of an upload. It can be read from any offset, so that an interrupted upload can resume. */
export interface FileSource {
  size: number
  /** the bytes from this offset; a stream only if the platform can send streams (Node) */
  from(offset: number): Blob | AsyncIterable<Uint8Array>
  /** 1 to 128 visible ASCII characters that identify the data; an interrupted upload with the same key resumes */
  key?: string
  /** the SHA-256 of the whole data in base64, requested after the data has been read; if the uploaded file has another, the upload fails with `corrupted` */
  sha256?(): Promise<string>
}

/** Files on the phone, by absolute path or relative to the home directory (`~/notes`). An interrupted transfer resumes at the exact byte. */
export interface Files {
  /** Reads the file's metadata, with its SHA-256. */
  head(path: string): Promise<FileFacts>
  /** Yields the file's bytes in order. Throws `precondition_failed` if the file changes before all bytes have arrived. */
  get(path: string, from?: number): AsyncGenerator<FilePiece, void>
  /** Replaces the file atomically when all bytes have arrived. `ifNoneMatch: '*'`: only if the file does not exist. */
  put(
    path: string,
    data: string | Uint8Array<ArrayBuffer> | Blob | FileSource,
    options?: { mode?: string; ifMatch?: string; ifNoneMatch?: string },
  ): Promise<FileFacts>
  /** Deletes a file, a link or an empty directory. */
  delete(path: string, options?: { ifMatch?: string }): Promise<void>
  /** Yields the entries of a directory, sorted by name. */
  list(path: string): AsyncGenerator<FileEntry, void>
  /** Reads lines of a text file, from 1; at most 10 000 lines and 100 kB. */
  lines(path: string, options?: { first?: number; last?: number }): Promise<FileLines>
  /** Writes a text of at most 5 MiB if the file has this hash (`none`: if there is no file); otherwise throws PhoneError `precondition_failed`. Returns the new hash. */
  replace(path: string, text: string | Uint8Array<ArrayBuffer>, ifHash: string): Promise<string>
  /** Replaces text in a file: all edits or none. Throws PhoneError `conflict` if one does not match exactly once. */
  edit(path: string, edits: FileEdit[], options?: { ifHash?: string }): Promise<EditedFile>
  /** Searches a file, or the files below a directory, for lines that match a pattern; lists the files without one. */
  search(path: string, options?: SearchOptions): Promise<FoundLines>
  /** Applies a unified diff, or a patch from `*** Begin Patch` to `*** End Patch`: all changes or none. `directory`: of its relative paths. */
  patch(patch: string, directory?: string): Promise<PatchedFiles>
}

/** Receives the progress of a copy. */
export interface CopyProgress {
  /** the copy of this file starts from its first byte; `total`: its size in bytes, or null if unknown */
  begin(name: string, total: number | null): void
  /** this many bytes of the file have been copied */
  at(bytes: number): void
}

/** Packs and unpacks tar archives of directories. */
export interface Archives {
  /** Packs the entries that sort after the name `after`; '': all. `notes()`: the entries skipped so far, one sentence each. */
  pack(path: string, after: string): { pieces: AsyncIterable<Uint8Array>; notes(): string[] }
  /** Unpacks an archive. `temporary`: a name in the directory for the incomplete file. Calls `onEntry` with each complete name. */
  unpack(
    path: string,
    unpacking: { bytes: AsyncIterable<Uint8Array>; temporary: string; onEntry(name: string): void },
  ): Promise<unknown>
  /** Returns the one of the two names that comes later in an archive. */
  furthest(before: string, name: string): string
}

/**
 * Copies between this machine's disk and the phone's; Node only. An interrupted copy resumes. A file gets its name and mode only when it
 * is complete. The results list the entries that were skipped or could not be compared with the original, one sentence each. Throws
 * PhoneError, and errors of the local disk.
 */
export interface FileCopies {
  /** Follows a local link and replaces the file that it points to. Throws `corrupted` if the received file has another SHA-256. */
  download(from: string, to: string, progress?: CopyProgress): Promise<string[]>
  downloadFolder(from: string, to: string, archives: Archives, progress?: CopyProgress): Promise<string[]>
  /** Another call resumes an interrupted upload of an unchanged file. Throws `corrupted` if the uploaded file has another SHA-256. */
  upload(from: string, to: string, progress?: CopyProgress): Promise<void>
  uploadFolder(from: string, to: string, archives: Archives, progress?: CopyProgress): Promise<string[]>
}

/** The events of a service. */
export interface Watch {
  /** Yields the events in order, to a single reader. Stops watching when the reader stops. Throws PhoneError: unreachable, unauthorized … */
  events(): AsyncGenerator<WatchEvent, void>
  /** Asks the service for a sign of life. Resolves when the next message arrives, over this connection or a later one. */
  ping(): Promise<void>
  /** Stops watching; the events end for their reader. */
  leave(): void
}

/** A request to any route. */
export interface RequestOptions {
  method?: string
  /** the query string; undefined values are omitted */
  query?: object
  /** sent as JSON */
  body?: object | undefined
  headers?: Record<string, string>
  /** the body, sent unchanged */
  raw?: RequestInit['body'] | AsyncIterable<Uint8Array>
  signal?: AbortSignal
  /** true: return unsuccessful responses instead of throwing (default: false) */
  anyStatus?: boolean
}

/** A client for the runs of a service. Every method throws PhoneError, with type `unreachable` if no response arrives. */
export interface RunPhone {
  /** Runs a short command to its end. It is canceled if the connection is lost, and its output is cut to `max_length`. */
  exec(command: string, options?: RunOptions): Promise<RunRecord>
  /**
   * Starts a command and follows its complete output, reconnecting as needed. The service cancels it 30 s after it last saw this client,
   * except with `background: true`.
   */
  run(command: string, options?: RunOptions): Promise<Run>
  /** Follows an existing run from the given offsets. */
  attach(id: string, options?: AttachOptions): Promise<Run>
  /** Reads the record of a run; waits up to `waitSeconds` (at most 300) for the run to end. */
  record(id: string, waitSeconds?: number): Promise<RunRecord>
  /** Lists runs, newest first. */
  history(query?: HistoryQuery): Promise<RunSummary[]>
  cancel(id: string): Promise<'cancel_requested' | 'already_finished'>
  /** Sends a signal by name, such as SIGINT, to the run's process group. */
  signal(id: string, signal: string): Promise<void>
  /** Returns the decision that a command would get, and why, without running it. `policy`: settings to assume. */
  check(command: string, policy?: Record<string, unknown>, options?: RunOptions): Promise<PolicyCheck>
  approvals(): Promise<Approvals>
  /** Follows every transition of every run, and every approval request and its answer; `runs: false`: approvals only. */
  watch(options?: { runs?: boolean }): Watch
  /** Answers an approval request; `always` saves the answer for identical requests. */
  answer(id: string, decision: 'approve' | 'deny', scope?: 'once' | 'always'): Promise<ApprovalAnswer>
  /** Lists the tools of other agents that this service provides, each with the JSON Schema of its arguments. */
  dialects(): Promise<DialectTool[]>
  /** Calls another agent's tool with its own arguments. Resolves also if the tool refused them or the command was denied (`is_error`). */
  execDialect(dialect: string, given: object): Promise<DialectAnswer>
  health(): Promise<Health>
  /** Sends a request to any route. */
  request(path: string, options?: RequestOptions): Promise<Response>
}

/** The client of a service: runs and files. */
export interface Phone extends RunPhone {
  readonly files: Files
}
