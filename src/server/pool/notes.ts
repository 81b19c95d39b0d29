import { note, type Note, type ShellExit, type Spawner, type TreeEnd } from '../../shared/schema/index.ts'

/** The meaning of a signal, or of the exit code 128 + its number, by which a shell reports that the signal killed its last command. */
const meanings = [
  { signal: 'SIGSYS', exitCode: 159, code: 'SYSTEM_CALL_REFUSED' },
  { signal: 'SIGXCPU', exitCode: 152, code: 'CPU_TIME_REACHED' },
  { signal: 'SIGXFSZ', exitCode: 153, code: 'FILE_SIZE_REACHED' },
] as const
const EXIT_SIGKILL = 137

/** Explains an exit that the service did not cause. `platform`: process.platform. */
export function noteExit({ exitCode, signal, note: reason }: ShellExit, platform: string): Note[] {
  const notes = reason === undefined ? [] : [reason]
  const meaning = meanings.find((row) => row.signal === signal || row.exitCode === exitCode)
  if (meaning) notes.push(note(meaning.code))
  const isAndroid = platform === 'android'
  if (signal === 'SIGKILL' && reason === undefined) notes.push(note('KILLED', isAndroid))
  else if (exitCode === EXIT_SIGKILL && isAndroid) notes.push(note('PROCESS_KILLED'))
  return notes
}

/** Reports what happened to processes that the command left in the background. */
export function noteLeftBehind({ ended, survivors }: TreeEnd): Note[] {
  const notes = ended > 0 ? [note('BACKGROUND_ENDED', ended)] : []
  return [...notes, ...noteSurvivors(survivors)]
}

export function noteSurvivors(survivors: number[]): Note[] {
  return survivors.length > 0 ? [note('NOT_ENDED', survivors)] : []
}

/** Creates the note for a spawner that cannot guarantee that it killed every process. */
export function noteBestEffort({ bestEffort }: Spawner): Note[] {
  return bestEffort === null ? [] : [note('BEST_EFFORT', bestEffort)]
}
