import { BLOCK_LINES, Blocks } from './line-blocks.ts'
import { createDrawer } from './draw.ts'
import { createDecoder, type Older, type OutputPosition } from './older.ts'

type Stream = 'stdout' | 'stderr'

/** What is read and drawn between two pictures: bytes, and milliseconds of reading. */
const FRAME_BYTES = 1_000_000
const FRAME_MS = 24
/** What waits to be read; who writes more is asked to wait, too. */
const WAITING_BYTES = 2_000_000
/** Read at once, before the clock is looked at. */
const SLICE_BYTES = 32_768
/** A page that nobody sees draws no pictures, and reads on all the same. */
const UNSEEN_MS = 200
/** So near to the end is at the end. */
const END_PIXELS = 32
/** So near to the beginning, what lies before is wanted. */
const TOP_PIXELS = 200

/** What an output tells of itself. */
export interface OutputState {
  lines: number
  dropped: number
  isFollowing: boolean
  /** an older part is shown: where it begins and ends in stdout */
  older: Pick<Older, 'from' | 'to'> | null
}

/** An output that grows in `scroller`, whatever comes how fast: its newest lines, drawn once a picture. */
export class ShownOutput {
  readonly #blocks = new Blocks()
  readonly #draw: (blocks: Blocks) => void
  readonly #readers: Record<Stream, (bytes: Uint8Array | null) => void>
  #older: Older | null = null
  #isMoving = false
  /** bytes of stdout that were read */
  #end = 0
  #waiting: { stream: Stream; bytes: Uint8Array; offset: number }[] = []
  #waitingBytes = 0
  #writers: (() => void)[] = []
  #isFollowing = true
  #top = 0
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    readonly scroller: HTMLElement,
    readonly box: HTMLElement,
    readonly tell: (told: OutputState) => void,
    /** stdout around a place; null: it cannot be had */
    readonly read: (place: OutputPosition) => Promise<Older | null>,
  ) {
    this.#draw = createDrawer(box)
    this.#readers = {
      stdout: createDecoder('stdout', this.#blocks),
      stderr: createDecoder('stderr', this.#blocks),
    }
    scroller.addEventListener('scroll', this.#scrolled, { passive: true })
  }

  /** Resolves when there is room for more; `offset`: of the bytes in their stream. */
  async write(stream: Stream, bytes: Uint8Array, offset: number): Promise<void> {
    this.#waiting.push({ stream, bytes, offset })
    this.#waitingBytes += bytes.length
    this.#soon()
    if (this.#waitingBytes > WAITING_BYTES) await new Promise<void>((resolve) => this.#writers.push(resolve))
  }

  /** Resolves when all was read and drawn. */
  async end(): Promise<void> {
    while (this.#waiting.length > 0) await new Promise((resolve) => setTimeout(resolve, UNSEEN_MS / 4))
    for (const read of Object.values(this.#readers)) read(null) // what was the beginning of a character is none
    this.#picture()
  }

  /** The end stays in sight from now on. */
  follow(): void {
    this.#isFollowing = true
    this.#older = null
    this.#draw(this.#blocks)
    this.#toEnd()
    this.#say()
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    this.scroller.removeEventListener('scroll', this.#scrolled)
    this.#waiting = []
    this.#wake()
  }

  #wake(): void {
    for (const resolve of this.#writers.splice(0)) resolve()
  }

  #soon(): void {
    if (this.#timer !== undefined) return
    this.#frame = requestAnimationFrame(this.#picture)
    this.#timer = setTimeout(this.#picture, UNSEEN_MS)
  }

  #picture = (): void => {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#read()
    if (!this.#older) this.#draw(this.#blocks)
    if (this.#isFollowing) this.#toEnd()
    this.#say()
    if (this.#waiting.length > 0) this.#soon()
  }

  #read(): void {
    const end = performance.now() + FRAME_MS
    for (let bytes = 0; this.#waiting.length > 0 && bytes < FRAME_BYTES && performance.now() < end;) {
      const first = this.#waiting[0]!
      const slice = first.bytes.subarray(0, SLICE_BYTES)
      if (first.stream === 'stdout') this.#blocks.from(first.offset)
      this.#readers[first.stream](slice)
      first.bytes = first.bytes.subarray(slice.length)
      first.offset += slice.length
      if (first.stream === 'stdout') this.#end = first.offset
      bytes += slice.length
      this.#waitingBytes -= slice.length
      if (first.bytes.length === 0) this.#waiting.shift()
    }
    this.#blocks.touch()
    if (this.#waitingBytes <= WAITING_BYTES) this.#wake()
  }

  #toEnd(): void {
    this.scroller.scrollTop = this.scroller.scrollHeight
    this.#top = this.scroller.scrollTop
  }

  /** Who scrolls up wants to stay there; who comes to the end follows again. What moves by itself moves down. */
  #scrolled = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller
    const was = this.#isFollowing
    const isUp = scrollTop < this.#top
    const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_PIXELS
    if (isAtEnd) this.#isFollowing = !this.#older
    else if (isUp) this.#isFollowing = false
    this.#top = scrollTop
    if (isUp && scrollTop < TOP_PIXELS) void this.earlier()
    else if (isAtEnd && this.#older) void this.#later(this.#older)
    if (was !== this.#isFollowing) this.#say()
  }

  /** What lies before comes into sight. */
  earlier(): Promise<void> | void {
    const place = this.#older ? { at: this.#older.from, ahead: 0 } : this.#blocks.all[0]!
    if (place.at + place.ahead > 0) return this.#move(place)
  }

  /** Where the newest lines are surely reached, they stand there again: a block begins within a slice behind its `at`. */
  #later({ to }: Older): Promise<void> | void {
    const { all } = this.#blocks
    const isReached = (at: number) => at + SLICE_BYTES <= to
    if (to < this.#end && !isReached(all[0]!.at)) return this.#move({ at: to, ahead: 0 })
    const first = all.findLast(({ at }) => isReached(at))?.at ?? all[0]!.at
    this.#show(null, all.findIndex(({ at }) => at === first) * BLOCK_LINES)
  }

  async #move(place: OutputPosition): Promise<void> {
    if (this.#isMoving) return
    this.#isMoving = true
    const older = await this.read(place)
    this.#isMoving = false
    if (older) this.#show(older, older.line)
  }

  /** An older part, or the newest lines again; that line stands where the eye is. */
  #show(older: Older | null, line: number): void {
    this.#older = older
    this.#isFollowing = false
    this.#draw(older?.blocks ?? this.#blocks)
    this.scroller.scrollTop = topOf(this.box, line)
    this.#top = this.scroller.scrollTop
    this.#say()
  }

  #say(): void {
    const { count, dropped } = this.#blocks
    this.tell({ lines: count, dropped, isFollowing: this.#isFollowing, older: this.#older })
  }
}

/** How far down a line stands, about. */
function topOf(box: HTMLElement, line: number): number {
  const block = box.children[Math.floor(line / BLOCK_LINES)] as HTMLElement | undefined
  if (!block) return box.scrollHeight
  return block.offsetTop - box.offsetTop + (block.offsetHeight * (line % BLOCK_LINES)) / BLOCK_LINES
}
