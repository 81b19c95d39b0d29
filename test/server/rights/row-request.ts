import type { Service } from '../../support/helper.ts'
import type { Row } from './table.ts'

const LONG_SECONDS = '86400'

/** Settings of the service under test: nothing that a suite creates at its start expires while it runs, even on a busy machine. */
export const longLived = {
  SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false',
  SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: LONG_SECONDS,
  SHELLPHONE_DIALECTS_NULLCLAW_MAX_ACTIONS_PER_HOUR: '100000',
  SHELLPHONE_MAX_BACKGROUND_RUNNING: '200',
  SHELLPHONE_MAX_RUNNING: '200',
  SHELLPHONE_TIMEOUT_SECONDS: LONG_SECONDS,
  SHELLPHONE_MAX_TIMEOUT_SECONDS: LONG_SECONDS,
}

/** Sends the request of a row (`name`: its method and route) for the object `id`. */
export function requestRow(
  service: Pick<Service, 'request'>,
  [name, row]: [name: string, row: Row],
  { id, token, signal }: { id: string; token: string; signal: AbortSignal },
): Promise<Response> {
  const [method, route] = name.split(' ') as [string, string]
  const sent = row.send?.(id) ?? {}
  const { path = route.replace(':dialect', 'nullclaw').replace(/:\w+/, id || 'none'), body, headers = {} } = sent
  return service.request(path, {
    ...{ method, token, headers, redirect: 'manual', signal },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

/** Reads a response: its status, or `hidden` if a success lacks the object that the row shows. */
export async function statusOf(row: Row, reply: Response, id: string): Promise<number | 'hidden'> {
  const text = await reply.text()
  const isShown = reply.status !== row.ok || !row.shows || row.shows(reply, text, id)
  return isShown ? reply.status : 'hidden'
}
