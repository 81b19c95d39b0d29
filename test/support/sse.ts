/** One event of a stream: its name, its id (for Last-Event-ID) and its data, parsed. */
export interface SseEvent {
  event: string
  lastEventId: string
  data: Record<string, unknown> & {
    stream?: string
    offset?: number
    data?: string
    encoding?: string
    status?: string
  }
}

/** The events of a text/event-stream body, parsed by the WHATWG's rules, until it ends or the reader stops. */
export async function* sseEvents(response: Response): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body!) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const event = toEvent(block)
      if (event) yield event
    }
  }
}

function toEvent(block: string): SseEvent | null {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? []
    if (name !== undefined) fields.set(name, value!)
  }
  if (!fields.has('data')) return null
  return {
    event: fields.get('event') ?? 'message',
    lastEventId: fields.get('id') ?? '',
    data: JSON.parse(fields.get('data')!),
  }
}
