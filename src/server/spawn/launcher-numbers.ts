import type { Limits, SandboxName } from '../../shared/schema/index.ts'

/*
 * The numbers of the launcher's protocol. `npm run docs` generates launcher/protocol.h from these tables, and a test fails if it differs.
 * To change or add a number, edit it here and increase `version`.
 */

/** Sizes in bytes and times in milliseconds. */
export const bounds = {
  /** version of the protocol; the service does not use a launcher with another version */
  version: 5,
  /** size of a frame's header: payload length u32, type u8, three zero bytes; little endian */
  header: 8,
  /** longest payload that the launcher accepts */
  maxFrame: 3 * 1024 * 1024,
  /** longest piece of stdin in one frame */
  piece: 64 * 1024,
  /** maximum output of a run that the service has not yet credited */
  window: 1024 * 1024,
  /** maximum number of arguments, and of environment variables, of a command */
  maxStrings: 4096,
  /** how long to scan a tree after SIGKILL */
  killMs: 2000,
  /** the launcher's descriptor of its first slot */
  firstSlot: 4,
  /** exit code: the system has no child subreapers */
  noSubreapers: 69,
  /** reported instead of Landlock's version: the system kills a process that makes a Landlock call (Android up to 15) */
  landlockKills: -1000,
  /** the descriptor at which a shell inherits the file for its session's state */
  stateFd: 198,
  /** size of that file */
  maxState: 1024 * 1024,
  /** stands for no limit or no deadline */
  none: -(2n ** 63n),
} as const

/** types of the frames that the service sends */
export const requests = {
  spawn: 1,
  stdin: 2,
  stdinEnd: 3,
  credit: 4,
  detach: 5,
  signal: 6,
  left: 7,
  end: 8,
  leave: 9,
  windowSize: 10,
} as const

/** types of the frames that the launcher and its reapers send */
export const messages = {
  ready: 64,
  started: 65,
  failed: 66,
  stdout: 67,
  stderr: 68,
  taken: 69,
  exited: 70,
  closed: 71,
  leftList: 72,
  ended: 73,
  empty: 74,
  born: 75,
  state: 76,
} as const

/** why a run was killed */
export const endedBy = { none: 0, processes: 1, cpu: 2, deadline: 3, launcher: 4 } as const

/** the step that failed when a run could not be started; the names appear in error messages */
export const steps = {
  exec: 1,
  reaper: 2,
  fork: 3,
  pipe: 4,
  terminal: 5,
  setsid: 6,
  pdeathsig: 7,
  chdir: 8,
  dup2: 9,
  sandbox: 10,
  'limit oomScoreAdj': 11,
  'limit nice': 12,
  'limit cpuSeconds': 13,
  'limit fileSizeBytes': 14,
  'limit openFiles': 15,
  'limit addressSpaceBytes': 16,
  session: 17,
} as const

export const sandboxCodes = { none: 0, 'read-only': 1, 'workspace-write': 2 } as const satisfies Record<
  SandboxName,
  number
>

/** the index of each limit in a request */
export const limitIndexes = {
  cpuSeconds: 0,
  addressSpaceBytes: 1,
  processes: 2,
  openFiles: 3,
  fileSizeBytes: 4,
  nice: 5,
  oomScoreAdj: 6,
} as const satisfies Record<keyof Limits, number>
