import type { SocketClass } from './socket.ts'
import type {
  ApprovalAnswer,
  AttachOptions,
  Approvals,
  PolicyCheck,
  FileEntry,
  FileFacts,
  FilePiece,
  Health,
  HistoryQuery,
  OutputEvent,
  RunEvent,
  RunOptions,
  RunRecord,
  RunSummary,
  WatchEvent,
} from './types.ts'

/** Where a service is, who asks, and by what. */
export interface ConnectOptions {
  /** http://127.0.0.1:8029 */
  url: string
  token: string
  /** the platform's, unless another is given */
  fetch?: typeof fetch
  /** the platform's, unless another is given: Node 20 has none, and our entry for Node gives it one */
  WebSocket?: SocketClass
  /** sent with every request */
  headers?: Record<string, string>
  /** how long a lost connection is tried again before it is given up: 2 minutes */
  reconnectMs?: number
}

/** A run that is followed. */
export interface Run {
  readonly id: string
  /** What happens to it, in order; for one reader, once. Who stops reading leaves it. Throws PhoneError: unreachable, gap … */
  events(): AsyncGenerator<RunEvent, void>
  /** Its output alone. */
  output(): AsyncGenerator<OutputEvent, void>
  /** Its record, when it has ended; where nobody reads its events, they are thrown away. */
  readonly result: Promise<RunRecord>
  /** Feeds its stdin (started with `stdin: 'open'`); resolves when that is on its way, and waits for the command to read. */
  write(data: string | Uint8Array): Promise<void>
  /** Its stdin ends. */
  end(): void
  /** Follows it no longer: what reads its events comes to their end. */
  leave(): void
  cancel(): Promise<'cancel_requested' | 'already_finished'>
  signal(name: string): Promise<void>
  /** of its terminal */
  resize(size: { rows: number; columns: number }): Promise<void>
}

/** What is sent: it must be there again from any byte on, for what a lost connection cut. */
export interface FileSource {
  size: number
  /** its bytes from there on; a stream, where the platform can send one (Node) */
  from(offset: number): Blob | AsyncIterable<Uint8Array>
  /** The same for the same bytes, 1 to 128 visible ASCII characters: an upload that was left earlier goes on. */
  key?: string
  /** base64, of all of it, once it has been read: an upload that arrives otherwise is `corrupted` */
  sha256?(): Promise<string>
}

/** Files there, by absolute path or from the home on (`~/notes`). What is cut goes on at the byte where it broke. */
export interface Files {
  /** What it is, with its sha256. */
  head(path: string): Promise<FileFacts>
  /** Its bytes in order. Throws `precondition_failed` where it is another file before all of it has come. */
  get(path: string, from?: number): AsyncGenerator<FilePiece, void>
  /** Writes it in one step: until all of it is there, what had the name is as it was. `ifNoneMatch: '*'`: only where there is nothing. */
  put(
    path: string,
    data: string | Uint8Array<ArrayBuffer> | Blob | FileSource,
    options?: { mode?: string; ifMatch?: string; ifNoneMatch?: string },
  ): Promise<FileFacts>
  /** A file, a link or an empty directory. */
  delete(path: string, options?: { ifMatch?: string }): Promise<void>
  /** What is in a directory, by name. */
  list(path: string): AsyncGenerator<FileEntry, void>
}

/** Hears how far a copy is. */
export interface CopyProgress {
  /** what is moved now, from its first byte; `total` null: not known */
  begin(name: string, total: number | null): void
  /** so many bytes of it are there */
  at(bytes: number): void
}

/** What makes and reads tar archives of directories. */
export interface Archives {
  /** What sorts behind the name `after` in the directory; '': all. `notes()`: what was left out of the pieces that were read. */
  pack(path: string, after: string): { pieces: AsyncIterable<Uint8Array>; notes(): string[] }
  /** `temporary`: a name in the directory for what is not whole; `onEntry` hears of each name that is whole. */
  unpack(
    path: string,
    unpacking: { bytes: AsyncIterable<Uint8Array>; temporary: string; onEntry(name: string): void },
  ): Promise<unknown>
  /** The later of two names that archives come to. */
  furthest(before: string, name: string): string
}

/**
 * Copies between the disk of this machine and that of a service, Node alone. What is cut goes on where it was, and has its name, with its
 * mode, only when it is whole. What comes back says what was left out, or could not be compared with the original. Throws PhoneError, and
 * the errors of this side's disk.
 */
export interface FileCopies {
  /** A link here is followed: the file it points to is replaced. Throws `corrupted` where another SHA-256 arrived. */
  download(from: string, to: string, progress?: CopyProgress): Promise<string[]>
  downloadFolder(from: string, to: string, archives: Archives, progress?: CopyProgress): Promise<string[]>
  /** One that was ended goes on when it is called again, while the file is the same. Throws `corrupted` where another SHA-256 arrived. */
  upload(from: string, to: string, progress?: CopyProgress): Promise<void>
  uploadFolder(from: string, to: string, archives: Archives, progress?: CopyProgress): Promise<string[]>
}

/** What happens on a service, while somebody watches. */
export interface Watch {
  /** In order; for one reader, who leaves by no longer reading. Throws PhoneError: unreachable, unauthorized … */
  events(): AsyncGenerator<WatchEvent, void>
  /** Watches no longer: what reads the events comes to their end. */
  leave(): void
}

/** A request by hand. */
export interface RequestOptions {
  method?: string
  /** of the address, without what is undefined */
  query?: object
  /** sent as JSON */
  body?: object | undefined
  headers?: Record<string, string>
  /** sent as it is */
  raw?: RequestInit['body'] | AsyncIterable<Uint8Array>
  signal?: AbortSignal
  /** true: an answer that is no success is one, too, whose body says why (default: false) */
  anyStatus?: boolean
}

/** A service and its runs. Every verb throws PhoneError where there is no answer to be had. */
export interface RunPhone {
  /** Runs a command to its end. For short ones: it ends with the connection, and its output is cut to `max_length`. */
  exec(command: string, options?: RunOptions): Promise<RunRecord>
  /**
   * Starts a command whose output is followed, whole, over as many connections as it takes; it ends 30 s after this side was last seen.
   * With `background: true` it goes on without.
   */
  run(command: string, options?: RunOptions): Promise<Run>
  /** A run that there is, from these offsets on. */
  attach(id: string, options?: AttachOptions): Promise<Run>
  /** Its record; with `waitSeconds` (up to 300) when it has ended. */
  record(id: string, waitSeconds?: number): Promise<RunRecord>
  /** Newest first. */
  history(query?: HistoryQuery): Promise<RunSummary[]>
  cancel(id: string): Promise<'cancel_requested' | 'already_finished'>
  /** A named signal to the process group: SIGINT. */
  signal(id: string, signal: string): Promise<void>
  /** What would be decided, and why; runs nothing. `policy`: settings to suppose. */
  check(command: string, policy?: Record<string, unknown>, options?: RunOptions): Promise<PolicyCheck>
  approvals(): Promise<Approvals>
  /** Every step of every run, every question and its answer; `runs: false`: questions alone. */
  watch(options?: { runs?: boolean }): Watch
  /** Answers a question; `always` for the very same one from now on, too. */
  answer(id: string, decision: 'approve' | 'deny', scope?: 'once' | 'always'): Promise<ApprovalAnswer>
  health(): Promise<Health>
  /** Any other route. */
  request(path: string, options?: RequestOptions): Promise<Response>
}

/** The same with its files: a service, as a program sees it. */
export interface Phone extends RunPhone {
  readonly files: Files
}
