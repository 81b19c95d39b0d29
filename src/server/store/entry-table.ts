import { type RunStatus, statuses } from '../../shared/schema/index.ts'
import type { Place } from './segments.ts'

/** Where the end line of a run is: in a segment, or (the disk refused it) in memory. */
export interface Entry extends Place {
  status: RunStatus
  /** when it ended, by the age clock */
  ageMs: number
  length: number
  /** is there anything in runs/ for it? */
  files: boolean
  line?: string | undefined
}

const ID_BYTES = 26
/** segment, offset, length */
const PLACE = 3
/** of a row's state: 0 is a row that was deleted, else 1 + its status, and this */
const FILES = 128
/** So many rows more, or an eighth, when all are taken. */
const STEP = 4096

/**
 * Ended runs by id, in the order in which they ended: what a Map of entries would be in a third of its memory (some 60 bytes a run, of which
 * there may be a million), and nothing that the garbage collector has to walk. Rows are a ring, found by a hash of the id.
 */
export class EntryTable {
  size = 0
  #first = 0
  #end = 0
  #ids = Buffer.alloc(STEP * ID_BYTES)
  #places = new Uint32Array(STEP * PLACE)
  #agesMs = new Float64Array(STEP)
  #states = new Uint8Array(STEP)
  /** row + 1 by hash, the next free place where that is taken; at most half of it is */
  #slots = new Int32Array(2 * STEP)
  readonly #lines = new Map<string, string>()

  get(id: string): Entry | undefined {
    const row = this.#slots[this.#slotOf(id)]! - 1
    return row < 0 ? undefined : this.#entryAt(row)
  }

  /** An entry that is there already keeps its place in the order. */
  set(id: string, entry: Entry): void {
    if (this.#end - this.#first === this.#states.length) this.#makeRoom()
    const slot = this.#slotOf(id)
    if (this.#slots[slot] === 0) {
      const row = this.#end++ % this.#states.length
      this.#ids.write(id, row * ID_BYTES, 'latin1')
      this.#slots[slot] = row + 1
      this.size++
    }
    const { segment, offset, length, ageMs, status, files, line } = entry
    const row = this.#slots[slot]! - 1
    this.#places.set([segment, offset, length], row * PLACE)
    this.#agesMs[row] = ageMs
    this.#states[row] = (1 + statuses.indexOf(status)) | (files ? FILES : 0)
    if (line === undefined) this.#lines.delete(id)
    else this.#lines.set(id, line)
  }

  delete(id: string): void {
    const slot = this.#slotOf(id)
    const row = this.#slots[slot]! - 1
    if (row < 0) return
    this.#states[row] = 0
    this.#lines.delete(id)
    this.#free(slot)
    this.size--
    while (this.#first < this.#end && this.#states[this.#first % this.#states.length] === 0) this.#first++
  }

  *[Symbol.iterator](): Generator<[string, Entry]> {
    for (const row of this.#rows()) yield [this.#idAt(row), this.#entryAt(row)]
  }

  *ids(): Generator<string> {
    for (const row of this.#rows()) yield this.#idAt(row)
  }

  /** As they are now: while they are walked through, some may go. */
  *#rows(states = this.#states, first = this.#first, end = this.#end): Generator<number> {
    for (let at = first; at < end; at++) if (states[at % states.length] !== 0) yield at % states.length
  }

  #idAt(row: number): string {
    return this.#ids.toString('latin1', row * ID_BYTES, (row + 1) * ID_BYTES)
  }

  #entryAt(row: number): Entry {
    const [at, places, state] = [row * PLACE, this.#places, this.#states[row]!]
    return {
      status: statuses[(state & ~FILES) - 1]!,
      segment: places[at]!,
      offset: places[at + 1]!,
      length: places[at + 2]!,
      ageMs: this.#agesMs[row]!,
      files: state >= FILES,
      line: this.#lines.size === 0 ? undefined : this.#lines.get(this.#idAt(row)),
    }
  }

  /** Where it is, or would be. */
  #slotOf(id: string): number {
    const last = this.#slots.length - 1
    let slot = hash(id) & last
    while (this.#slots[slot] !== 0 && this.#idAt(this.#slots[slot]! - 1) !== id) slot = (slot + 1) & last
    return slot
  }

  /** Whoever stands behind it, and could not have its own place, moves up. */
  #free(slot: number): void {
    const last = this.#slots.length - 1
    for (let at = (slot + 1) & last; this.#slots[at] !== 0; at = (at + 1) & last) {
      const wanted = hash(this.#idAt(this.#slots[at]! - 1))
      if (((at - wanted) & last) < ((at - slot) & last)) continue
      this.#slots[slot] = this.#slots[at]!
      slot = at
    }
    this.#slots[slot] = 0
  }

  /** All into a greater ring, without the rows that were deleted. */
  #makeRoom(): void {
    const [ids, places, agesMs, states] = [this.#ids, this.#places, this.#agesMs, this.#states]
    const rows = this.#rows()
    const room = this.size + Math.max(STEP, this.size >> 3)
    this.#ids = Buffer.alloc(room * ID_BYTES)
    this.#places = new Uint32Array(room * PLACE)
    this.#agesMs = new Float64Array(room)
    this.#states = new Uint8Array(room)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * room)))
    this.#first = this.#end = 0
    for (const row of rows) {
      const to = this.#end++
      ids.copy(this.#ids, to * ID_BYTES, row * ID_BYTES, (row + 1) * ID_BYTES)
      this.#places.set(places.subarray(row * PLACE, (row + 1) * PLACE), to * PLACE)
      this.#agesMs[to] = agesMs[row]!
      this.#states[to] = states[row]!
      this.#slots[this.#slotOf(this.#idAt(to))] = to + 1
    }
  }
}

/** The last of its digits, of 5 bits each: they are random. */
function hash(id: string): number {
  let sum = 0
  for (let at = ID_BYTES - 6; at < ID_BYTES; at++) sum = sum * 32 + (id.charCodeAt(at) & 31)
  return sum
}
