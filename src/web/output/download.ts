import { ask, noTimeout } from '../wire.ts'
import type { Stream } from './text-style.ts'

/** Saves everything that the service still stores of a stream as a file. Throws PhoneError. */
export async function download(id: string, stream: Stream): Promise<void> {
  const bytes = await ask(async (phone) =>
    (await phone.request(`/runs/${encodeURIComponent(id)}/output`, { query: { stream }, signal: noTimeout() })).blob(),
  )
  saveFile(bytes, `${id}.${stream}`)
}

/** Saves a file in the browser's downloads. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000) // writing a large file takes time
}
