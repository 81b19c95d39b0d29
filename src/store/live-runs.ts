import { type ExecRecord, Registry, ShellphoneError } from '../schema/index.ts'
import { reasonOf } from './folder.ts'
import { beginLine, keyLine, type RunKey, toLineRecord } from './history-line.ts'
import type { HistoryWriter } from './history-writer.ts'
import type { OpenKeys } from './keys.ts'
import type { Warnings } from './warnings.ts'

const KEY_REFUSED = 'a key cannot be kept'

/** A run that is still going, and the segment that holds its begin line; 0: none does. */
export interface LiveRun {
  record: ExecRecord
  key: RunKey | undefined
  segment: number
}

/** The runs that have begun and not ended. */
export interface LiveRuns {
  get(id: string): LiveRun | undefined
  has(id: string): boolean
  ids(): string[]
  begin(record: ExecRecord, key?: RunKey): Promise<void>
  end(id: string): void
  /** Writes the begin lines of a segment again: it is about to be forgotten. */
  carryFrom(segment: number): void
}

export interface LiveRunsOptions {
  keys: OpenKeys
  /** a key must be on the disk before its run starts */
  keysMustLast: boolean
  stored(record: ExecRecord): ExecRecord
  warnings: Warnings
}

export const createLiveRuns = (writer: () => HistoryWriter, options: LiveRunsOptions): LiveRuns => {
  const { keys, keysMustLast, stored, warnings } = options
  const live = new Registry<string, LiveRun>()

  const toLine = ({ record, key }: LiveRun): string => beginLine(toLineRecord(stored(record)), key)

  const write = (run: LiveRun): void => {
    run.segment = writer().write(toLine(run), true)?.segment ?? 0
  }

  /** Without its key a run must not start: a crash could run the command twice. */
  const writeKeyed = async (run: LiveRun, key: RunKey): Promise<void> => {
    const { id } = run.record
    try {
      run.segment = (await writer().writeKeyed(toLine(run), keyLine(id, key))).segment
    } catch (error) {
      live.delete(id)
      warnings.set(KEY_REFUSED, error)
      const message = `Idempotency-Key: it cannot be kept, so that the command was not run: ${reasonOf(error)}`
      throw new ShellphoneError('EXECUTION_ERROR', message)
    }
    keys.written(key.key, run.segment)
    warnings.clear(KEY_REFUSED)
  }

  return {
    get: (id) => live.get(id),
    has: (id) => live.has(id),
    ids: () => live.keys(),
    begin: async (record, key) => {
      const run: LiveRun = { record, key, segment: 0 }
      live.set(record.id, run)
      if (key && keysMustLast) await writeKeyed(run, key)
      else write(run)
    },
    end: (id) => live.delete(id),
    carryFrom: (segment) => {
      for (const run of live.values()) if (run.segment === segment) write(run)
    },
  }
}
