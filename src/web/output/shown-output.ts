import { BLOCK_LINES, type Block, Blocks, type LineAddress, type LinePosition } from './line-blocks.ts'
import { createBlockDrawer, firstLineIn, topOf } from './draw-blocks.ts'
import { createFrameRequest } from './frame-request.ts'
import { numberAfter, type OlderPart } from './older.ts'
import type { FoundLine } from './search-run.ts'
import * as limits from './output-limits.ts'
import type { LineColumns, OutputOptions } from './output-state.ts'
import { OutputQueue, type StreamPiece } from './output-queue.ts'
import { ViewPosition } from './view-position.ts'

/** The growing output in `scroller`: its newest lines, drawn once per animation frame, no matter how fast they arrive. */
export class ShownOutput {
  readonly #blocks = new Blocks()
  readonly #draw: (blocks: Blocks) => void
  readonly #queue = new OutputQueue(this.#blocks)
  #older: OlderPart | null = null
  #isMoving = false
  #isComplete = false
  #isFollowing = true
  #columns: LineColumns
  #linked: LineAddress | null = null
  /** whether the linked line is to be shown, and whether it is */
  #isLinkSought = false
  #isLinkShown = false
  readonly #view: ViewPosition
  readonly #frame = createFrameRequest(() => this.#drawFrame())
  readonly #closing = new AbortController()

  constructor(
    readonly scroller: HTMLElement,
    readonly container: HTMLElement,
    readonly options: OutputOptions,
  ) {
    this.#columns = options.columns
    this.#blocks.numberedIn = options.only
    this.#draw = createBlockDrawer(container, () => ({ ...this.#columns, linked: this.#linked }))
    const { signal } = this.#closing
    scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true, signal })
    this.#view = new ViewPosition(scroller, () => this.#acted(), signal)
    const resized = new ResizeObserver(() => this.#isFollowing && !this.#view.isLeaving() && this.#view.toEnd())
    resized.observe(scroller)
    signal.addEventListener('abort', () => resized.disconnect())
  }

  /** Takes a piece of a stream; resolves when there is room for more. */
  async write(piece: StreamPiece): Promise<void> {
    if (this.isClosed) return
    this.#frame.request()
    await this.#queue.write(piece)
  }

  /** Resolves when everything has been read and drawn. */
  async end(): Promise<void> {
    while (!this.#queue.isEmpty) await new Promise((resolve) => setTimeout(resolve, limits.HIDDEN_MS / 4))
    this.#queue.flush()
    this.#isComplete = true
    this.#drawFrame()
  }

  /** What still arrives after that belongs to an output that the page no longer shows. */
  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** Scrolls to the end and keeps it in view. */
  follow(): void {
    this.#isFollowing = true
    this.#isLinkSought = false
    this.#older = null
    this.#draw(this.#blocks)
    this.#view.toEnd()
    this.#notify()
  }

  close(): void {
    this.#frame.cancel()
    this.#closing.abort()
    this.#queue.close()
  }

  #drawFrame(): void {
    this.#frame.cancel()
    if (this.isClosed) return
    const isLeaving = this.#view.isLeaving()
    this.#queue.read()
    if (!this.#older) this.#draw(this.#blocks)
    this.#showLinked()
    if (this.#isFollowing && !isLeaving) this.#view.toEnd()
    this.#notify()
    if (!this.#queue.isEmpty) this.#frame.request()
  }

  #acted(): void {
    if (this.#isLinkShown) this.#isLinkSought = false
  }

  /** When the user scrolls up, following stops; scrolling to the end resumes it. */
  #scrolled(): void {
    const { isByUser, isUp, top, left } = this.#view.movement()
    const wasFollowing = this.#isFollowing
    if (wasFollowing && !isByUser) return this.#view.toEnd()
    const isAtEnd = left <= limits.END_PIXELS
    if (isUp && left > 1) this.#isFollowing = false
    else if (isAtEnd && !this.#view.isHeld) this.#isFollowing = !this.#older
    if (isUp && top < limits.TOP_PIXELS) void this.loadEarlier()
    else if (isAtEnd && this.#older) void this.#loadLater(this.#older)
    if (wasFollowing !== this.#isFollowing) this.#notify()
  }

  /** Shows the output before the part that is on the screen. */
  loadEarlier(): Promise<unknown> | void {
    const { start, hasEarlier } = this.shown
    if (hasEarlier) return this.#moveTo(start)
  }

  /** Shows the beginning of the output. */
  toStart(isLoaded: boolean): Promise<unknown> | void {
    if (!isLoaded) return this.#load(() => this.options.readLine(1))
    this.display(null, 0)
  }

  /** Shows a found line; resolves with its index among the shown lines, or null if it cannot be read. */
  async showLine(line: FoundLine): Promise<number | null> {
    return (await this.#load(() => this.options.readLine(line)))?.line ?? null
  }

  /** The newest lines, which are on the screen unless an older part is. */
  get newest(): Blocks {
    return this.#blocks
  }

  /** Where the first visible line stands. */
  get position(): LinePosition {
    return this.shown.positionOf(firstLineIn(this.scroller, this.container))
  }

  /** Shows or hides what stands before each line. */
  setColumns(columns: LineColumns): void {
    this.#columns = columns
    this.#redraw()
  }

  /** Marks a line and shows it, now or when it arrives; null: no line. */
  link(line: LineAddress | null): void {
    if (this.#linked === line) return
    this.#linked = line
    this.#isLinkSought = true
    this.#isLinkShown = false
    if (line) this.#columns = { ...this.#columns, isNumbered: true }
    this.#redraw()
  }

  #redraw(): void {
    const { all } = this.shown
    for (const block of all) block.isStale = true
    this.#draw(this.shown)
    this.#showLinked()
    this.#notify()
  }

  /** The lines on the screen: an older part, or the newest lines. */
  get shown(): Blocks {
    return this.#older?.blocks ?? this.#blocks
  }

  /** Shows the linked line until the user goes elsewhere: it may arrive later, or leave the newest lines. */
  #showLinked(): void {
    const linked = this.#linked
    if (!linked || !this.#isLinkSought) return
    const inOlder = this.#older?.blocks.indexOf(linked) ?? -1
    const older = inOlder < 0 ? null : this.#older
    const at = older ? inOlder : this.#blocks.indexOf(linked)
    if (at === null) return
    if (at < 0) return void this.#load(() => this.options.readLine(linked.number))
    if (!this.#isLinkShown) this.display(older, at)
    this.#isLinkShown = this.#isLinkSought = true
  }

  /** Sets the number of the first line, which was unknown because the lines before it were not read. */
  numberFrom(first: number): void {
    this.#blocks.firstNumber = first
    this.#redraw()
  }

  /** Shows the next part if there is one, or the newest lines if the older part certainly reaches them: a block starts at most one slice after its `offset`. */
  #loadLater({ stream, to, blocks, isLast }: OlderPart): Promise<unknown> | void {
    const { all } = this.#blocks
    const isReached = ({ starts }: Block) => starts[stream].offset + limits.SLICE_BYTES <= to
    if (isLast && to >= this.#queue.readBytes[stream]) return
    const isNext = to < this.#queue.readBytes[stream] && !isReached(all[0]!)
    if (isNext) return this.#moveTo({ stream, offset: to, linesAfter: 0, number: numberAfter(blocks) })
    const { offset } = (all.findLast(isReached) ?? all[0]!).starts[stream]
    this.display(null, all.findIndex(({ starts }) => starts[stream].offset === offset) * BLOCK_LINES)
  }

  #moveTo(position: LinePosition): Promise<OlderPart | null> {
    return this.#load(() => this.options.readOlder(position))
  }

  async #load(read: () => Promise<OlderPart | null>): Promise<OlderPart | null> {
    if (this.#isMoving) return null
    this.#isMoving = true
    const older = await read()
    this.#isMoving = this.#isLinkSought = false
    if (older) this.display(older, older.line)
    return older
  }

  /** Shows an older part or, with null, the newest lines, and scrolls to this line. */
  display(older: OlderPart | null, line: number): void {
    if (this.isClosed) return
    this.#older = older
    this.#draw(this.shown)
    this.hold(topOf(this.container, line))
  }

  /** Stops following and scrolls to an offset. */
  hold(top: () => number): void {
    this.#isFollowing = this.#isLinkSought = false
    this.#view.hold(top)
    this.#isFollowing = this.#isComplete && !this.#older && this.#view.movement().left <= 1 // without the buttons that would cover the line
    this.#notify()
  }

  #notify(): void {
    const { count, dropped, isCut, firstNumber: first } = this.#blocks
    const { hasUntimed, firstNumber, hasEarlier } = this.shown
    const hasTimed = this.shown.hasTimed || this.#blocks.hasTimed
    this.options.changed({
      ...{ lines: count, dropped, isWhole: dropped === 0 && !isCut, hasUntimed, hasTimed, firstNumber, hasEarlier },
      ...{ isComplete: this.#isComplete, isFollowing: this.#isFollowing, older: this.#older },
      lastNumber: first === null ? null : first + count - 1,
    })
  }
}
