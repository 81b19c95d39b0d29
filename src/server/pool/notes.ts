import { note, type Note, type ShellExit, type Spawner, type TreeEnd } from '../../shared/schema/index.ts'

/** What a signal says, and 128 + its number: how a shell reports that its last command died of it. */
const meanings = [
  { signal: 'SIGSYS', exitCode: 159, code: 'SYSTEM_CALL_REFUSED' },
  { signal: 'SIGXCPU', exitCode: 152, code: 'CPU_TIME_REACHED' },
  { signal: 'SIGXFSZ', exitCode: 153, code: 'FILE_SIZE_REACHED' },
] as const
const EXIT_SIGKILL = 137

/** What an exit that we did not cause means; `platform` as in process.platform. */
export function noteExit({ exitCode, signal, note: why }: ShellExit, platform: string): Note[] {
  const notes = why === undefined ? [] : [why]
  const meaning = meanings.find((row) => row.signal === signal || row.exitCode === exitCode)
  if (meaning) notes.push(note(meaning.code))
  const isAndroid = platform === 'android'
  if (signal === 'SIGKILL' && why === undefined) notes.push(note('KILLED', isAndroid))
  else if (exitCode === EXIT_SIGKILL && isAndroid) notes.push(note('PROCESS_KILLED'))
  return notes
}

/** What became of processes that the command left in the background. */
export function noteLeftBehind({ ended, survivors }: TreeEnd): Note[] {
  const notes = ended > 0 ? [note('BACKGROUND_ENDED', ended)] : []
  return [...notes, ...noteSurvivors(survivors)]
}

export function noteSurvivors(survivors: number[]): Note[] {
  return survivors.length > 0 ? [note('NOT_ENDED', survivors)] : []
}

/** Where something had to be ended and nobody can say for sure that all of it was. */
export function noteBestEffort({ bestEffort }: Spawner): Note[] {
  return bestEffort === null ? [] : [note('BEST_EFFORT', bestEffort)]
}
