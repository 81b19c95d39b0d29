import { visible } from '../../shared/schema/index.ts'
import { createEventReader } from '../../shared/transport/index.ts'
import { type Client, ClientError, toClientError } from './connect-service.ts'
import { nameAsTyped } from './name-as-typed.ts'

interface FleetEvent {
  event: string
  /** JSON */
  data: string
}

interface FleetRequest {
  method: 'GET' | 'POST'
  body?: object
  signal: AbortSignal
}

/** Yields the events of a response of the control plane in the order of arrival. Throws ClientError, also for the event `error`. */
export async function* fleetEvents(client: Client, path: string, request: FleetRequest): AsyncGenerator<FleetEvent> {
  const read = createEventReader()
  try {
    const answer = await client.phone.request(path, { ...request, headers: { accept: 'text/event-stream' } })
    for await (const chunk of answer.body!) {
      for (const { event, data } of read(chunk)) {
        if (event === 'error') throw new ClientError(visible(JSON.parse(data).error.message))
        yield { event, data }
      }
    }
  } catch (error) {
    throw nameAsTyped(toClientError(error, client))
  }
}
