import { crc32 } from 'node:zlib'

/** So many bytes of an output have a checksum of their own. */
export const BLOCK_BYTES = 65_536
export const DIGITS = 8

const digits = (sum: number): string => sum.toString(16).padStart(DIGITS, '0')

/** CRC-32 of each block of a stream, as it comes. */
export class BlockSums {
  #whole = ''
  #sum = 0
  #filled = 0

  /** Gives back the digits of the blocks that are whole now. */
  add(bytes: Buffer): string {
    const before = this.#whole.length
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#filled)
      this.#sum = crc32(part, this.#sum)
      this.#filled += part.length
      at += part.length
      if (this.#filled < BLOCK_BYTES) break
      this.#whole += digits(this.#sum)
      this.#sum = this.#filled = 0
    }
    return this.#whole.slice(before)
  }

  /** eight digits for each block, the last one as far as it has come */
  text(): string {
    return this.#whole + (this.#filled === 0 ? '' : digits(this.#sum))
  }
}

/** Are these, from the start of a block on, the bytes that were written? */
function matches(bytes: Buffer, offset: number, sums: string): boolean {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const place = ((offset + at) / BLOCK_BYTES) * DIGITS
    if (digits(crc32(bytes.subarray(at, at + BLOCK_BYTES))) !== sums.slice(place, place + DIGITS)) return false
  }
  return true
}

/** Reads `length` bytes at `offset` of `total` by whole blocks; null where one is not what was written, or not there. */
export async function readChecked(
  read: (offset: number, length: number) => Promise<Buffer>,
  { sums, total }: { sums: string; total: number },
  offset: number,
  length: number,
): Promise<Buffer | null> {
  const start = offset - (offset % BLOCK_BYTES)
  const end = Math.min(total, Math.ceil((offset + length) / BLOCK_BYTES) * BLOCK_BYTES)
  const bytes = await read(start, end - start)
  if (bytes.length < end - start || !matches(bytes, start, sums)) return null
  return bytes.subarray(offset - start, offset - start + length)
}
