import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  endings,
  type ExecRecord,
  type RunStatus,
  type CollectedOutput,
  type RunSummary,
} from '../../shared/schema/index.ts'
import type { Entries } from './ended-entry.ts'
import { EndedOutput, nothingShown } from './ended-output.ts'
import { parseEnd, parseEndRecord, type RunKey } from './history-line.ts'
import type { StoreOptions } from './options.ts'
import type { Quota } from './quota.ts'
import { toStored } from './redact.ts'
import type { LineAddress, Segments } from './segments.ts'
import type { Warnings } from './warnings.ts'

/** Maximum number of records in one list. */
const MAX_LIST = 1000

/** The storage of history and outputs. */
export interface Disk {
  segments: Segments
  quota: Quota
}

export interface HistoryParts extends Required<StoreOptions> {
  /** null: history is only in memory */
  disk: Disk | null
  warnings: Warnings
}

/** A run that has not ended, and the segment that contains its begin line; 0: none. */
export interface LiveRun {
  record: ExecRecord
  key: RunKey | undefined
  segment: number
}

export interface ListQuery {
  /** `live`: every status except the final ones */
  status?: RunStatus | 'live'
  /** part of the command or of the id, case-insensitive */
  q?: string
  /** returns true for the records to list */
  matches?: ((record: RunSummary) => boolean) | undefined
  /** at most 1000 */
  limit: number
  /** only runs older than this one */
  before?: string | undefined
}

/** A record and the output that its reply was made from; null: the output is no longer stored. */
export interface EndedRun {
  record: RunSummary
  shown: CollectedOutput | null
  /** the service stopped before the run ended */
  wasCutOff: boolean
}

const hasStatus = (status: string | undefined, wanted: ListQuery['status']): boolean =>
  wanted === undefined || (wanted === 'live' ? !endings.some((ending) => ending === status) : status === wanted)

/** All runs that history knows: live runs, and ended runs in the order in which they ended. */
export class HistoryIndex {
  readonly live = new Map<string, LiveRun>()

  /** `entries`: the ended runs on disk */
  constructor(
    private readonly entries: Entries,
    private readonly parts: HistoryParts,
  ) {}

  hasFiles(id: string): boolean {
    return this.entries.get(id)?.files ?? false
  }

  /** The position of the end line of a run; null: it is not on disk. */
  addressOf(id: string): LineAddress | null {
    const entry = this.entries.get(id)
    return entry === undefined || entry.line !== undefined || this.parts.disk === null
      ? null
      : { segment: entry.segment, offset: entry.offset }
  }

  /** The stored record of a run; null: the run is unknown or forgotten. */
  async get(id: string): Promise<EndedRun | null> {
    const live = this.#liveRecord(id)
    if (live) return { record: live, shown: nothingShown, wasCutOff: false }
    const output = this.output(id)
    if (output === null) return null
    const { record, cutOff = false } = output.line
    return { record, shown: await output.shown(), wasCutOff: cutOff }
  }

  /** The output of an ended run; null: the run is unknown. */
  output(id: string): EndedOutput | null {
    const line = this.#read(id, parseEnd)
    return line && new EndedOutput(line, this.parts.disk?.quota.folder ?? null, this.parts.warnings)
  }

  /** Newest first. */
  async list({ status, q = '', matches, limit, before }: ListQuery): Promise<RunSummary[]> {
    const ids = [...(status === 'live' ? [] : this.entries.keys()), ...this.live.keys()].sort()
    const text = q.toLowerCase()
    const found: RunSummary[] = []
    for (let at = ids.length - 1; at >= 0 && found.length < Math.min(limit, MAX_LIST); at--) {
      const id = ids[at]!
      const known = this.live.get(id)?.record ?? this.entries.get(id)
      if ((before !== undefined && id >= before) || !hasStatus(known?.status, status)) continue
      // a long search must not block the event loop
      if (at % 128 === 0) await nextTurn()
      const record = this.#liveRecord(id) ?? this.#read(id, parseEndRecord)
      if (record && matches?.(record) === false) continue
      if (record && (id.includes(text) || record.command.toLowerCase().includes(text))) found.push(record)
    }
    return found
  }

  #liveRecord(id: string): RunSummary | null {
    const run = this.live.get(id)
    return run ? toStored(run.record, this.parts.redact) : null
  }

  /** Reads and parses the end line of a run; null: the run is unknown, or its line is damaged or unreadable. */
  #read<T>(id: string, parse: (line: Buffer) => T | null): T | null {
    const entry = this.entries.get(id)
    if (entry === undefined) return null
    const { disk, warnings } = this.parts
    try {
      const { line, length } = entry
      const found = parse(line === undefined ? disk!.segments.readAt(entry, length) : Buffer.from(line.slice(0, -1)))
      if (found === null) warnings.count('DAMAGED_LINES', 1, id)
      return found
    } catch (error) {
      warnings.set('NOT_READ', error)
      return null
    }
  }
}
