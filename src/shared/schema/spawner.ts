import type { Finding } from './decision.ts'
import type { Note } from './note.ts'
import type { SandboxName, WindowSize } from './request.ts'

/**
 * The small interface between the pool and whatever turns a script into a process.
 * `child_process` and the resident launcher are two of them; the pool is handed one as a value.
 */

export type Stream = 'stdout' | 'stderr'

/** What the kernel must forbid the command. */
export interface Sandbox {
  name: SandboxName
  /** false: no network (TCP, UDP, raw) inside the sandbox. */
  network: boolean
  /** absolute folders that stay writable in `workspace-write` */
  writable: string[]
  /** absolute folders that must not even be readable (the service's own home) */
  hidden: string[]
}

/** Ceilings for one command; null: as the service has it. */
export interface Limits {
  cpuSeconds: number | null
  addressSpaceBytes: number | null
  processes: number | null
  openFiles: number | null
  fileSizeBytes: number | null
  nice: number | null
  oomScoreAdj: number | null
}

/** No ceiling at all. */
export const noLimits: Limits = {
  cpuSeconds: null,
  addressSpaceBytes: null,
  processes: null,
  openFiles: null,
  fileSizeBytes: null,
  nice: null,
  oomScoreAdj: null,
}

export interface SpawnRequest {
  /** the script, up to 1 MiB (longer than one argv string of 128 KiB can be) */
  script: string
  /** absolute path of the shell */
  shell: string
  /** absolute path of an existing directory */
  cwd: string
  /** the environment but for PWD (which is `cwd`) and the mark; not changed any more: an encoding of it is kept */
  env: Record<string, string>
  /** the value of MARK_NAME: `<home key>.<instance>.<random>`, unguessable */
  mark: string
  /** `pipe`: the caller writes and closes it; `null`: /dev/null */
  stdin: 'null' | 'pipe'
  /** in a terminal of this size, whose output is all stdout; stdin must be `pipe`, and its end is Ctrl-D. null: pipes */
  terminal: WindowSize | null
  sandbox: Sandbox
  limits: Limits
}

/** How the shell itself ended. Exactly one of the two is not null, except when the spawner died: both null, `note` says so. */
export interface ShellExit {
  exitCode: number | null
  signal: string | null
  /** when something other than the command ended it (a limit, the launcher's death) */
  note?: Note
  /** its deadline came and was not kept by whoever had set it */
  timedOut?: true
}

export interface SpawnEvents {
  /** a chunk as it was read; the buffer is the receiver's to keep */
  onOutput(stream: Stream, chunk: Buffer): void
}

/** What ending a tree achieved: processes ended beside the shell itself, and the pids that would not die. */
export interface TreeEnd {
  ended: number
  survivors: number[]
}

export interface Child {
  /** the shell's pid, which is also its process group; 0: nobody knows whether it was started */
  readonly pid: number
  /** resolves once, when the shell itself has exited; never rejects */
  readonly exited: Promise<ShellExit>
  /** resolves when both output pipes are at their end (or were detached); never rejects */
  readonly closed: Promise<void>
  /** resolves when the bytes are taken; false when stdin is closed. Bounded: the caller waits before it writes more. */
  write(data: Buffer): Promise<boolean>
  endStdin(): void
  /** flow control: stop and resume reading both pipes */
  pause(): void
  resume(): void
  /** stop reading for good and close our ends of the pipes; nothing is delivered afterwards */
  detach(): void
  /** the terminal has this size from now on; false when nothing is left that could see it */
  resize(size: WindowSize): boolean
  /** send a named signal to the process group (in a terminal to the one in front); false when nothing is left to get it */
  signal(name: NodeJS.Signals): boolean
  /** is anything of the tree alive beside the shell? (group, session, parent links, mark) */
  leftBehind(): Promise<number[]>
  /** SIGTERM (in a terminal SIGHUP, as when it is closed) to the whole tree, `graceMs` later SIGKILL, rescanned until empty or given up. `graceMs` 0: SIGKILL at once. */
  end(graceMs: number): Promise<TreeEnd>
}

/** When a run must be over although nobody says so: its shell lives so long, and its tree so much longer once it was asked to end. */
export interface Deadline {
  afterMs: number
  graceMs: number
}

export interface Spawner {
  readonly name: 'child_process' | 'launcher'
  /** What ending a run cannot promise, in a sentence; null: when it says that nothing is left, nothing is. */
  readonly bestEffort: string | null
  /** What has gone wrong with it and was mended, in words for the owner; null: nothing. */
  trouble(): string | null
  /** Whether whatever a run has started descends from this process for as long as it lives. Once false, it stays so. */
  keepsAll(): boolean
  /** Rejects with a plain Error when the system refuses to start a process. Who can, keeps the deadline even while this process cannot. */
  spawn(request: SpawnRequest, events: SpawnEvents, deadline?: Deadline): Promise<Child>
  close(): Promise<void>
}

/** The environment variable that marks every process of a run. Not SHELLPHONE_*: those never reach a command. */
export const MARK_NAME = 'EXEC_MARK'

/** What was collected of one stream. Head and tail never overlap: `bytes - head.length - tail.length` bytes between them are left out. */
export interface Collected {
  /** all that came */
  bytes: number
  /** the newlines in all that came */
  lines: number
  /** the first bytes */
  head: Buffer
  /** what follows the head, or the last bytes where not all was collected */
  tail: Buffer
}

/**
 * What a reply is made of, and made again from later: both streams, how their bytes become text, and of a command that was denied what the
 * guards said that decided.
 */
export interface CollectedOutput {
  encoding: 'utf8' | 'base64'
  stdout: Collected
  stderr: Collected
  guards: Finding[]
}

/** How one of the service's own tools ended. `killed`: at the time limit or by the signal; `not_started`: the system refused, and `stderr` says why. */
export interface ToolEnd {
  ending: 'exited' | 'killed' | 'not_started'
  exitCode: number | null
  stdout: string
  stderr: string
}
