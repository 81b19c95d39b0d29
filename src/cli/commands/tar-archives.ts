import type { Archives } from '../../sdk/client-node.ts'
import { furthest, packFolder, unpackInto } from '../../server/files/index.ts'

/** Packs and unpacks the tar archives in which directories are sent. Programs import it as `shellphone/archives`. */
export const archives: Archives = {
  pack(path, after) {
    const { packed, pieces } = packFolder(path, { after, hides: () => false })
    return { pieces, notes: () => packed.notes.map(({ text }) => text) }
  },
  unpack: (path, unpacking) => unpackInto(path, { ...unpacking, maxBytes: null, hides: () => false }),
  furthest,
}
