import { PhoneError } from './phone-error.ts'
import type { Phone, Run } from './phone-client.ts'
import type { RunSession } from './run-session.ts'
import type { OutputEvent, RunEvent } from './types.ts'

/** Resolves with the session's run once the service has accepted the run. */
export async function toRun(phone: Pick<Phone, 'cancel' | 'signal' | 'request'>, session: RunSession): Promise<Run> {
  await session.started.value.catch((error: PhoneError) => throwReason(error, phone))
  const { id } = session
  let isRead = false
  const events = () => {
    if (isRead) throw new PhoneError('conflict', `run ${id}: its events already have a reader`)
    isRead = true
    return session.events()
  }
  return {
    id,
    events,
    output: () => outputIn(events()),
    get result() {
      if (!isRead) void readAll(events())
      return session.result.value
    },
    write: (data) => session.stdin!.write(typeof data === 'string' ? new TextEncoder().encode(data) : data),
    flush: () => session.stdin!.flush(),
    end: () => session.stdin!.end(),
    leave: () => session.leave(),
    cancel: () => phone.cancel(id),
    signal: (name) => phone.signal(id, name),
    resize: async (size) => void (await phone.request(`/runs/${id}/resize`, { method: 'POST', body: size })),
  }
}

async function* outputIn(events: AsyncGenerator<RunEvent, void>): AsyncGenerator<OutputEvent, void> {
  for await (const event of events) if (event.type === 'output') yield event
}

/** Reads and discards all events. Never rejects. */
async function readAll(events: AsyncGenerator<RunEvent, void>): Promise<void> {
  try {
    while (!(await events.next()).done);
  } catch {
    // `result` rejects with this error
  }
}

/** Throws the reason why the run did not start. A closing WebSocket can lose the reason, so this function requests it over HTTP. */
async function throwReason(error: PhoneError, phone: Pick<Phone, 'request'>): Promise<never> {
  if (error.type === 'unreachable') {
    await phone.request('/runs', { query: { limit: 1 } }).catch((reason) => {
      throw reason instanceof PhoneError && reason.type !== 'unreachable' ? reason : error
    })
  }
  throw error
}
