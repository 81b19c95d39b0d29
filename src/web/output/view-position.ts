import { ACT_MS, HELD_FRAMES } from './output-limits.ts'

/** What a user does to scroll. */
const ACTS = ['wheel', 'touchmove', 'keydown', 'pointerdown']

/** How the view has moved. */
interface Movement {
  /** The layout moves the view too: a hint above it makes it smaller, and old lines leave it. */
  isByUser: boolean
  isUp: boolean
  /** how far it is from the top and from the end, in pixels */
  top: number
  left: number
}

/** Where `scroller` stands, and who moved it. */
export class ViewPosition {
  #top = 0
  /** how far it could scroll */
  #maxTop = 0
  #acts = 0
  #held: (() => number) | null = null

  /** Calls `acted` when the user does something that may scroll. */
  constructor(
    readonly scroller: HTMLElement,
    acted: () => void,
    signal: AbortSignal,
  ) {
    const handle = (event: Event) => {
      const isDown = (event as WheelEvent).deltaY > 0
      if (!isDown) this.#act()
      this.#held = null
      acted()
    }
    for (const type of ACTS) scroller.addEventListener(type, handle, { passive: true, signal })
  }

  /** A page that has stalled reports the scrolling late, but before it draws the next frames. */
  #act(): void {
    this.#acts++
    const afterFrames = () => requestAnimationFrame(() => requestAnimationFrame(() => this.#acts--))
    setTimeout(afterFrames, ACT_MS)
  }

  /** Whether the user has just scrolled up, of which no event has been handled yet. */
  isLeaving(): boolean {
    return this.#acts > 0 && this.scroller.scrollTop < this.#top
  }

  /** Scrolls to the end. */
  toEnd(): void {
    this.#held = null
    this.#scrollTo(this.scroller.scrollHeight)
  }

  /** Scrolls to an offset, and again in the next frames, in which lines that come into view get their real height; the user can scroll away. */
  hold(top: () => number, frames = HELD_FRAMES): void {
    this.#held = top
    this.#scrollTo(top())
    if (frames > 0) requestAnimationFrame(() => this.#held === top && this.hold(top, frames - 1))
    else this.#held = null
  }

  /** Whether the page itself scrolls to an offset. */
  get isHeld(): boolean {
    return this.#held !== null
  }

  #scrollTo(top: number): void {
    this.scroller.scrollTop = top
    this.movement()
  }

  /** How the view has moved since the last call. Scrolling that leaves the sizes as they were is the user's, as when the browser finds text. */
  movement(): Movement {
    const { scrollTop: top, scrollHeight, clientHeight } = this.scroller
    const maxTop = scrollHeight - clientHeight
    const isByUser = maxTop === this.#maxTop || this.#acts > 0
    const isUp = top < this.#top
    this.#top = top
    this.#maxTop = maxTop
    return { isByUser, isUp, top, left: maxTop - top }
  }
}
