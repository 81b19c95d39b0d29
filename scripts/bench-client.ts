import { connect, type Socket } from 'node:net'

/** One keep-alive HTTP/1.1 connection that sends the same prepared request again and again. */
export interface HttpClient {
  request(): Promise<string>
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
    let received = ''
    let answer: ((body: string) => void) | null = null
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      const end = received.indexOf('\r\n\r\n')
      if (end === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (received.length < end + 4 + length) return
      const reply = received.slice(end + 4)
      if (!received.startsWith('HTTP/1.1 200')) reject(new Error(received.slice(0, 300)))
      received = ''
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
