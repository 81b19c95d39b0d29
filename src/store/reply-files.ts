import { readFile } from 'node:fs/promises'
import type { Reply } from './history-line.ts'
import { type Disk, writeCounted } from './quota.ts'
import { runFilePath } from './run-files.ts'

const MAX_LINE_CHARS = 262_144

/** Replies that are too long for a history line lie beside the run's output, and are swept with it. */
export interface ReplyFiles {
  fitsLine(reply: string): boolean
  /** false: the disk would not */
  write(id: string, reply: string): Promise<boolean>
  /** null: swept, or damaged */
  read(id: string): Promise<Reply | null>
}

export const createReplyFiles = (disk: Disk | null): ReplyFiles => ({
  fitsLine: (reply) => reply.length <= MAX_LINE_CHARS,
  write: async (id, reply) => disk !== null && (await writeCounted(disk, id, 'reply', reply)) === null,
  read: async (id) => {
    if (disk === null) return null
    try {
      return JSON.parse(await readFile(runFilePath(disk.folder, id, 'reply'), 'utf8'))
    } catch {
      return null
    }
  },
})
