import { type Static, Type } from '@sinclair/typebox'
import { oneWordOf } from './check.ts'

const processes = (n: number) => (n === 1 ? '1 process' : `${n} processes`)
const ifItRan = (isKnown: boolean) => (isKnown ? '' : '; whether it ran is not known')

/**
 * The notes of records, one row per note. The code is for programs, the text for people. To add a note, add a row and run `npm run docs`.
 * Codes are never reused; texts may change at any time.
 */
const noteTexts = {
  /** a note of an old record, stored as plain text without a code */
  NOTE: (text: string) => text,

  // before the run
  LOWERED: (field: string, value: number, limit: number) =>
    `${field} ${value} is above the maximum of ${limit} and was lowered to it`,
  HIDDEN_FOLDER_WITHIN: (folder: string, hidden: string) =>
    `${folder} contains ${hidden}, which the sandbox hides: nothing can be created, moved or removed in the directories above it; other directories are not affected`,
  SESSION_LOST: (session: string, names: string[]) =>
    `the session ${session} has lost ${names.join(', ')}: values that look like secrets are not stored over a restart; set them again`,
  WAITS_FOR_SESSION: (session: string, run: string | null) =>
    `waits for the session ${session}, in which ${run === null ? 'another command' : `the run ${run}`} has not ended`,
  WAITS_FOR_ANSWER: (until: string, approval: string) =>
    `waits for approval until ${until}; answer with shellphone approvals approve ${approval}`,

  // the reason for a cancellation
  CANCELED_BY_CLIENT: () => 'canceled by the client',
  CANCELED_BEFORE_START: () => 'canceled before it started',
  CLIENT_WENT_AWAY: () => 'the client disconnected',
  CLIENT_NOT_SEEN: (seconds: number) => `canceled because its client was not seen for ${seconds} s`,
  TERMINAL_NOT_READ: (seconds: number) => `canceled because nobody read its terminal for ${seconds} s`,
  SERVICE_STOPPING: () => 'the service is stopping',

  // other causes of the end than the command itself
  SERVICE_STOPPED: () => 'the service stopped during this run',
  FAILED: (reason: string) => reason,
  PROCESSES_EXCEEDED: (limit: number | null) => `killed: it had more than ${limit} processes (limit "processes")`,
  CPU_TIME_EXCEEDED: (limit: number | null) =>
    `killed: its processes used more than ${limit} s of CPU time (limit "cpu_seconds")`,
  TIME_OVER: () => 'killed: its deadline had passed',
  LAUNCHER_DIED: () => 'killed: the launcher died, and with it everything that it had started',
  KEEPER_KILLED: (isKnown: boolean) => `killed: the process that supervised the run was killed${ifItRan(isKnown)}`,
  LAUNCHER_KILLED: (isKnown: boolean) =>
    `killed: the launcher and the process that supervised the run were killed; some of its processes may still be running${ifItRan(isKnown)}`,
  LAUNCHER_SILENT: (isKnown: boolean) =>
    `killed: the launcher stopped responding; some of its processes may still be running${ifItRan(isKnown)}`,
  RUN_LOST: (reason: string, isKnown: boolean) => `ended: ${reason}${ifItRan(isKnown)}`,

  // the meaning of the exit code or signal
  SYSTEM_CALL_REFUSED: () => 'the kernel refused a system call (SIGSYS)',
  CPU_TIME_REACHED: () => 'it reached the limit of CPU time (SIGXCPU)',
  FILE_SIZE_REACHED: () => 'it reached the limit of file size (SIGXFSZ)',
  KILLED: (isAndroid: boolean) =>
    `killed by SIGKILL${isAndroid ? ', probably by Android (phantom process killer)' : ''}; not by the service`,
  PROCESS_KILLED: () =>
    'exit code 137: a process of the command was killed by SIGKILL, perhaps by Android (phantom process killer)',

  // the session
  SESSION_DROPPED: (session: string, names: string[]) =>
    `the session ${session} does not keep ${names.join(', ')}: the name can hijack the shell, or the name or value cannot be stored`,
  SESSION_NOT_KEPT: (session: string, reason: string) => `the session ${session} is unchanged: ${reason}`,

  // processes and output left behind
  BACKGROUND_ENDED: (n: number) => `${processes(n)} left in the background ${n === 1 ? 'was' : 'were'} killed`,
  BACKGROUND_KEPT: (n: number) =>
    `${processes(n)} still running in the background; ${n === 1 ? 'its' : 'their'} output is no longer read`,
  NOT_ENDED: (pids: number[]) => `${processes(pids.length)} could not be killed: ${pids.join(', ')}`,
  BEST_EFFORT: (why: string) => why,
  OUTPUT_STILL_OPEN: () => 'its output was still open after the command ended and is no longer read',

  // incomplete storage
  OUTPUT_NOT_KEPT: (stdoutBytes: number, stderrBytes: number, reason: string) =>
    `output beyond ${stdoutBytes} bytes of stdout and ${stderrBytes} bytes of stderr is not stored: ${reason}`,
  RECORD_IN_MEMORY: () => 'the disk refused this record; it stays in memory until it can be written',
  TEXT_NOT_KEPT: () => 'the text of the response is no longer stored',

  // file transfers
  TRANSFER: () => 'a file transfer by the service; no process ran',
  ENTRIES: (n: number) => `${n} entries`,
  LEFT_OUT: (n: number, first: string[]) => `left out ${n}: ${first.join(', ')}`,
  CLIENT_HAS_IT: () => 'not modified: the client already has it',
  PART_SENT: (first: number, last: number, bytes: number) => `bytes ${first} to ${last} of ${bytes}`,
  PART_STORED: (bytes: number, total: number | null) => `${bytes} of ${total} bytes received`,
  NOT_READ_TO_END: () => 'the client did not read it to the end',
  CUT_SHORT: () => 'it was cut off before it was complete',
}

type NoteTexts = typeof noteTexts
type NoteCode = keyof NoteTexts

const codes = Object.keys(noteTexts) as NoteCode[]

/** A code for programs, and a text for people. */
export const Note = Type.Object(
  {
    code: oneWordOf(codes, { description: 'For programs; it never changes its meaning' }),
    text: Type.String({ description: 'For people; it may change at any time' }),
  },
  { $id: 'Note', description: 'Something that a person should know about the run' },
)
export type Note = Static<typeof Note>

/** Creates a note; `facts` are the parameters of its row. */
export function note<Code extends NoteCode>(code: Code, ...facts: Parameters<NoteTexts[Code]>): Note {
  const textOf = noteTexts[code] as (...facts: unknown[]) => string
  return { code, text: textOf(...facts) }
}
