import { PhoneError } from './phone-error.ts'
import type { Phone, Run } from './phone-client.ts'
import type { RunTalk } from './run-talk.ts'
import type { OutputEvent, RunEvent } from './types.ts'

/** The run of a talk, when the service has taken it. */
export async function toRun(phone: Pick<Phone, 'cancel' | 'signal' | 'request'>, talk: RunTalk): Promise<Run> {
  await talk.started.value.catch((error: PhoneError) => explain(error, phone))
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

/** Never rejects: what goes wrong is heard by who waits for the result. */
async function readAll(events: AsyncGenerator<RunEvent, void>): Promise<void> {
  try {
    while (!(await events.next()).done);
  } catch {
    // as said
  }
}

/** Throws what kept it from starting. Who cuts a connection off may be cut off before the reason has come: over HTTP it is always told. */
async function explain(error: PhoneError, phone: Pick<Phone, 'request'>): Promise<never> {
  if (error.type === 'unreachable') {
    await phone.request('/runs', { query: { limit: 1 } }).catch((told) => {
      throw told instanceof PhoneError && told.type !== 'unreachable' ? told : error
    })
  }
  throw error
}
