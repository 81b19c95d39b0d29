import type { Socket, SocketClass } from '../../src/sdk/index.ts'

type Data = string | Uint8Array<ArrayBuffer>

/** A WebSocket in this process, with the service's end under the test's control. */
export class FakeSocket implements Socket {
  binaryType = 'arraybuffer'
  onopen: ((event: any) => void) | null = null
  onmessage: ((event: any) => void) | null = null
  onerror: ((event: any) => void) | null = null
  onclose: ((event: any) => void) | null = null
  /** the messages that the client has sent: parsed JSON, or bytes */
  readonly sent: any[] = []
  isClosed = false

  send(data: Data): void {
    this.sent.push(typeof data === 'string' ? JSON.parse(data) : data)
  }

  close(): void {
    this.isClosed = true
  }

  /** The client's messages of this type. */
  of(type: string): any[] {
    return this.sent.filter((message) => message.type === type)
  }

  open(): void {
    this.onopen?.({})
  }

  say(...messages: (object | Uint8Array)[]): void {
    for (const message of messages) {
      this.onmessage?.({ data: message instanceof Uint8Array ? message : JSON.stringify(message) })
    }
  }

  cut(): void {
    this.isClosed = true
    this.onclose?.({ reason: '' })
  }
}

/** Records every socket that a client opens, in order. */
export function fakeSockets() {
  const sockets: FakeSocket[] = []
  class Listed extends FakeSocket {
    constructor(_url: string) {
      super()
      sockets.push(this)
    }
  }
  return { sockets, WebSocket: Listed as SocketClass }
}

const HEAD_BYTES = 35

/** Encodes a piece of output as the service does; `id`: 26 characters. */
export function outputFrame(id: string, offset: number, text: string): Uint8Array {
  const frame = Buffer.alloc(HEAD_BYTES + text.length)
  frame[0] = 1
  frame.writeBigUInt64BE(BigInt(offset), 1)
  frame.write(id, 9, 'latin1')
  frame.write(text, HEAD_BYTES, 'latin1')
  return new Uint8Array(frame)
}
