import type { Stream } from '../../shared/schema/index.ts'
import { checkOffset, type Offsets, type RunOutput, streams } from './output.ts'

/**
 * Returns a function that takes ascending offsets of a stream and returns where the other stream stood when the byte at that offset arrived. Where
 * the order was not recorded, all of stdout counts as earlier than the rest of stderr, as for followers.
 */
export function otherOffsets(output: RunOutput, stream: Stream): (offset: number) => number {
  const order = output.order.slice() // a live run adds to it
  const other = stream === 'stdout' ? 'stderr' : 'stdout'
  const covered: Offsets = { stdout: 0, stderr: 0 }
  let index = 0
  return (offset) => {
    for (; index < order.length; index++) {
      const name = streams[index % 2]!
      const to = covered[name] + order[index]!
      if (name === stream && offset < to) return covered[other]
      covered[name] = to
    }
    return stream === 'stdout' ? covered.stderr : output.size('stdout')
  }
}

/** Where both streams stood when the byte at `offset` of this stream arrived. Throws OUT_OF_RANGE past the end. */
export function positionAt(output: RunOutput, stream: Stream, offset: number): Offsets {
  checkOffset(offset, output.size(stream))
  const other = otherOffsets(output, stream)(offset)
  return stream === 'stdout' ? { stdout: offset, stderr: other } : { stdout: other, stderr: offset }
}
