import { PhoneError } from './errors.ts'
import type { Phone, Run } from './phone.ts'
import type { RunTalk } from './run-talk.ts'
import type { OutputEvent, RunEvent } from './types.ts'

/** The run of a talk, when the service has taken it. */
export async function toRun(phone: Pick<Phone, 'cancel' | 'signal' | 'request'>, talk: RunTalk): Promise<Run> {
  await talk.started.value
  const { id } = talk
  let isRead = false
  const events = () => {
    if (isRead) throw new PhoneError('conflict', `run ${id}: its events are read already`)
    isRead = true
    return talk.events()
  }
  return {
    id,
    events,
    output: () => outputIn(events()),
    get result() {
      if (!isRead) void readAll(events())
      return talk.result.value
    },
    write: (data) => talk.stdin!.write(typeof data === 'string' ? new TextEncoder().encode(data) : data),
    end: () => talk.stdin!.end(),
    leave: () => talk.leave(),
    cancel: () => phone.cancel(id),
    signal: (name) => phone.signal(id, name),
    resize: async (size) => void (await phone.request(`/runs/${id}/resize`, { method: 'POST', body: size })),
  }
}

async function* outputIn(events: AsyncGenerator<RunEvent, void>): AsyncGenerator<OutputEvent, void> {
  for await (const event of events) if (event.type === 'output') yield event
}

/** What goes wrong is heard by who waits for the result. */
async function readAll(events: AsyncGenerator<RunEvent, void>): Promise<void> {
  try {
    for await (const _event of events);
  } catch {}
}
