/** As much of a WebSocket as is used: a browser's, Node's own, or that of ws. */
export interface Socket {
  binaryType: string
  onopen: ((event: any) => void) | null
  onmessage: ((event: any) => void) | null
  onerror: ((event: any) => void) | null
  onclose: ((event: any) => void) | null
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(): void
  /** of ws: ends it at once */
  terminate?(): void
  /** of ws: reads no more, until `resume` */
  pause?(): void
  resume?(): void
}

/** What makes one. */
export type SocketClass = new (url: string) => Socket
