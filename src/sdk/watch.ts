import { toPhoneError } from './errors.ts'
import { type Line, Link, type Sent } from './link.ts'
import { createQueue, type Queue } from './queue.ts'
import type { Topic, WatchEvent } from './types.ts'

/** What waits for a reader; with more, the service is not read from, and tells anew what there is when there is room. */
const QUEUE_BYTES = 1_048_576

type Message = WatchEvent | { type: 'pong' } | { type: 'error'; error: object }

/** What happens to all runs, or to all questions, over as many connections as it takes, until `signal` aborts or the reader stops. */
export async function* watch(line: Line, topics: Topic[], signal?: AbortSignal): AsyncGenerator<WatchEvent, void> {
  if (signal?.aborted) return
  const queue: Queue<WatchEvent> = createQueue(QUEUE_BYTES, { full: () => link.stall(), room: () => link.resume() })
  const link = new Link(line, talkOf(topics, queue))
  const stop = () => queue.end()
  signal?.addEventListener('abort', stop)
  try {
    for (let event = await queue.next(); event !== null && !signal?.aborted; event = await queue.next()) yield event
  } finally {
    signal?.removeEventListener('abort', stop)
    link.close()
  }
}

/** Each connection begins with a ping: its answer says that the token was good, and all that there is comes behind it. */
function talkOf(topics: Topic[], queue: Queue<WatchEvent>) {
  let isConnected = false
  const cut = () => {
    if (isConnected) queue.push({ type: 'disconnected' }, 0)
    isConnected = false
  }
  return {
    greet(): Sent[] {
      cut()
      return ['ping', ...topics.map((topic) => `watch_${topic}`)].map((type) => JSON.stringify({ type }))
    },
    hear(data: Sent): void {
      const message: Message = JSON.parse(String(data))
      if (message.type === 'error') queue.end(toPhoneError(message, 0))
      else if (message.type !== 'pong') queue.push(message, data.length)
      else if (!isConnected) {
        isConnected = true
        queue.push({ type: 'connected' }, 0)
      }
    },
    cut,
    lost: (error: Error) => queue.end(error),
  }
}
