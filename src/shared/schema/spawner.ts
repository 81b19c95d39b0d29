import type { Finding } from './decision.ts'
import type { Note } from './note.ts'
import type { SandboxName, WindowSize } from './request.ts'

/**
 * The interface between the pool and the code that turns a script into a process.
 * `child_process` and the resident launcher implement it; the pool receives one of them.
 */

export type Stream = 'stdout' | 'stderr'

/** The restrictions that the kernel must enforce on the command. */
export interface Sandbox {
  name: SandboxName
  /** false: no network (TCP, UDP, raw) inside the sandbox. */
  network: boolean
  /** absolute folders that stay writable in `workspace-write` */
  writable: string[]
  /** absolute folders that must not even be readable (the service's own home) */
  hidden: string[]
}

/** Limits for one command; null: inherited from the service. */
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
  /** the script, up to 1 MiB; a string in argv can have only 128 KiB */
  script: string
  /** absolute path of the shell */
  shell: string
  /** absolute path of an existing directory */
  cwd: string
  /** the environment without PWD (which is `cwd`) and the mark; must not change afterwards, because its encoding is cached */
  env: Record<string, string>
  /** the value of MARK_NAME: `<home key>.<instance>.<random>`, unguessable */
  mark: string
  /** `pipe`: the caller writes to it and closes it; `null`: /dev/null */
  stdin: 'null' | 'pipe'
  /** run in a terminal of this size, with all output as stdout; stdin must be `pipe`, and closing it sends Ctrl-D. null: use pipes */
  terminal: WindowSize | null
  sandbox: Sandbox
  limits: Limits
  /** present: the exit reports the shell's state. The folder, outside all hidden ones, is for the program that captures it; needs the launcher */
  stateFolder?: string
}

/** How the shell itself ended. Exactly one of `exitCode` and `signal` is not null; if the spawner died, both are null and `note` says so. */
export interface ShellExit {
  exitCode: number | null
  signal: string | null
  /** what ended it, if not the command itself (a limit, the launcher's death) */
  note?: Note
  /** its deadline passed, and this process did not enforce it in time */
  timedOut?: true
  /** the shell's directory, then each exported variable, each with a NUL; empty: too long; absent: not captured */
  state?: Buffer
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
  /** the shell's pid, which is also its process group; 0: it is unknown whether the shell was started */
  readonly pid: number
  /** resolves once, when the shell itself has exited; never rejects */
  readonly exited: Promise<ShellExit>
  /** resolves when both output pipes have reached their end (or were detached); never rejects */
  readonly closed: Promise<void>
  /** resolves with true when the pipe has accepted the bytes, or with false when stdin is closed. The caller waits before it writes more. */
  write(data: Buffer): Promise<boolean>
  endStdin(): void
  /** flow control: stops and resumes reading from both pipes */
  pause(): void
  resume(): void
  /** stops reading for good and closes our ends of the pipes; nothing is delivered afterwards */
  detach(): void
  /** resizes the terminal; false if no process is left */
  resize(size: WindowSize): boolean
  /** sends a named signal to the process group (in a terminal, to the foreground group); false if no process is left to receive it */
  signal(name: NodeJS.Signals): boolean
  /** the pids of live processes of the tree besides the shell */
  leftBehind(): Promise<number[]>
  /** sends SIGTERM (SIGHUP in a terminal) to the whole tree, and SIGKILL after `graceMs`; rescans until no process is left or it gives up. `graceMs` 0: SIGKILL at once. */
  end(graceMs: number): Promise<TreeEnd>
}

/** When the spawner kills a run: after the maximum lifetime of its shell, and after the time that its tree then has to end. */
export interface KillTimes {
  afterMs: number
  graceMs: number
}

export interface Spawner {
  readonly name: 'child_process' | 'launcher'
  /** A sentence about what killing a run cannot guarantee; null: its reports about surviving processes are reliable. */
  readonly bestEffort: string | null
  /** A warning for the owner about a problem from which the spawner has recovered, or null. */
  warning(): string | null
  /** Whether every live process of a run descends from this process. Once false, it stays false. */
  keepsAll(): boolean
  /** Rejects with a plain Error if the system refuses to start a process. If it can, the spawner enforces `killTimes` even while this process is blocked. */
  spawn(request: SpawnRequest, events: SpawnEvents, killTimes?: KillTimes): Promise<Child>
  close(): Promise<void>
}

/** The environment variable that marks every process of a run. Not SHELLPHONE_*: those never reach a command. */
export const MARK_NAME = 'EXEC_MARK'

/** The collected output of one stream. Head and tail never overlap; the `bytes - head.length - tail.length` bytes between them are omitted. */
export interface Collected {
  /** all bytes received */
  bytes: number
  /** newlines in all bytes received */
  lines: number
  /** the first bytes */
  head: Buffer
  /** the bytes after the head, or only the last of them if not everything was collected */
  tail: Buffer
}

/**
 * The data from which a response is built, and can be rebuilt later: both streams, the encoding of their text, and the findings that denied
 * the command.
 */
export interface CollectedOutput {
  encoding: 'utf8' | 'base64'
  stdout: Collected
  stderr: Collected
  guards: Finding[]
}

/** How one of the service's own tools ended. `killed`: by the time limit or a signal; `not_started`: the system refused, and `stderr` says why. */
export interface ToolEnd {
  ending: 'exited' | 'killed' | 'not_started'
  exitCode: number | null
  stdout: string
  stderr: string
}
