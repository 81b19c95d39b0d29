/** The part of a WebSocket that the client uses. Browsers, Node and the ws package implement it. */
export interface Socket {
  binaryType: string
  onopen: ((event: any) => void) | null
  onmessage: ((event: any) => void) | null
  onerror: ((event: any) => void) | null
  onclose: ((event: any) => void) | null
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(): void
  /** ws only: closes the connection at once */
  terminate?(): void
  /** ws only: stops reading until `resume` */
  pause?(): void
  resume?(): void
}

export type SocketClass = new (url: string) => Socket
