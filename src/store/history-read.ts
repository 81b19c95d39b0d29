import type { ExecRecord, Registry, RunStatus, Shown } from '../schema/index.ts'
import { EndedOutput, nothingShown } from './ended-output.ts'
import type { HistoryIndex } from './history-index.ts'
import { type EndLine, parseEndRecord, parseSealed, type RunRecord } from './history-line.ts'
import { DAMAGED_LINES } from './losses.ts'
import type { Segments } from './segments.ts'
import type { Warnings } from './warnings.ts'

/** One list answers at most so many. */
const MAX_LIST = 1000

export interface ListQuery {
  status?: RunStatus
  /** part of the command or of the id, in any case */
  q?: string
  /** at most 1000 */
  limit: number
  /** only runs older than this one */
  before?: string
}

/** A record, and what the texts of its reply are made of; null: that is no longer kept. */
export interface EndedRun {
  record: RunRecord
  shown: Shown | null
}

export interface HistoryReaderOptions {
  index: HistoryIndex
  /** the runs that have not ended */
  live: Registry<string, { record: ExecRecord }>
  stored(record: ExecRecord): ExecRecord
  /** null: in memory alone */
  segments: Segments | null
  /** runs/, where files are; null: there are none */
  folder: string | null
  warnings: Warnings
}

const withoutTexts = ({ stdout: _1, stderr: _2, output: _3, ...rest }: ExecRecord): RunRecord => rest

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What history knows, for whoever asks. */
export class HistoryReader {
  constructor(private readonly options: HistoryReaderOptions) {}

  /** The record as it is stored; null: not known, or no longer. */
  async get(id: string): Promise<EndedRun | null> {
    const record = this.#liveRecord(id)
    if (record) return { record, shown: nothingShown }
    const line = this.#line(id)
    return line && { record: line.record, shown: await this.#toOutput(line).shown() }
  }

  /** The output of an ended run; null: not known. */
  output(id: string): EndedOutput | null {
    const line = this.#line(id)
    return line && this.#toOutput(line)
  }

  /** Newest first. */
  async list({ status, q = '', limit, before }: ListQuery): Promise<RunRecord[]> {
    const { index, live } = this.options
    const ids = [...index.ids(), ...live.keys()].sort()
    const text = q.toLowerCase()
    const found: RunRecord[] = []
    for (let at = ids.length - 1; at >= 0 && found.length < Math.min(limit, MAX_LIST); at--) {
      const id = ids[at]!
      if ((before !== undefined && id >= before) || !this.#hasStatus(id, status)) continue
      // a long search lets others have their turn
      if (at % 128 === 0) await nextTurn()
      const record = this.#liveRecord(id) ?? this.#read(id, parseEndRecord)
      if (record && (id.includes(text) || record.command.toLowerCase().includes(text))) found.push(record)
    }
    return found
  }

  #hasStatus(id: string, status: RunStatus | undefined): boolean {
    const { index, live } = this.options
    return status === undefined || (live.get(id)?.record ?? index.get(id))?.status === status
  }

  #liveRecord(id: string): RunRecord | null {
    const run = this.options.live.get(id)
    return run ? withoutTexts(this.options.stored(run.record)) : null
  }

  #toOutput(line: EndLine): EndedOutput {
    return new EndedOutput(line, this.options.folder, this.options.warnings)
  }

  #line(id: string): EndLine | null {
    return this.#read(id, parseSealed<EndLine>)
  }

  /** null: not known, or the disk gives back something else, or nothing. */
  #read<T>(id: string, parse: (line: Buffer) => T | null): T | null {
    const { index, segments, warnings } = this.options
    const entry = index.get(id)
    if (entry === undefined) return null
    try {
      const { line, length } = entry
      const found = parse(line === undefined ? segments!.readAt(entry, length) : Buffer.from(line.slice(0, -1)))
      if (found === null) warnings.count(DAMAGED_LINES, 1, id)
      return found
    } catch (error) {
      warnings.set('history cannot be read', error)
      return null
    }
  }
}
