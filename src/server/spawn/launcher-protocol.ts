import { constants } from 'node:os'
import {
  type KillTimes,
  type Limits,
  MARK_NAME,
  type SpawnRequest,
  type WindowSize,
} from '../../shared/schema/index.ts'
import { bounds, sandboxCodes, limitIndexes, steps, messages } from './launcher-numbers.ts'

/** Delivered output is credited in portions of at least this many bytes. */
export const CREDIT_BYTES = bounds.window / 2

/** One frame; `payload` is the concatenation of its parts. */
export function toFrame(type: number, ...payload: Buffer[]): Buffer {
  let size = 0
  for (const part of payload) size += part.length
  const frame = Buffer.allocUnsafe(bounds.header + size)
  frame.writeUInt32LE(size, 0)
  frame.writeUInt32LE(type, 4)
  let at = bounds.header
  for (const part of payload) at += part.copy(frame, at)
  return frame
}

/** Encodes a payload of 32-bit numbers. */
export function toNumbers(...values: number[]): Buffer {
  const payload = Buffer.allocUnsafe(values.length * 4)
  for (const [index, value] of values.entries()) payload.writeInt32LE(value, index * 4)
  return payload
}

/** Encodes a window size in 32 bits: rows in the low half, columns in the high half. */
export const toWindow = ({ rows, columns }: WindowSize): Buffer => toNumbers(rows | (columns << 16))

/** Decodes a payload of 32-bit numbers. */
export function fromNumbers(payload: Buffer): number[] {
  const numbers: number[] = []
  for (let at = 0; at + 4 <= payload.length; at += 4) numbers.push(payload.readInt32LE(at))
  return numbers
}

/** Encodes each string as its length, its bytes and a NUL. Throws if one contains a NUL, which no system call accepts. */
function toTexts(texts: string[]): Buffer {
  let size = 0
  for (const text of texts) size += 4 + Buffer.byteLength(text) + 1
  const payload = Buffer.allocUnsafe(size)
  let at = 0
  for (const text of texts) {
    if (text.includes('\0')) throw new Error('spawn EINVAL: a NUL byte')
    const bytes = payload.write(text, at + 4)
    payload.writeUInt32LE(bytes + 1, at)
    at += 4 + bytes + 1
    payload[at - 1] = 0
  }
  return payload
}

const limitNames = Object.keys(limitIndexes) as (keyof Limits)[]

/** Encodes the limits and the kill times as 64-bit numbers. */
function toLimits(limits: Limits, killTimes: KillTimes | null): Buffer {
  const own: (number | null)[] = []
  for (const name of limitNames) own[limitIndexes[name]] = limits[name]
  const all = [...own, killTimes?.afterMs ?? null, killTimes?.graceMs ?? 0]
  const payload = Buffer.allocUnsafe(all.length * 8)
  for (const [index, value] of all.entries()) {
    payload.writeBigInt64LE(value === null ? bounds.none : BigInt(Math.ceil(value)), index * 8)
  }
  return payload
}

interface EncodedEnvironment {
  count: number
  texts: Buffer
}
/** A cache: nearly every command has the same environment. */
const environments = new WeakMap<Record<string, string>, EncodedEnvironment>()

function toEnvironment(env: Record<string, string>): EncodedEnvironment {
  const known = environments.get(env)
  if (known) return known
  const texts: string[] = []
  for (const name in env) if (name !== 'PWD' && name !== MARK_NAME) texts.push(`${name}=${env[name]}`)
  const made = { count: texts.length, texts: toTexts(texts) }
  environments.set(env, made)
  return made
}

/** The payload of a spawn frame; `argv[0]` is the absolute path of the executable. Throws E2BIG above 3 MiB or 4096 strings in one list. */
export function toSpawn(
  { cwd, env, mark, stdin, terminal, sandbox, limits }: SpawnRequest,
  argv: string[],
  killTimes: KillTimes | null = null,
  stateNonce: string | null = null,
): Buffer {
  const environment = toEnvironment(env)
  const own = [`PWD=${cwd}`, `${MARK_NAME}=${mark}`]
  const nonces = stateNonce === null ? [] : [stateNonce]
  const counts = [
    argv.length,
    environment.count + own.length,
    sandbox.writable.length,
    sandbox.hidden.length,
    nonces.length,
  ]
  const flags = Buffer.from([stdin === 'pipe' ? 1 : 0, sandboxCodes[sandbox.name], sandbox.network ? 1 : 0, 0])
  const before = toTexts([cwd, ...argv])
  const after = toTexts([...own, ...sandbox.writable, ...sandbox.hidden, ...nonces])
  const window = terminal ? toWindow(terminal) : toNumbers(0)
  const fixed = [flags, toLimits(limits, killTimes), window, toNumbers(...counts)]
  const payload = Buffer.concat([...fixed, before, environment.texts, after])
  if (payload.length > bounds.maxFrame || Math.max(...counts) > bounds.maxStrings) throw new Error('spawn E2BIG')
  return payload
}

const names = (table: Record<string, number>) => new Map(Object.entries(table).map(([name, number]) => [number, name]))
const signalNames = names(constants.signals)
const errorNames = names(constants.errno)
const stepNames = names(steps)

/** `SIGKILL` for 9; `SIG35` for a number without a name. */
export const toSignalName = (number: number): string => signalNames.get(number) ?? `SIG${number}`

/** `ENOENT` for 2; `errno N` for a number without a name. */
export const toErrorName = (errno: number): string => errorNames.get(errno) ?? `errno ${errno}`

/** `chdir` for 8; `step N` for a number without a name. */
export const toStepName = (step: number): string => stepNames.get(step) ?? `step ${step}`

/** Splits the socket's data into frames. Passes output on as it arrives, even part of a frame; passes other payloads on when they are complete. */
export function createFrameReader(onFrame: (type: number, payload: Buffer) => void) {
  const header = Buffer.alloc(bounds.header)
  let headerHas = 0
  let missing = 0
  const parts: Buffer[] = []
  return (chunk: Buffer) => {
    for (let at = 0; at < chunk.length;) {
      if (headerHas < bounds.header) {
        const taken = chunk.copy(header, headerHas, at)
        headerHas += taken
        at += taken
        if (headerHas < bounds.header) return
        missing = header.readUInt32LE(0)
      }
      const piece = chunk.subarray(at, at + missing)
      at += piece.length
      missing -= piece.length
      if (missing === 0) headerHas = 0
      const type = header[4]!
      if (type === messages.stdout || type === messages.stderr) {
        if (piece.length > 0) onFrame(type, piece)
        continue
      }
      parts.push(piece)
      if (missing === 0) onFrame(type, Buffer.concat(parts.splice(0)))
    }
  }
}
