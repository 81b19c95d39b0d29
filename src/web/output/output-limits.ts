/** Limits for one animation frame: bytes, and milliseconds spent reading them. */
export const FRAME_BYTES = 1_000_000
export const FRAME_MS = 24
/** Above this many unread bytes, writers have to wait. */
export const MAX_PENDING_BYTES = 2_000_000
/** How many bytes to read between two checks of the clock. */
export const SLICE_BYTES = 32_768
/** A hidden page gets no animation frames; this timer keeps it reading. */
export const HIDDEN_MS = 200
/** Within this distance, the view counts as scrolled to the end. */
export const END_PIXELS = 32
/** Within this distance from the top, older output is loaded. */
export const TOP_PIXELS = 200
/** For this long after an act of the user, scrolling counts as theirs. */
export const ACT_MS = 1000
/** For how many frames a line that was scrolled to keeps its place. */
export const HELD_FRAMES = 8
