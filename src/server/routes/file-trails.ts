import type { Socket } from 'node:net'
import { furthest, uploadKey } from '../files/index.ts'

/** Archives on their way, or cut: those behind which nobody has asked for longest are forgotten. */
const MAX_TRAILS = 64

interface Trail {
  /** the last name that was unpacked */
  through: string | null
  /** the connection that brings it, while one does, and its end */
  writer: { socket: Socket; over: Promise<unknown> } | null
}

/** How far each archive that can go on after a cut has been unpacked. */
interface Trails {
  /** The last name that is whole; null: none. Whoever still sends it is stopped first. */
  through(key: string): Promise<string | null>
  /** Follows one that comes over this connection; `key` null: nobody will ask. */
  follow<T>(key: string | null, socket: Socket, unpack: (note: (name: string) => void) => Promise<T>): Promise<T>
}

export const trailKey = (token: string, path: string, word: string): string => uploadKey('tar', token, path, word)

export function createTrails(): Trails {
  const trails = new Map<string, Trail>()
  return {
    async through(key) {
      const trail = trails.get(key)
      trail?.writer?.socket.destroy()
      await trail?.writer?.over
      return trail?.through ?? null
    },
    async follow(key, socket, unpack) {
      const trail: Trail = { through: (key !== null && trails.get(key)?.through) || null, writer: null }
      if (key !== null) {
        trails.delete(key)
        trails.set(key, trail)
        if (trails.size > MAX_TRAILS) trails.delete(trails.keys().next().value!)
      }
      const work = unpack((name) => (trail.through = furthest(trail.through, name)))
      trail.writer = { socket, over: work.catch(() => {}) }
      return work.finally(() => (trail.writer = null))
    },
  }
}
