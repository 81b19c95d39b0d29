import { readFile } from 'node:fs/promises'
import type { Reply } from './history-line.ts'
import type { Quota } from './quota.ts'
import { runFilePath, writeRunFile } from './run-files.ts'

const MAX_LINE_CHARS = 262_144

/** Replies that are too long for a history line lie beside the run's output, and are swept with it. */
export interface ReplyFiles {
  fitsLine(reply: string): boolean
  /** false: the disk would not */
  write(id: string, reply: string): Promise<boolean>
  /** null: swept, or damaged */
  read(id: string): Promise<Reply | null>
}

export const createReplyFiles = (disk: { folder: string; quota: Quota } | null): ReplyFiles => ({
  fitsLine: (reply) => reply.length <= MAX_LINE_CHARS,
  write: async (id, reply) => {
    const bytes = Buffer.byteLength(reply)
    if (disk === null || (await disk.quota.admit(bytes)) !== null) return false
    try {
      await writeRunFile(disk.folder, id, 'reply', reply)
      return true
    } catch {
      disk.quota.giveBack(bytes)
      return false
    }
  },
  read: async (id) => {
    if (disk === null) return null
    try {
      return JSON.parse(await readFile(runFilePath(disk.folder, id, 'reply'), 'utf8'))
    } catch {
      return null
    }
  },
})
