import type { Socket } from 'node:net'
import { furthest, uploadKey } from '../files/index.ts'

/** Maximum number of archives to remember; the oldest is forgotten first. */
const MAX_ARCHIVES = 64

interface Archive {
  /** the last name that was unpacked */
  through: string | null
  /** the connection that is sending it, and a promise that settles when it has stopped; null: none */
  writer: { socket: Socket; over: Promise<unknown> } | null
}

/** How far each archive that can be resumed has been unpacked. */
interface ArchiveProgress {
  /** Stops a request that is still sending the archive, and resolves to the last complete name; null: none. */
  through(key: string): Promise<string | null>
  /** Runs `unpack` and records the names that it reports to `note`; `key` null: the archive cannot be resumed. */
  track<T>(key: string | null, socket: Socket, unpack: (note: (name: string) => void) => Promise<T>): Promise<T>
}

export const archiveKey = (token: string, path: string, word: string): string => uploadKey('tar', token, path, word)

export function createArchiveProgress(): ArchiveProgress {
  const archives = new Map<string, Archive>()
  return {
    async through(key) {
      const archive = archives.get(key)
      archive?.writer?.socket.destroy()
      await archive?.writer?.over
      return archive?.through ?? null
    },
    async track(key, socket, unpack) {
      const archive: Archive = { through: (key !== null && archives.get(key)?.through) || null, writer: null }
      if (key !== null) {
        archives.delete(key)
        archives.set(key, archive)
        if (archives.size > MAX_ARCHIVES) archives.delete(archives.keys().next().value!)
      }
      const work = unpack((name) => (archive.through = furthest(archive.through, name)))
      archive.writer = { socket, over: work.catch(() => {}) }
      return work.finally(() => (archive.writer = null))
    },
  }
}
