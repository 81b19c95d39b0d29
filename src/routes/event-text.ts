import type { RunEvent } from '../schema/index.ts'

const results = new WeakMap<RunEvent, Buffer>()

/** An event as JSON. A result can be large, and many may watch for it: its text is made once, for all of them. */
export function textOf(event: RunEvent): Buffer {
  if (event.type !== 'result') return Buffer.from(JSON.stringify(event))
  const text = results.get(event) ?? Buffer.from(JSON.stringify(event))
  results.set(event, text)
  return text
}

/** The same with the name that its asker gave it. */
export function textWithRef(event: RunEvent, ref: string | undefined): Buffer {
  const text = textOf(event)
  return ref === undefined ? text : Buffer.concat([Buffer.from(`{"ref":${JSON.stringify(ref)},`), text.subarray(1)])
}
