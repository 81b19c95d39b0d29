import { countNewlines } from '../pool/index.ts'
import type { Collected } from '../../shared/schema/index.ts'

/** Shortens both streams for the reply. `maxLength` limits both together, in characters (UTF-16 units; bytes for base64). */
export function shorten(
  streams: { stdout: Collected; stderr: Collected },
  maxLength: number,
  encoding: 'utf8' | 'base64',
  whereAll: (stream: 'stdout' | 'stderr') => string,
): { stdout: string; stderr: string; truncated: boolean } {
  const { stdout, stderr } = streams
  const count = encoding === 'utf8' ? charactersOf : (kept: Collected) => kept.bytes
  const bytes = stdout.bytes + stderr.bytes // never fewer than the characters
  if (bytes <= maxLength || count(stdout) + count(stderr) <= maxLength) {
    return { stdout: whole(stdout).toString(encoding), stderr: whole(stderr).toString(encoding), truncated: false }
  }
  const [outLength, errLength] = [count(stdout), count(stderr)]
  const half = Math.floor(maxLength / 2)
  const forStdout = Math.min(outLength, Math.max(maxLength - half, maxLength - errLength))
  const forStderr = Math.min(errLength, maxLength - forStdout)
  return {
    stdout: cut(stdout, outLength, forStdout, encoding, whereAll('stdout')),
    stderr: cut(stderr, errLength, forStderr, encoding, whereAll('stderr')),
    truncated: true,
  }
}

const isWhole = (kept: Collected) => kept.bytes === kept.head.length + kept.tail.length
const whole = (kept: Collected) => (kept.tail.length === 0 ? kept.head : Buffer.concat([kept.head, kept.tail]))

/** Returns the length in characters. A stream that was cut counts as longer than any limit, because 4 bytes per character are stored. */
function charactersOf(kept: Collected): number {
  return isWhole(kept) ? whole(kept).toString('utf8').length : Number.POSITIVE_INFINITY
}

function cut(kept: Collected, length: number, budget: number, encoding: 'utf8' | 'base64', where: string): string {
  if (length <= budget) return whole(kept).toString(encoding)
  const all = isWhole(kept) ? whole(kept) : null
  const headBudget = Math.ceil(budget / 2)
  const head = cutHead(all ?? kept.head, headBudget, encoding)
  const tail = cutTail(all ? all.subarray(head.length) : kept.tail, budget - headBudget, encoding)
  const marker = leftOut(kept, head, tail, where)
  return encoding === 'base64'
    ? Buffer.concat([head, Buffer.from(marker), tail]).toString('base64')
    : head.toString() + marker + tail.toString()
}

/** Returns the marker line between head and tail: how many lines and bytes are omitted, and where to read the whole output. */
function leftOut(kept: Collected, head: Buffer, tail: Buffer, where: string): string {
  const bytes = kept.bytes - head.length - tail.length
  const lines = kept.lines - countNewlines(head) - countNewlines(tail)
  const before = head.length > 0 && head[head.length - 1] !== 10 ? '\n' : ''
  return `${before}[... ${lines} lines, ${bytes} bytes left out; ${where} ...]\n`
}

/** Returns at most `budget` characters from the start, cut at the end of a line, or inside a line that alone is too long. */
function cutHead(bytes: Buffer, budget: number, encoding: 'utf8' | 'base64'): Buffer {
  if (encoding === 'base64') return bytes.subarray(0, budget)
  const part = bytes.subarray(0, bytesOfCharacters(bytes, budget))
  const end = part.lastIndexOf(10)
  return end === -1 ? part : part.subarray(0, end + 1)
}

/** Returns at most `budget` characters from the end, cut at the start of a line. */
function cutTail(bytes: Buffer, budget: number, encoding: 'utf8' | 'base64'): Buffer {
  if (encoding === 'base64') return bytes.subarray(Math.max(0, bytes.length - budget))
  const start = bytes.length - bytesOfLastCharacters(bytes, budget)
  const next = bytes.indexOf(10, Math.max(0, start - 1))
  return next === -1 || next >= bytes.length - 1 ? bytes.subarray(start) : bytes.subarray(next + 1)
}

const continues = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80
/** Returns the UTF-16 units of a character by its first byte: a character of four bytes takes two units. */
const units = (lead: number) => (lead >= 0xf0 ? 2 : 1)

function bytesOfCharacters(bytes: Buffer, budget: number): number {
  let at = 0
  for (let left = budget; at < bytes.length;) {
    left -= units(bytes[at]!)
    if (left < 0) break
    at++
    while (continues(bytes[at])) at++
  }
  return at
}

function bytesOfLastCharacters(bytes: Buffer, budget: number): number {
  let at = bytes.length
  for (let left = budget; at > 0;) {
    let start = at - 1
    while (start > 0 && at - start < 4 && continues(bytes[start])) start--
    left -= units(bytes[start]!)
    if (left < 0) break
    at = start
  }
  return bytes.length - at
}
