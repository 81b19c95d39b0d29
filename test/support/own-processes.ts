import { readFileSync } from 'node:fs'
import { processesWith as allWith } from './helper.ts'

// every service that this process starts, and every command that those start, inherits it
const mark = `TEST_RUN=${process.pid}.${Date.now()}`
process.env.TEST_RUN = mark.slice('TEST_RUN='.length)

/** Pids of the processes begun by this test run whose command line holds `text`; those of others on this machine do not count. */
export function processesWith(text: string): number[] {
  return allWith(text).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
    } catch {
      return false // it ended while we looked
    }
  })
}
