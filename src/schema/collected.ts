/** What was collected of one stream. Head and tail never overlap: `bytes - head.length - tail.length` bytes between them are left out. */
export interface Collected {
  /** all that came */
  bytes: number
  /** the newlines in all that came */
  lines: number
  /** the first bytes */
  head: Buffer
  /** what follows the head, or the last bytes where not all was collected */
  tail: Buffer
}

/** What a reply is made of, and made again from later: both streams, and how their bytes become text. */
export interface Shown {
  encoding: 'utf8' | 'base64'
  stdout: Collected
  stderr: Collected
}
