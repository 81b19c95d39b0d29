import type { BigIntStats } from 'node:fs'
import { type FileFacts, type FileType, toIso } from '../../shared/schema/index.ts'

/** Turns a stat into facts. The ETag changes with the file: it combines device, inode, size and both times in nanoseconds. */
export function factsOf(stat: BigIntStats): FileFacts {
  const { dev, ino, size, mtimeNs, ctimeNs } = stat
  return {
    type: typeOf(stat),
    bytes: Number(size),
    mode: (Number(stat.mode) & 0o7777).toString(8).padStart(4, '0'),
    modified_at: toIso(Math.max(0, Number(mtimeNs / 1_000_000n))),
    etag: `"${[dev, ino, size, mtimeNs, ctimeNs].map((number) => number.toString(36)).join('-')}"`,
  }
}

function typeOf(stat: BigIntStats): FileType {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'directory'
  if (stat.isSymbolicLink()) return 'symlink'
  if (stat.isFIFO()) return 'fifo'
  if (stat.isSocket()) return 'socket'
  return stat.isBlockDevice() ? 'block_device' : 'character_device'
}
