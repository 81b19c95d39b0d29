import { execFileSync } from 'node:child_process'
import { crc32 } from 'node:zlib'
import { END, headerOf, padding } from '../../src/server/files/tar-format.ts'

/** A file or a symbolic link in an artifact. */
export interface ReleaseFile {
  /** relative, without a leading dot */
  path: string
  bytes: Buffer
  mode: number
  /** the target of a symbolic link */
  target?: string
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1)
const MAX_OUTPUT_BYTES = 1 << 28

/** A ustar archive with sorted names, owned by root. `root`: the prefix of each name. `directories`: also list the directories, as dpkg needs. */
export function tar(
  files: readonly ReleaseFile[],
  modifiedSeconds: number,
  root: string,
  { directories }: { directories: boolean },
): Buffer {
  const above = (directories ? directoriesOf(files) : []).map((path) => {
    const name = `${root}${path}`.replace(/\/$/, '')
    return { path: name, type: 'directory' as const, content: Buffer.alloc(0), mode: 0o755, target: '' }
  })
  const entries = files.map(({ path, bytes, mode, target }) => {
    const type = target === undefined ? ('file' as const) : ('symlink' as const)
    return { path: `${root}${path}`, type, content: bytes, mode, target: target ?? '' }
  })
  const blocks = [...above, ...entries].sort(byPath).flatMap(({ content, ...entry }) => {
    const header = headerOf({ ...entry, bytes: content.length, modifiedSeconds })
    return [header, content, padding(content.length)]
  })
  return Buffer.concat([...blocks, END])
}

/** Every directory above the files, from the root ('') downwards. */
function directoriesOf(files: readonly ReleaseFile[]): string[] {
  const found = new Set<string>([''])
  for (const { path } of files) {
    const names = path.split('/').slice(0, -1)
    names.forEach((_, index) => found.add(names.slice(0, index + 1).join('/')))
  }
  return [...found]
}

/** Compresses with GNU gzip, because the output of Node's zlib depends on the version of Node and on the processor. */
export const gzip = (bytes: Buffer): Buffer =>
  execFileSync('gzip', ['-9', '-n', '-c'], { input: bytes, maxBuffer: MAX_OUTPUT_BYTES })

/** An archive in the format of ar(5), which a .deb file is. */
export function ar(members: readonly (readonly [name: string, bytes: Buffer])[], modifiedSeconds: number): Buffer {
  const parts = members.flatMap(([name, bytes]) => {
    const fields = [
      name.padEnd(16),
      String(modifiedSeconds).padEnd(12),
      '0'.padEnd(6),
      '0'.padEnd(6),
      '100644'.padEnd(8),
    ]
    const header = Buffer.from(`${fields.join('')}${String(bytes.length).padEnd(10)}\`\n`, 'latin1')
    return [header, bytes, Buffer.alloc(bytes.length % 2, '\n')]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}

const GZIP_HEADER_BYTES = 10
const GZIP_TRAILER_BYTES = 8
const LOCAL_HEADER = 0x04034b50
const CENTRAL_HEADER = 0x02014b50
const END_OF_CENTRAL = 0x06054b50
const ZIP_VERSION = 20
const MADE_ON_UNIX = 3 << 8
const UTF8_NAMES = 0x0800
const DEFLATE = 8
const REGULAR_FILE = 0o100000

/** A zip archive with sorted names. The deflate stream comes from gzip, without its header and trailer. */
export function zip(files: readonly ReleaseFile[], modifiedSeconds: number): Buffer {
  const [time, date] = dosTime(modifiedSeconds)
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  const sorted = [...files].sort(byPath)
  for (const { path, bytes, mode } of sorted) {
    const name = Buffer.from(path)
    const data = gzip(bytes).subarray(GZIP_HEADER_BYTES, -GZIP_TRAILER_BYTES)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(ZIP_VERSION, 0)
    common.writeUInt16LE(UTF8_NAMES, 2)
    common.writeUInt16LE(DEFLATE, 4)
    common.writeUInt16LE(time, 6)
    common.writeUInt16LE(date, 8)
    common.writeUInt32LE(crc32(bytes), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(bytes.length, 18)
    common.writeUInt16LE(name.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(((REGULAR_FILE | mode) << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const local = Buffer.concat([word(LOCAL_HEADER), common, name, data])
    locals.push(local)
    centrals.push(Buffer.concat([word(CENTRAL_HEADER), half(ZIP_VERSION | MADE_ON_UNIX), common, rest, name]))
    offset += local.length
  }
  const size = centrals.reduce((sum, one) => sum + one.length, 0)
  const counts = [0, 0, sorted.length, sorted.length].map(half)
  const end = Buffer.concat([word(END_OF_CENTRAL), ...counts, word(size), word(offset), half(0)])
  return Buffer.concat([...locals, ...centrals, end])
}

function half(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The time and date fields of MS-DOS, in UTC; they begin in 1980. */
function dosTime(seconds: number): [time: number, date: number] {
  const at = new Date(Math.max(seconds, 315_532_800) * 1000)
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return [time, ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()]
}
