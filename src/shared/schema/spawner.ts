import type { Finding } from './decision.ts'
import type { Note } from './note.ts'
import type { SandboxName, WindowSize } from './request.ts'

/**
 * The interface between the pool and the code that turns a script into a process.
 * `child_process` and the resident launcher implement it; the pool receives one of them.
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

/** Limits for one command; null: as the service has it. */
export interface Limits {
  cpuSeconds: number | null
  addressSpaceBytes: number | null
  processes: number | null
  openFiles: number | null
  fileSizeBytes: number | null
  nice: number | null
  oomScoreAdj: number | null
}

/** No limits. */
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
  /** the environment except PWD (which is `cwd`) and the mark; must not change afterwards, because its encoding is cached */
  env: Record<string, string>
  /** the value of MARK_NAME: `<home key>.<instance>.<random>`, unguessable */
  mark: string
  /** `pipe`: the caller writes and closes it; `null`: /dev/null */
  stdin: 'null' | 'pipe'
  /** run in a terminal of this size, whose output is all stdout; stdin must be `pipe`, and its end is Ctrl-D. null: pipes */
  terminal: WindowSize | null
  sandbox: Sandbox
  limits: Limits
}

/** How the shell itself ended. Exactly one of the two is not null; if the spawner died, both are null and `note` says so. */
export interface ShellExit {
  exitCode: number | null
  signal: string | null
  /** if something other than the command ended it (a limit, the launcher's death) */
  note?: Note
  /** its deadline passed and the process that had set it did not enforce it */
  timedOut?: true
}

export interface SpawnEvents {
  /** a chunk as it was read; the receiver may keep the buffer */
  onOutput(stream: Stream, chunk: Buffer): void
}

/** The result of killing a process tree: the number of processes killed besides the shell, and the pids that survived. */
export interface TreeEnd {
  ended: number
  survivors: number[]
}

export interface Child {
  /** the shell's pid, which is also its process group; 0: not known whether it was started */
  readonly pid: number
  /** resolves once, when the shell itself has exited; never rejects */
  readonly exited: Promise<ShellExit>
  /** resolves when both output pipes reached their end (or were detached); never rejects */
  readonly closed: Promise<void>
  /** resolves with true when the bytes are taken, false when stdin is closed. Bounded: the caller waits before it writes more. */
  write(data: Buffer): Promise<boolean>
  endStdin(): void
  /** flow control: stop and resume reading both pipes */
  pause(): void
  resume(): void
  /** stop reading for good and close our ends of the pipes; nothing is delivered afterwards */
  detach(): void
  /** resizes the terminal; false if nothing is left that could see it */
  resize(size: WindowSize): boolean
  /** send a named signal to the process group (in a terminal to the foreground group); false if nothing is left to receive it */
  signal(name: NodeJS.Signals): boolean
  /** whether any process of the tree besides the shell is alive (group, session, parent links, mark) */
  leftBehind(): Promise<number[]>
  /** SIGTERM (in a terminal SIGHUP, as when it is closed) to the whole tree, SIGKILL `graceMs` later, rescanned until it is empty or given up. `graceMs` 0: SIGKILL at once. */
  end(graceMs: number): Promise<TreeEnd>
}

/** When a run must end although nobody cancels it: the maximum lifetime of its shell, and how long its tree may take to end after that. */
export interface Deadline {
  afterMs: number
  graceMs: number
}

export interface Spawner {
  readonly name: 'child_process' | 'launcher'
  /** A sentence about what killing a run cannot guarantee; null: when it reports that nothing is left, nothing is. */
  readonly bestEffort: string | null
  /** A warning for the owner about a problem that the spawner has recovered from; null: none. */
  warning(): string | null
  /** Whether every process of a run descends from this process while it lives. Once false, it stays false. */
  keepsAll(): boolean
  /** Rejects with a plain Error if the system refuses to start a process. A spawner that can enforces the deadline even while this process cannot. */
  spawn(request: SpawnRequest, events: SpawnEvents, deadline?: Deadline): Promise<Child>
  close(): Promise<void>
}

/** The environment variable that marks every process of a run. Not SHELLPHONE_*: those never reach a command. */
export const MARK_NAME = 'EXEC_MARK'

/** The collected output of one stream. Head and tail never overlap: `bytes - head.length - tail.length` bytes between them are left out. */
export interface Collected {
  /** all bytes received */
  bytes: number
  /** newlines in all bytes received */
  lines: number
  /** the first bytes */
  head: Buffer
  /** what follows the head, or the last bytes if not everything was collected */
  tail: Buffer
}

/**
 * What a response is built from, and can be rebuilt from later: both streams, how their bytes become text, and for a denied command the
 * findings that decided.
 */
export interface CollectedOutput {
  encoding: 'utf8' | 'base64'
  stdout: Collected
  stderr: Collected
  guards: Finding[]
}

/** How one of the service's own tools ended. `killed`: by the time limit or the signal; `not_started`: the system refused, and `stderr` says why. */
export interface ToolEnd {
  ending: 'exited' | 'killed' | 'not_started'
  exitCode: number | null
  stdout: string
  stderr: string
}
