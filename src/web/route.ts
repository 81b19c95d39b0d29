import { signal } from '@preact/signals'

/** What the address says: `#/runs/ID?status=failed` is the view `runs`, its rest `['ID']`, and a query. */
interface PageRoute {
  view: string
  rest: string[]
  query: URLSearchParams
}

/** What every view is given. */
export type ViewProps = Pick<PageRoute, 'rest' | 'query'>

function read(): PageRoute {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/').map(plain)
  return { view, rest, query: new URLSearchParams(query) }
}

function plain(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // a percent sign that is one
  }
}

/** Where the page is. */
export const route = signal<PageRoute>(read())

/** The address of a view. */
export function hrefOf(view: string, rest: string[] = [], query: Record<string, string> = {}): string {
  const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return `#/${[view, ...rest].map(encodeURIComponent).join('/')}${asked === '' ? '' : `?${asked}`}`
}

/** Goes there; `replace`: the back button does not come back here. */
export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'replace') history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  route.value = read()
}

addEventListener('hashchange', () => (route.value = read()))
addEventListener('popstate', () => (route.value = read()))
