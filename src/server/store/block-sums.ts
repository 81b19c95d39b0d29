import { crc32 } from 'node:zlib'

/** Size of an output block; each block has its own checksum. */
export const BLOCK_BYTES = 65_536
export const DIGITS = 8

const digits = (sum: number): string => sum.toString(16).padStart(DIGITS, '0')

/** Computes the CRC-32 of each block of a stream while it arrives. */
export class BlockSums {
  #whole = ''
  #sum = 0
  #filled = 0

  /** Returns the digits of the blocks that are now complete. */
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

  /** Eight digits for each block, including an incomplete last one. */
  text(): string {
    return this.#whole + (this.#filled === 0 ? '' : digits(this.#sum))
  }
}

/** Whether these bytes, which start at a block boundary, match their checksums. */
function matches(bytes: Buffer, offset: number, sums: string): boolean {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const position = ((offset + at) / BLOCK_BYTES) * DIGITS
    if (digits(crc32(bytes.subarray(at, at + BLOCK_BYTES))) !== sums.slice(position, position + DIGITS)) return false
  }
  return true
}

/** Reads `length` bytes at `offset` of `total` in whole blocks; null if a block is missing or does not match its checksum. */
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
