import type { CallClass } from './fleet.ts'

/** One row per route of a phone: the class of call that may use it; null: no class, for the reason in `why`. */
interface ClassRow {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** as in the route's declaration; `:name` stands for one segment of the path */
  path: string
  callClass: CallClass | null
  why?: string
}

/** Whether a call of this class may use the route. The class answer (a person) may use every route that is open to a fleet. */
export const isOfClass = ({ callClass }: ClassRow, requested: CallClass): boolean =>
  callClass === requested || (callClass !== null && requested === 'answer')

const row = (method: ClassRow['method'], path: string, callClass: CallClass | null, why?: string): ClassRow => ({
  method,
  path,
  callClass,
  ...(why === undefined ? {} : { why }),
})

/** Every route of a phone. A route without a row cannot be used through a fleet. */
export const classRows: readonly ClassRow[] = [
  row('POST', '/exec', 'run'),
  row('DELETE', '/exec', 'run'),
  row('POST', '/exec/:dialect', 'run'),
  row('GET', '/ws', 'run', 'as a channel'),
  row('GET', '/runs', 'read'),
  row('GET', '/runs/:id', 'read'),
  row('DELETE', '/runs/:id', 'run'),
  row('POST', '/runs/:id/signal', 'run'),
  row('POST', '/runs/:id/resize', 'run'),
  row('POST', '/runs/:id/stdin', 'run'),
  row('GET', '/runs/:id/stdin', 'read'),
  row('PUT', '/runs/:id/stdin', 'run'),
  row('GET', '/runs/:id/output', 'read'),
  row('GET', '/runs/:id/matches', 'read'),
  row('GET', '/runs/:id/position', 'read'),
  row('GET', '/scratchpads/:name', 'read'),
  row('GET', '/runs/:id/events', 'read'),
  row('GET', '/events', 'read'),
  row('GET', '/sessions', 'read'),
  row('GET', '/sessions/:name', 'read'),
  row('DELETE', '/sessions/:name', 'run'),
  row('GET', '/files', 'run', 'the policy treats it as the equivalent command, and the history records it'),
  row('PUT', '/files', 'run'),
  row('DELETE', '/files', 'run'),
  row('POST', '/files/edit', 'run'),
  row('POST', '/files/search', 'run'),
  row('POST', '/files/patch', 'run'),
  row('GET', '/health', 'read'),
  row('GET', '/phone', 'answer'),
  row('GET', '/load', 'answer'),
  row('GET', '/settings', 'answer'),
  row('GET', '/connections', 'answer'),
  row('GET', '/access-log', 'answer'),
  row('GET', '/doctor', 'answer'),
  row('GET', '/dialects', 'read'),
  row('POST', '/mcp', 'run'),
  row('GET', '/mcp', 'run'),
  row('DELETE', '/mcp', 'run'),
  row('POST', '/mcp/:dialect', 'run'),
  row('GET', '/mcp/:dialect', 'run'),
  row('DELETE', '/mcp/:dialect', 'run'),
  row('POST', '/policy/check', 'read'),
  row('GET', '/approvals', 'answer'),
  row('POST', '/approvals/:id', 'answer'),
  row('DELETE', '/approvals/rules/:id', 'answer'),
  row('POST', '/approvals/press/:nonce', null, "the button of a notification on the phone's own screen"),
  row('GET', '/tokens', 'answer'),
  row('POST', '/tokens', 'answer'),
  row('POST', '/tokens/:name/rotate', 'answer'),
  row('DELETE', '/tokens/:name', 'answer'),
  row('POST', '/pairing', 'answer'),
  row('POST', '/pair', null, 'a new device pairs with the phone directly'),
  row('GET', '/webhooks', null, 'a webhook belongs to a token of the phone'),
  row('GET', '/webhooks/:name', null, 'a webhook belongs to a token of the phone'),
  row('PUT', '/webhooks/:name', null, 'a webhook belongs to a token of the phone'),
  row('DELETE', '/webhooks/:name', null, 'a webhook belongs to a token of the phone'),
  row('GET', '/metrics', 'read'),
  row('GET', '/openapi.yaml', 'read'),
  row('GET', '/asyncapi.yaml', 'read'),
  row('GET', '/docs', 'read'),
]

/** The row of a request, or null for an unknown route. HEAD counts as GET. `path` may contain a query. */
export function classRowOf(method: string, path: string): ClassRow | null {
  const wanted = method === 'HEAD' ? 'GET' : method
  const given = path.split('?', 1)[0]!.split('/')
  const fits = ({ path }: ClassRow) => {
    const parts = path.split('/')
    return (
      parts.length === given.length &&
      parts.every((part, at) => part === given[at] || (part[0] === ':' && given[at] !== ''))
    )
  }
  const found = classRows.filter((one) => one.method === wanted && fits(one))
  return found.find(({ path }) => !path.includes(':')) ?? found[0] ?? null
}
