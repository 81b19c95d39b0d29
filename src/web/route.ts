import { signal } from '@preact/signals'

/**
 * The parsed address: in `#/runs/ID?status=failed` the view is `runs`, the rest is `['ID']`, and a query follows. On a control plane, the
 * address of a view of one phone names the phone: `#/phones/NAME/runs/ID`.
 */
interface PageRoute {
  phone: string | null
  view: string
  rest: string[]
  query: URLSearchParams
}

/** The props of every view. */
export type ViewProps = Pick<PageRoute, 'rest' | 'query'>

function read(): PageRoute {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const parts = path.split('/').map(decode)
  const phone = (parts[0] === 'phones' && parts[1]) || null
  const [view = '', ...rest] = phone === null ? parts : parts.slice(2)
  return { phone, view, rest, query: new URLSearchParams(query) }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // a literal percent sign
  }
}

/** The current route. */
export const route = signal<PageRoute>(read())

/** The name of the selected phone of a fleet; null before one is selected, or if a phone serves this page. */
export const selectedPhone = signal<string | null>(null)

/** The views of a control plane that show all of its phones. */
const fleetViews = ['phones', 'jobs', 'approvals']
export const isOfOnePhone = (view: string): boolean => !fleetViews.includes(view)

/** The address of a view, on a control plane that of a phone (default: the selected one). */
export function hrefOf(
  view: string,
  rest: string[] = [],
  query: Record<string, string> = {},
  phone = selectedPhone.value,
): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  const path = [...(phone !== null && isOfOnePhone(view) ? ['phones', phone] : []), view, ...rest]
  return `#/${path.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

/** Navigates; `replace` adds no entry to the history. `entry`: the number of the earlier entry whose scroll position the new one continues. */
export function go(href: string, how: 'push' | 'replace' = 'push', entry: number | null = null): void {
  if (how === 'replace') history.replaceState(history.state, '', href)
  else history.pushState(entry, '', href)
  route.value = read()
}

addEventListener('hashchange', () => (route.value = read()))
addEventListener('popstate', () => (route.value = read()))
