import type { Ended, OutputOptions } from '../dialects/index.ts'
import type { CollectedOutput, ExecRecord, Stream } from '../../shared/schema/index.ts'
import { cutCharacterBytes, type RunOutput } from '../store/index.ts'

/** Maximum bytes per stream of "the whole output" in a reply; GET /runs/:id/output returns the rest. */
const MAX_WHOLE_BYTES = 16_777_216

/** Returns as much of each stream as the dialect's text needs, with the number of bytes. */
export async function textsOf(
  output: RunOutput,
  record: ExecRecord,
  shown: CollectedOutput | null,
  options: OutputOptions,
): Promise<StoredOutput> {
  const { stdout, stderr, stdout_bytes, stderr_bytes } = record
  const storedBytes = { stdout: output.keptBytes('stdout'), stderr: output.keptBytes('stderr') }
  if (options.keep === 'canonical' || record.status === 'denied') {
    return { stdout, stderr, givenBytes: { stdout: stdout_bytes, stderr: stderr_bytes }, storedBytes }
  }
  const maxBytes = options.keep === 'whole' ? MAX_WHOLE_BYTES : options.maxBytes
  const beginningOf = async (stream: Stream, size: number) => {
    const head = shown?.[stream].head.subarray(0, maxBytes)
    const bytes = head?.length === Math.min(maxBytes, size) ? head : await read(output, stream, maxBytes)
    return bytes.length < size ? bytes.subarray(0, bytes.length - cutCharacterBytes(bytes)) : bytes
  }
  const out = await beginningOf('stdout', stdout_bytes)
  const err = await beginningOf('stderr', stderr_bytes)
  const givenBytes = { stdout: out.length, stderr: err.length }
  return { stdout: out.toString(), stderr: err.toString(), givenBytes, storedBytes }
}

type StoredOutput = Pick<Ended, 'stdout' | 'stderr' | 'givenBytes' | 'storedBytes'>

/** Reads the first stored bytes of a stream. */
async function read(output: RunOutput, stream: Stream, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  const end = Math.min(output.keptBytes(stream), maxBytes)
  for (let at = 0; at < end; at += pieces.at(-1)!.length) {
    const piece = await output.read(stream, at, end - at)
    if (piece.length === 0) break
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
