import type { Limits, SandboxName } from '../../shared/schema/index.ts'

/*
 * What both sides of the launcher's protocol go by. launcher/protocol.h is made of these tables by `npm run docs`, and a test fails where
 * it is another. To change a number or to add one, change it here, and `version` with it.
 */

/** Sizes in bytes and times in milliseconds. */
export const bounds = {
  /** of the protocol: a launcher of another is not used */
  version: 4,
  /** of a frame: payload length u32, type u8, three zero bytes; little endian */
  header: 8,
  /** longest payload that the launcher takes */
  maxFrame: 3 * 1024 * 1024,
  /** longest piece of stdin in one frame */
  piece: 64 * 1024,
  /** output of a run that the service has not credited yet */
  window: 1024 * 1024,
  /** arguments of a command, and variables of its environment */
  maxStrings: 4096,
  /** after SIGKILL a tree is looked for so long */
  killMs: 2000,
  /** the descriptor, in the launcher, of its first slot */
  firstSlot: 4,
  /** exit code: the system lacks what all this rests on */
  noSubreapers: 69,
  /** in place of Landlock's version: the system kills whoever asks for it (Android up to 15) */
  landlockKills: -1000,
  /** a limit that is not set, a deadline that is not there */
  none: -(2n ** 63n),
} as const

/** what we say */
export const ask = {
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

/** what the launcher says, and its reapers */
export const told = {
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
} as const

/** why a run was ended by something other than its command */
export const endedBy = { none: 0, processes: 1, cpu: 2, deadline: 3, launcher: 4 } as const

/** the step by which a run could not be started, as the message of the error has it */
export const steps = {
  exec: 1,
  reaper: 2,
  fork: 3,
  pipe: 4,
  terminal: 5,
  setpgid: 6,
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
} as const

export const boxes = { none: 0, 'read-only': 1, 'workspace-write': 2 } as const satisfies Record<SandboxName, number>

/** where each limit stands among the limits of a request */
export const limitPlaces = {
  cpuSeconds: 0,
  addressSpaceBytes: 1,
  processes: 2,
  openFiles: 3,
  fileSizeBytes: 4,
  nice: 5,
  oomScoreAdj: 6,
} as const satisfies Record<keyof Limits, number>
