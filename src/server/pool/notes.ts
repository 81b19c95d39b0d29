import type { ShellExit, Spawner, TreeEnd } from '../../shared/schema/index.ts'

/** What a signal says, and 128 + its number: how a shell reports that its last command died of it. */
const meanings = [
  { signal: 'SIGSYS', exitCode: 159, note: 'the kernel refused a system call (SIGSYS)' },
  { signal: 'SIGXCPU', exitCode: 152, note: 'the limit of CPU time was reached (SIGXCPU)' },
  { signal: 'SIGXFSZ', exitCode: 153, note: 'the limit of file size was reached (SIGXFSZ)' },
]
const EXIT_SIGKILL = 137

const count = (n: number) => (n === 1 ? '1 process' : `${n} processes`)

/** What an exit that we did not cause says in plain words; `platform` as in process.platform. */
export function noteExit({ exitCode, signal, note }: ShellExit, platform: string): string[] {
  const notes = note === undefined ? [] : [note]
  const meaning = meanings.find((row) => row.signal === signal || row.exitCode === exitCode)
  if (meaning) notes.push(meaning.note)
  if (signal === 'SIGKILL' && note === undefined) {
    const by = platform === 'android' ? 'probably by Android (phantom process killer)' : 'from outside'
    notes.push(`killed by SIGKILL, ${by}`)
  } else if (exitCode === EXIT_SIGKILL && platform === 'android') {
    notes.push(
      'exit code 137: a process of the command was killed by SIGKILL, perhaps by Android (phantom process killer)',
    )
  }
  return notes
}

/** What became of processes that the command left in the background. */
export function noteLeftBehind({ ended, survivors }: TreeEnd): string[] {
  const notes = ended > 0 ? [`${count(ended)} left in the background ${ended === 1 ? 'was' : 'were'} ended`] : []
  return [...notes, ...noteSurvivors(survivors)]
}

export function noteSurvivors(survivors: number[]): string[] {
  return survivors.length > 0 ? [`${count(survivors.length)} could not be ended: ${survivors.join(', ')}`] : []
}

/** Where something had to be ended and nobody can say for sure that all of it was. */
export function noteBestEffort({ bestEffort }: Spawner): string[] {
  return bestEffort === null ? [] : [bestEffort]
}

export function noteKept(n: number): string {
  return `${count(n)} left running in the background; ${n === 1 ? 'its' : 'their'} output is no longer read`
}

export const OUTPUT_STILL_OPEN = 'the output was still open when the command had ended; it is no longer read'
