import fs from 'node:fs'
import path from 'node:path'
import { isMissing } from './folder.ts'

const START_TIME_FIELD = 22

/** When a process started (clock ticks since boot), so that a reused pid is not taken for it; '' where /proc does not say. */
const startTimeOf = (pid: number): string => {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    // the name before may hold anything, so count from its closing bracket (which ends field 2)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // a zombie holds nothing
    return fields[0] === 'Z' ? '' : (fields[START_TIME_FIELD - 3] ?? '')
  } catch {
    return ''
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The other live process that holds the folder; null: nobody, or ourselves. */
const holderOf = (file: string): number | null => {
  try {
    const [pid, started] = fs.readFileSync(file, 'utf8').trim().split(' ')
    const holder = Number(pid)
    const same = Number.isInteger(holder) && holder > 0 && holder !== process.pid && isAlive(holder)
    return same && startTimeOf(holder) === (started ?? '') ? holder : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/**
 * Claims the folder for this process, by a file `claim` in it; the claim of a process that died is taken over.
 * Throws FolderClaimedError when another live process holds it (two would damage each other's history), and as fs does.
 */
export const claimFolder = (directory: string): void => {
  const file = path.join(directory, 'claim')
  const holder = holderOf(file)
  if (holder !== null) throw new FolderClaimedError(directory, holder)
  fs.rmSync(file, { force: true })
  fs.writeFileSync(file, `${process.pid} ${startTimeOf(process.pid)}\n`, { flag: 'wx', mode: 0o600 })
}

/** The start must stop with this message. */
export class FolderClaimedError extends Error {
  constructor(directory: string, pid: number) {
    super(`${directory} is in use by another Shellphone (process ${pid})`)
  }
}

/** Gives up our claim, if it is ours. */
export const releaseFolder = (directory: string): void => {
  const file = path.join(directory, 'claim')
  try {
    if (fs.readFileSync(file, 'utf8').startsWith(`${process.pid} `)) fs.rmSync(file)
  } catch {
    /* it is gone already */
  }
}
