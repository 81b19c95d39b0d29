import type { Artifact, Note, SandboxName } from '../../shared/schema/index.ts'

/**
 * The actions on files, each with an equivalent command, which the policy judges, people approve and history records. To add an action, add
 * a row.
 */
export const acts = {
  read: { words: 'cat', writes: false, stdin: false },
  digest: { words: 'sha256sum', writes: false, stdin: false },
  list: { words: 'ls -al', writes: false, stdin: false },
  pack: { words: 'tar -cf -', writes: false, stdin: false },
  write: { words: 'tee', writes: true, stdin: true },
  unpack: { words: 'tar -xf - -C', writes: true, stdin: true },
  remove: { words: 'rm', writes: true, stdin: false },
  removeDirectory: { words: 'rmdir', writes: true, stdin: false },
}

/** A file transfer: a run without a process, which `work` performs. */
export interface Transfer {
  act: keyof typeof acts
  /** the absolute path, with all links resolved */
  path: string
  sandbox?: SandboxName | undefined
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
}

export interface TransferResult {
  ending: 'completed' | 'canceled'
  /** the files that were moved: path, bytes, and sha256 if the whole content is known */
  artifacts: Artifact[]
  notes: Note[]
}
