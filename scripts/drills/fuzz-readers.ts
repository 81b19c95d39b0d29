/**
 * The readers that drill-fuzz.ts feeds with any bytes, apart from the launcher's, which is fuzz-launcher.c. Each function throws if the reader
 * breaks a promise: an error of another type than the documented one, a result outside its bounds, or a result that depends on how the bytes arrive.
 */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkHost, inBytes, parseMessage, rangeOf as rangeIn } from '../../src/http/index.ts'
import { fromFrame, toFrame as toStdinFrame } from '../../src/sdk/frames.ts'
import { spanIn } from '../../src/sdk/file-parts.ts'
import { PhoneError } from '../../src/sdk/phone-error.ts'
import { unpackInto } from '../../src/server/files/index.ts'
import { decide, presetSettings } from '../../src/server/policy/index.ts'
import { contentRangeOf, mustMatch, rangeOf, uploadKeyOf } from '../../src/server/routes/file-headers.ts'
import { handleFrame } from '../../src/server/routes/ws-frames.ts'
import type { WsSession } from '../../src/server/routes/ws-session.ts'
import { createFrameReader } from '../../src/server/spawn/launcher-protocol.ts'
import { messages } from '../../src/server/spawn/launcher-numbers.ts'
import { ShellphoneError, strictness } from '../../src/shared/schema/index.ts'
import { createEventReader, createUnpacker } from '../../src/shared/transport/index.ts'
import { realpath, world } from '../../test/server/policy/scene.ts'

const MAX_BYTES = 65_536

/** Returns null for an error that clients can expect; throws others again. */
function expected(error: unknown): null {
  if (error instanceof ShellphoneError || error instanceof PhoneError) return null
  throw error
}

/** Returns what `read` returns, or null if it throws an error that clients can expect. */
function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    return expected(error)
  }
}

/** Cuts bytes into pieces, whose sizes come from the bytes themselves. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const size = 1 + (bytes[at]! % 61)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

const presets = (['guarded', 'supervised', 'strict'] as const).map(presetSettings)
const flavours = [null, 'bash', 'dash', 'mksh'] as const

/** The shell parser and every guard. The first byte selects the shell. A stricter preset must not be more lenient. */
function shell(bytes: Buffer): void {
  const script = bytes.toString('utf8', 1)
  const shellFlavour = flavours[(bytes[0] ?? 0) % flavours.length]!
  const subject = { ...world, byPerson: false, script, shellFlavour }
  const verdicts = presets.map((settings) => decide(subject, settings, { realpath, readFile: () => null }).verdict)
  const ranks = verdicts.map((verdict) => strictness[verdict])
  assert.deepEqual(ranks, [...ranks].sort(), `${verdicts}: ${script}`)
}

/** Reads frames of the launcher. Joins the pieces of one stream, because output is passed on as it arrives. */
function launcherFrames(pieces: Iterable<Buffer>): [type: number, payload: string][] {
  const frames: [number, string][] = []
  const isOutput = (type: number | undefined) => type === messages.stdout || type === messages.stderr
  const read = createFrameReader((type, payload) => {
    const last = frames.at(-1)
    if (last?.[0] === type && isOutput(type)) last[1] += payload.toString('hex')
    else frames.push([type, payload.toString('hex')])
  })
  for (const piece of pieces) read(piece)
  return frames
}

function serverEvents(pieces: Iterable<Buffer>) {
  const read = createEventReader()
  return [...pieces].flatMap(read)
}

/** The messages of a WebSocket that a fleet forwards; null if one is malformed. */
function unpacked(pieces: Iterable<Buffer>) {
  const read = createUnpacker(MAX_BYTES)
  try {
    return [...pieces].flatMap(read)
  } catch {
    return null
  }
}

/** The readers of the launcher's frames, of server-sent events, and of WebSocket messages on both ends. */
async function frames(bytes: Buffer): Promise<void> {
  assert.deepEqual(launcherFrames(piecesOf(bytes)), launcherFrames([bytes]))
  assert.deepEqual(serverEvents(piecesOf(bytes)), serverEvents([bytes]))
  const [whole, pieces] = [unpacked([bytes]), unpacked(piecesOf(bytes))]
  if (whole && pieces) assert.deepEqual(pieces, whole)
  attempt(() => parseMessage(bytes))
  const view = new Uint8Array(bytes)
  const frame = attempt(() => fromFrame(view))
  if (frame && frame.offset <= Number.MAX_SAFE_INTEGER) {
    const again = toStdinFrame(frame.id, frame.offset, frame.bytes)
    assert.deepEqual(again.subarray(1), view.subarray(1))
  }
  const errors: ShellphoneError[] = []
  const none = () => Promise.reject(new ShellphoneError('NOT_FOUND', 'no such run'))
  const session = {
    connection: { sendError: (_about: object, error: ShellphoneError) => errors.push(error) },
    executor: { running: none },
  }
  await handleFrame(session as unknown as WsSession, bytes)
  assert.equal(errors.length, 1)
  assert.ok(errors[0]!.status < 500, errors[0]!.message)
}

const HEADERS = [
  'range',
  'if-range',
  'content-range',
  'content-length',
  'if-match',
  'if-none-match',
  'upload-key',
  'host',
]

/** The readers of ranges and of the other headers of transfers. The first line is the size of the file; the rest are headers. */
function ranges(bytes: Buffer): void {
  const [size = '', ...values] = bytes.toString('latin1').split('\n')
  const total = Number.parseInt(size, 10) || 0
  const headers = Object.fromEntries(values.slice(0, HEADERS.length).map((value, index) => [HEADERS[index], value]))
  const part = attempt(() => rangeOf(headers, { bytes: total, etag: '"a"' } as Parameters<typeof rangeOf>[1]))
  if (part) assert.ok(part.start >= 0 && part.start < part.end && part.end <= total, JSON.stringify(part))
  const range = attempt(() => rangeIn(headers.range, {}))
  const inside = range && attempt(() => inBytes(range, total))
  if (inside) assert.ok(inside.from >= 0 && inside.from < inside.to && inside.to <= total, JSON.stringify(inside))
  const sent = attempt(() => contentRangeOf(headers))
  if (sent) {
    assert.ok(Number.isSafeInteger(sent.total))
    const { start, end } = sent.span ?? { start: 0, end: sent.total }
    assert.ok(start >= 0 && start <= end && end <= sent.total, JSON.stringify(sent))
  }
  const [, first] = /^bytes (\d{1,15})-/.exec(headers['content-range'] ?? '') ?? []
  const text = (headers['content-range'] ?? '').replace(/[^\x20-\x7e]/g, '')
  const span = attempt(() => spanIn(new Response(null, { headers: { 'content-range': text } }), 'a'))
  if (span && sent?.span && first) assert.deepEqual(span, { start: sent.span.start, total: sent.total })
  attempt(() => mustMatch(headers, '"a"'))
  attempt(() => uploadKeyOf(headers))
  attempt(() => checkHost(headers.host, ['phone.example']))
}

const BLOCK_BYTES = 512

/** Gives each header the right checksum, because a fuzzer would hardly find it. */
function withChecksums(bytes: Buffer): Buffer {
  const archive = Buffer.from(bytes)
  for (let at = 0; at + BLOCK_BYTES <= archive.length; at += BLOCK_BYTES) {
    if (archive.toString('latin1', at + 257, at + 262) !== 'ustar') continue
    archive.fill(' ', at + 148, at + 156)
    const sum = archive.subarray(at, at + BLOCK_BYTES).reduce((total, byte) => total + byte, 0)
    archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1')
  }
  return archive
}

/** The tar reader, which unpacks to a directory in memory. Nothing may appear outside it. */
async function tar(bytes: Buffer): Promise<void> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : '/tmp', 'fuzz-tar-'))
  try {
    mkdirSync(join(folder, 'beside'))
    const options = { temporary: '.incomplete', maxBytes: MAX_BYTES, hides: () => false, onEntry: () => {} }
    const pieces = async function* () {
      yield* piecesOf(withChecksums(bytes))
    }
    await unpackInto(join(folder, 'inside'), { ...options, bytes: pieces() }).catch(expected)
    const names = readdirSync(folder).filter((name) => name !== 'inside')
    assert.deepEqual(names, ['beside'])
    assert.deepEqual(readdirSync(join(folder, 'beside')), [])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const readers: Record<string, (bytes: Buffer) => void | Promise<void>> = { shell, frames, ranges, tar }

/** The inputs of a reader's corpus: one per line, in base64. */
export const corpusOf = (name: string): Buffer[] =>
  readFileSync(new URL(`corpora/${name}.txt`, import.meta.url), 'latin1')
    .trim()
    .split('\n')
    .map((line) => Buffer.from(line, 'base64'))
