import { signal } from '@preact/signals'

/** The parsed address: in `#/runs/ID?status=failed` the view is `runs`, the rest is `['ID']`, and a query follows. */
interface PageRoute {
  view: string
  rest: string[]
  query: URLSearchParams
}

/** The props of every view. */
export type ViewProps = Pick<PageRoute, 'rest' | 'query'>

function read(): PageRoute {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/').map(decode)
  return { view, rest, query: new URLSearchParams(query) }
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

export function hrefOf(view: string, rest: string[] = [], query: Record<string, string> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return `#/${[view, ...rest].map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`
}

/** Navigates; `replace` adds no entry to the history. */
export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'replace') history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  route.value = read()
}

addEventListener('hashchange', () => (route.value = read()))
addEventListener('popstate', () => (route.value = read()))
