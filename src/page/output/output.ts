import { Blocks } from './blocks.ts'
import { createDrawer } from './draw.ts'
import { createReader } from './reader.ts'

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

/** What an output tells of itself. */
export interface Told {
  lines: number
  dropped: number
  isFollowing: boolean
}

/** An output that grows in `scroller`, whatever comes how fast: its newest lines, drawn once a picture. */
export class Output {
  readonly #blocks = new Blocks()
  readonly #draw: (blocks: Blocks) => void
  readonly #readers: Record<Stream, (bytes: Uint8Array | null) => void>
  #waiting: { stream: Stream; bytes: Uint8Array }[] = []
  #waitingBytes = 0
  #writers: (() => void)[] = []
  #isFollowing = true
  #top = 0
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    readonly scroller: HTMLElement,
    readonly box: HTMLElement,
    readonly tell: (told: Told) => void,
  ) {
    this.#draw = createDrawer(box)
    this.#readers = { stdout: decoded('stdout', this.#blocks), stderr: decoded('stderr', this.#blocks) }
    scroller.addEventListener('scroll', this.#scrolled, { passive: true })
  }

  /** Resolves when there is room for more. */
  async write(stream: Stream, bytes: Uint8Array): Promise<void> {
    this.#waiting.push({ stream, bytes })
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
    this.#draw(this.#blocks)
    if (this.#isFollowing) this.#toEnd()
    this.#say()
    if (this.#waiting.length > 0) this.#soon()
  }

  #read(): void {
    const end = performance.now() + FRAME_MS
    for (let bytes = 0; this.#waiting.length > 0 && bytes < FRAME_BYTES && performance.now() < end;) {
      const first = this.#waiting[0]!
      const slice = first.bytes.subarray(0, SLICE_BYTES)
      this.#readers[first.stream](slice)
      first.bytes = first.bytes.subarray(slice.length)
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
    if (scrollHeight - scrollTop - clientHeight <= END_PIXELS) this.#isFollowing = true
    else if (scrollTop < this.#top) this.#isFollowing = false
    this.#top = scrollTop
    if (was !== this.#isFollowing) this.#say()
  }

  #say(): void {
    this.tell({ lines: this.#blocks.count, dropped: this.#blocks.dropped, isFollowing: this.#isFollowing })
  }
}

/** Bytes of a stream onto lines; null: there are no more. */
function decoded(stream: Stream, blocks: Blocks): (bytes: Uint8Array | null) => void {
  const decoder = new TextDecoder()
  const read = createReader(stream, blocks)
  return (bytes) => read(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode())
}
