import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'

const processes = (n: number) => (n === 1 ? '1 process' : `${n} processes`)
const ifItRan = (isKnown: boolean) => (isKnown ? '' : '; it is not known whether it ran')

/**
 * What a record says beside its fields. One row per note: the code, which programs go by, and the text that people read. To say one more
 * thing, add a row (and `npm run docs`). Codes are never reused; texts may change at any time.
 */
const noteTexts = {
  /** of a record whose notes were plain texts, without codes */
  NOTE: (text: string) => text,

  // before it ran
  LOWERED: (field: string, value: number, limit: number) =>
    `${field} ${value} is above the maximum of ${limit} and was lowered to it`,
  HIDDEN_FOLDER_WITHIN: (folder: string, hidden: string) =>
    `${folder} holds ${hidden}, which the sandbox hides: in the folders above that nothing can be made, moved or removed, below the others all is as usual`,
  WAITS_FOR_ANSWER: (until: string, approval: string) =>
    `waits for a person's answer until ${until}: shellphone approvals approve ${approval}`,

  // why it was canceled
  CANCELED_BY_CLIENT: () => 'canceled by the client',
  CANCELED_BEFORE_START: () => 'canceled before it was started',
  CLIENT_WENT_AWAY: () => 'the client went away',
  CLIENT_NOT_SEEN: (seconds: number) => `canceled: its client was not seen for ${seconds} s`,
  TERMINAL_NOT_READ: (seconds: number) => `nobody has read its terminal for ${seconds} s`,
  SERVICE_STOPPING: () => 'the service is stopping',

  // what ended it, beside the command itself
  SERVICE_STOPPED: () => 'the service stopped while this ran',
  FAILED: (reason: string) => reason,
  PROCESSES_EXCEEDED: (limit: number | null) => `ended: more than ${limit} processes (the limit "processes")`,
  CPU_TIME_EXCEEDED: (limit: number | null) =>
    `ended: its processes took more than ${limit} s of CPU time (the limit "cpu_seconds")`,
  TIME_OVER: () => 'ended: its time was over',
  LAUNCHER_DIED: () => 'ended: the launcher died, and everything that it had started with it',
  KEEPER_KILLED: (isKnown: boolean) => `ended: the process that kept the run was killed${ifItRan(isKnown)}`,
  LAUNCHER_KILLED: (isKnown: boolean) =>
    `ended: the launcher and the process that kept the run were killed; it is not known whether all that it had started has ended${ifItRan(isKnown)}`,
  LAUNCHER_SILENT: (isKnown: boolean) =>
    `ended: nothing was heard of it any more; it is not known whether all that it had started has ended${ifItRan(isKnown)}`,
  RUN_LOST: (reason: string, isKnown: boolean) => `ended: ${reason}${ifItRan(isKnown)}`,

  // what its exit means
  SYSTEM_CALL_REFUSED: () => 'the kernel refused a system call (SIGSYS)',
  CPU_TIME_REACHED: () => 'the limit of CPU time was reached (SIGXCPU)',
  FILE_SIZE_REACHED: () => 'the limit of file size was reached (SIGXFSZ)',
  KILLED: (isAndroid: boolean) =>
    `killed by SIGKILL, ${isAndroid ? 'probably by Android (phantom process killer)' : 'from outside'}`,
  PROCESS_KILLED: () =>
    'exit code 137: a process of the command was killed by SIGKILL, perhaps by Android (phantom process killer)',

  // what it left behind
  BACKGROUND_ENDED: (n: number) => `${processes(n)} left in the background ${n === 1 ? 'was' : 'were'} ended`,
  BACKGROUND_KEPT: (n: number) =>
    `${processes(n)} left running in the background; ${n === 1 ? 'its' : 'their'} output is no longer read`,
  NOT_ENDED: (pids: number[]) => `${processes(pids.length)} could not be ended: ${pids.join(', ')}`,
  BEST_EFFORT: (why: string) => why,
  OUTPUT_STILL_OPEN: () => 'the output was still open when the command had ended; it is no longer read',

  // what is stored of it
  OUTPUT_NOT_KEPT: (stdoutBytes: number, stderrBytes: number, reason: string) =>
    `output beyond ${stdoutBytes} bytes of stdout and ${stderrBytes} bytes of stderr is not kept: ${reason}`,
  RECORD_IN_MEMORY: () => 'the disk did not take this record: it is kept in memory until it does',
  TEXT_NOT_KEPT: () => 'the text of the reply is no longer kept',

  // of a transfer of files
  TRANSFER: () => 'a transfer of files: the service did it, no process ran',
  ENTRIES: (n: number) => `${n} names`,
  LEFT_OUT: (n: number, first: string[]) => `left out ${n}: ${first.join(', ')}`,
  CLIENT_HAS_IT: () => 'the client has it already',
  PART_SENT: (first: number, last: number, bytes: number) => `bytes ${first} to ${last} of ${bytes}`,
  PART_STORED: (bytes: number, total: number | null) => `${bytes} bytes of ${total} are there`,
  NOT_READ_TO_END: () => 'it was not read to its end',
  CUT_SHORT: () => 'it was cut before it was whole',
}

type NoteTexts = typeof noteTexts
type NoteCode = keyof NoteTexts

const codes = Object.keys(noteTexts) as NoteCode[]

/** A code for programs, and what it means here in words. */
export const Note = Type.Object(
  {
    code: oneWordOf(codes, { description: 'Which note: go by this' }),
    text: Type.String({ description: 'For people' }),
  },
  { $id: 'Note' },
)
export type Note = Static<typeof Note>

/** The note of that code; `facts` are what its row takes. */
export function note<Code extends NoteCode>(code: Code, ...facts: Parameters<NoteTexts[Code]>): Note {
  const textOf = noteTexts[code] as (...facts: unknown[]) => string
  return { code, text: textOf(...facts) }
}
