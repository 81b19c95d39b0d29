import { connect, type Socket } from 'node:net'

const LENGTH_AT = 'content-length: '.length

/** One keep-alive HTTP/1.1 connection that sends the same prepared request again and again. */
export interface HttpClient {
  /** the body of the answer */
  request(): Promise<Buffer>
  close(): void
}

/** A bare client: what it costs is little, so that what is measured is the server. */
export function httpClient(
  port: number,
  token: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<HttpClient> {
  const text = JSON.stringify(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const message = Buffer.from(
    `POST /exec HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let received: Buffer | null = null
    let answer: ((body: Buffer) => void) | null = null
    socket.on('data', (chunk) => {
      received = received === null ? chunk : Buffer.concat([received, chunk])
      const end = received.indexOf('\r\n\r\n')
      const at = received.indexOf('content-length: ') + LENGTH_AT
      if (end === -1 || received.length < end + 4 + Number.parseInt(received.toString('latin1', at, at + 12), 10)) {
        return
      }
      if (received.toString('latin1', 9, 12) !== '200') throw new Error(received.toString('latin1', 0, 300))
      const reply = received.subarray(end + 4)
      received = null
      answer?.(reply)
    })
    socket.once('error', reject)
    socket.once('connect', () =>
      resolve({
        request: () =>
          new Promise((done) => {
            answer = done
            socket.write(message)
          }),
        close: () => socket.destroy(),
      }),
    )
  })
}
