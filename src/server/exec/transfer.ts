import type { Artifact, FileChange, Note, SandboxName } from '../../shared/schema/index.ts'

/**
 * The actions on files, each with an equivalent command, which the policy judges, people approve and history records. To add an action, add
 * a row.
 */
export const acts = {
  read: { words: 'cat', writes: false, stdin: false },
  digest: { words: 'sha256sum', writes: false, stdin: false },
  list: { words: 'ls -al', writes: false, stdin: false },
  tree: { words: 'ls -R', writes: false, stdin: false },
  pack: { words: 'tar -cf -', writes: false, stdin: false },
  write: { words: 'tee', writes: true, stdin: true },
  unpack: { words: 'tar -xf - -C', writes: true, stdin: true },
  remove: { words: 'rm', writes: true, stdin: false },
  removeDirectory: { words: 'rmdir', writes: true, stdin: false },
  save: { words: 'tee', writes: true, stdin: false },
  edit: { words: "sed -i ''", writes: true, stdin: false },
  search: { words: 'rg -n -e', writes: false, stdin: false },
  find: { words: 'rg --files', writes: false, stdin: false },
}

/** One file or directory of a transfer, and what happens to it. */
export interface TransferTarget {
  act: keyof typeof acts
  /** the absolute path, with all links resolved */
  path: string
  /** the argument of the equivalent command before the path, such as a pattern */
  argument?: string
}

/** A file transfer: a run without a process, which `work` performs. */
export interface Transfer {
  /** at least one; the policy judges all of them together, as one script with a line for each */
  targets: TransferTarget[]
  sandbox?: SandboxName | undefined
  /** bytes of content that the transfer holds in memory until it ends (default: 0) */
  heldBytes?: number
  /** What the transfer would change, for the person who has to approve it. Throws ShellphoneError if the change cannot be made. */
  preview?(context: TransferContext): Promise<FileChange[]>
  /** Called once the transfer is allowed. Resolves with how it ended; throws ShellphoneError for errors in the request. */
  work(context: TransferContext): Promise<TransferResult>
}

/** The inputs of `work`. */
export interface TransferContext {
  /** the id of the run */
  id: string
  canceled: AbortSignal
  /** the transfer refuses larger files; null: no limit */
  maxFileBytes: number | null
  /** whether the transfer may not access this path */
  hides(path: string): boolean
  /** null: this service runs no helpers */
  runHelper: RunHelper | null
}

/** A program that only reads, for the work of a transfer. */
interface HelperCall {
  /** its absolute path, and its arguments */
  argv: string[]
  cwd: string
  stdin: Buffer
  timeoutMs: number
  maxOutputBytes: number
}

/** Runs a helper. Returns its stdout if it exited with 0 within its limits, otherwise null; also if there is no free slot for it. */
export type RunHelper = (call: HelperCall) => Promise<Buffer | null>

export interface TransferResult {
  ending: 'completed' | 'canceled'
  /** the files that were moved: path, bytes, and sha256 if the whole content is known */
  artifacts: Artifact[]
  notes: Note[]
  /** the text of the result, which becomes the stdout of the run */
  text?: string
}
