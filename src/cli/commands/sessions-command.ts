import { visible } from '../../shared/schema/index.ts'
import type { SessionInfo } from '../../sdk/index.ts'
import { type Column, type Style, styleOf, textTable } from '../print/index.ts'
import { agoText } from './ago-text.ts'
import { connect, type ServiceLocation } from './connect-service.ts'

type Options = ReadonlyMap<string, string>

/** `shellphone sessions [list [--all] | remove NAME]`: lists the sessions of this token or of all, or deletes one. Rejects with ClientError and UsageError. */
export async function sessions(place: ServiceLocation, [verb, name = '']: string[], options: Options): Promise<void> {
  const client = connect(place)
  if (verb === 'remove') {
    await client.request('DELETE', `/sessions/${encodeURIComponent(name)}`)
    return console.log(options.has('json') ? JSON.stringify({ removed: name }) : `${name}: removed`)
  }
  const isAll = options.has('all')
  const listed = await client.request<{ sessions: SessionInfo[] }>('GET', `/sessions${isAll ? '?all=true' : ''}`)
  if (options.has('json')) return console.log(JSON.stringify(listed))
  if (listed.sessions.length === 0) return console.log('no sessions')
  const style = styleOf(process.stdout)
  console.log(textTable(listed.sessions, columnsIn(style, isAll), style))
}

function columnsIn({ green }: Style, hasToken: boolean): Column<SessionInfo>[] {
  const nowMs = Date.now()
  return [
    { title: 'NAME', text: ({ name }) => name },
    ...(hasToken ? [{ title: 'TOKEN', text: ({ token }: SessionInfo) => visible(token) }] : []),
    { title: 'STATE', text: stateOf, paint: ({ busy }, text) => (busy ? green(text) : text) },
    { title: 'LAST USED', text: ({ used_at }) => agoText(used_at, nowMs) },
    { title: 'VARIABLES', text: ({ set, unset }) => String(set.length + unset.length), isRight: true },
    { title: 'DIRECTORY', text: ({ cwd }) => (cwd === null ? '-' : visible(cwd)) },
  ]
}

const stateOf = ({ busy, waiting }: SessionInfo): string =>
  busy ? `running${waiting > 0 ? `, ${waiting} waiting` : ''}` : 'idle'
