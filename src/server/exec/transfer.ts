import type { Artifact, Note, SandboxName } from '../../shared/schema/index.ts'

/**
 * What can be done to a file, each by the command that does the same: as that it is judged, asked about and recorded. To do one more
 * thing, add a row.
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

/** A transfer of files: a run in which no process works, but `work`. */
export interface Transfer {
  act: keyof typeof acts
  /** absolute, its links resolved: `placeOf` */
  path: string
  sandbox?: SandboxName | undefined
  /** Called once it may. Resolves with how it ended; throws ShellphoneError for what the request got wrong. */
  work(allowed: Allowed): Promise<Moved>
}

/** What work goes by. */
export interface Allowed {
  /** of the run */
  id: string
  canceled: AbortSignal
  /** a file of more is too large; null: none is */
  maxFileBytes: number | null
  /** paths that it may not touch */
  hides(path: string): boolean
}

export interface Moved {
  ending: 'completed' | 'canceled'
  /** what was moved: paths, bytes, sha256 where all of it is known */
  artifacts: Artifact[]
  notes: Note[]
}
