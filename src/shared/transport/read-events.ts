/** One event of a text/event-stream: its name, id, data and raw text. */
interface StreamEvent {
  event: string
  id: string
  data: string
  text: string
}

/** Returns a function that takes the bytes of a stream in pieces of any size and returns each complete event. */
export function createEventReader(): (bytes: Uint8Array) => StreamEvent[] {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop()!
    return blocks.map(toEvent)
  }
}

function toEvent(block: string): StreamEvent {
  const fields = new Map(block.split('\n').map(toField))
  const data = fields.get('data') ?? ''
  return { event: fields.get('event') ?? 'message', id: fields.get('id') ?? '', data, text: `${block}\n\n` }
}

function toField(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
}
