import { readFileSync } from 'node:fs'
import { processesWith as allWith } from './helper.ts'

// inherited by every service that this process starts, and by its commands
const mark = `TEST_RUN=${process.pid}.${Date.now()}`
process.env.TEST_RUN = mark.slice('TEST_RUN='.length)

/** The pids of processes of this test run whose command line contains `text`; other processes on this machine do not count. */
export function processesWith(text: string): number[] {
  return allWith(text).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false // it has ended meanwhile
    }
  })
}
