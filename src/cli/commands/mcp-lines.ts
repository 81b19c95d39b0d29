import type { Readable } from 'node:stream'
import { ClientError } from './connect-service.ts'
import type { McpMessage } from './mcp-message.ts'

/** The service accepts only smaller bodies, so a longer line cannot be a valid message. */
const MAX_LINE_BYTES = 67_108_864

/** Yields the lines of a UTF-8 stream, except blank ones. Throws ClientError for a line above 64 MiB. */
export async function* linesOf(input: Readable): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of input.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    if (rest.length > MAX_LINE_BYTES) throw new ClientError(`stdin: expected lines of at most ${MAX_LINE_BYTES} bytes`)
    for (const line of lines) if (line.trim() !== '') yield line
  }
  if (rest.trim() !== '') yield rest
}

/** Yields the messages in a stream of Server-Sent Events. The service writes each on one line. */
export async function* eventsIn(stream: Readable): AsyncGenerator<McpMessage> {
  for await (const line of linesOf(stream)) {
    const [, data] = /^data: ?(.+)$/.exec(line.trimEnd()) ?? []
    if (data) yield JSON.parse(data)
  }
}
