import { ask } from '../wire.ts'
import type { Stream } from './text-style.ts'

/** Reads at most `limit` stored bytes of a stream from `offset` on. Throws PhoneError. */
export async function storedBytes(id: string, stream: Stream, offset: number, limit: number): Promise<Uint8Array> {
  const query = { stream, offset, limit }
  const response = await ask((phone) => phone.request(`/runs/${encodeURIComponent(id)}/output`, { query }))
  return new Uint8Array(await response.arrayBuffer())
}
