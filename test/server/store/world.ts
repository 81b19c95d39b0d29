import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import { toReply } from '../../../src/server/exec/index.ts'
import { type Collected, type ExecRecord, newRecord } from '../../../src/shared/schema/index.ts'
import {
  createStore,
  newRunId,
  type OutputPiece,
  type RunKey,
  type Store,
  type StoreOptions,
} from '../../../src/server/store/index.ts'

export const MIB = 1_048_576

export const options = (directory: string, changes: Partial<StoreOptions> = {}): StoreOptions => ({
  directory,
  enabled: true,
  maxRunSpoolBytes: 64 * MIB,
  maxSpoolBytes: 1024 * MIB,
  minFreeBytes: MIB,
  historyMaxAgeDays: 30,
  historyMaxCount: 10_000,
  redact: true,
  log: () => undefined,
  ...changes,
})

/** A temporary folder that is removed after the test. */
export const home = (t: Test): string => {
  const directory = mkdtempSync(path.join(tmpdir(), 'shellphone-store-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export const open = (t: Test, directory: string, changes: Partial<StoreOptions> = {}): Store => {
  const store = createStore(options(directory, changes))
  t.teardown(() => store.close())
  return store
}

export const record = (changes: Partial<ExecRecord> = {}): ExecRecord => ({
  ...newRecord({
    id: newRunId(Date.now()),
    command: 'echo hello',
    working_directory: '/tmp',
    timeout_seconds: 30,
    max_length: 50_000,
    sandbox: 'none',
    notes: [],
  }),
  status: 'running',
  ...changes,
})

/** The record with its rebuilt texts. */
export const reply = async (store: Store, id: string): Promise<ExecRecord | null> => {
  const ended = await store.history.get(id)
  return ended && toReply(ended)
}

/** A stream as the pool would have collected it completely. */
export const collected = (bytes: Buffer): Collected => ({
  bytes: bytes.length,
  lines: bytes.toString('latin1').split('\n').length - 1,
  head: bytes,
  tail: Buffer.alloc(0),
})

type Chunks = ['stdout' | 'stderr', Buffer][]

/** A complete run, in the steps that exec takes. */
export const run = async (
  store: Store,
  chunks: Chunks,
  changes: Partial<ExecRecord> = {},
  key?: RunKey,
): Promise<ExecRecord> => {
  const begun = record(changes)
  await store.history.begin(begun, key)
  const spool = store.spool(begun.id)
  for (const [stream, chunk] of chunks) {
    await spool.append(stream, chunk)
  }
  const summary = await spool.finish()
  const text = (stream: string) => Buffer.concat(chunks.filter(([name]) => name === stream).map(([, chunk]) => chunk))
  const stdout = text('stdout').toString().slice(0, 50_000)
  const ended: ExecRecord = {
    ...begun,
    status: 'completed',
    exit_code: 0,
    stdout,
    stderr: text('stderr').toString().slice(0, 50_000),
    stdout_bytes: summary.stdout.bytes,
    stderr_bytes: summary.stderr.bytes,
    output: `[Exit Code: 0]\n${stdout}`,
    notes: summary.notes,
    ...(changes.status ? { status: changes.status } : {}),
  }
  const shown = { stdout: collected(text('stdout')), stderr: collected(text('stderr')) }
  await store.history.end(ended, summary, { encoding: 'utf8', ...shown, guards: [] })
  return ended
}

/** A complete run with an Idempotency-Key. */
export const runKeyed = (store: Store, chunks: Chunks, key: string, changes: Partial<ExecRecord> = {}) => {
  const id = newRunId(Date.now())
  store.keys.claim(key, DIGEST, id)
  return run(store, chunks, { id, ...changes }, { key, digest: DIGEST })
}

/** The digest of the body of all keyed requests in these tests. */
export const DIGEST = 'body'

export const collect = async (pieces: AsyncIterable<OutputPiece>) => {
  const parts: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] }
  const sequence: string[] = []
  let largest = 0
  for await (const { stream, data } of pieces) {
    parts[stream].push(data)
    sequence.push(`${stream[3]}${data.toString('latin1')}`)
    largest = Math.max(largest, data.length)
  }
  return { stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr), sequence, largest }
}
