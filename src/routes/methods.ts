import type { FastifyInstance } from 'fastify'

/** Learns the routes as they are added: which methods are served at a path. Empty: no such path. */
export function servedMethods(app: FastifyInstance): (path: string) => string[] {
  const known = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const entry = known.get(url) ?? { pattern: toPattern(url), methods: new Set() }
    for (const one of [method].flat()) entry.methods.add(one)
    known.set(url, entry)
  })
  return (path) => {
    const fitting = [...known.values()].filter(({ pattern }) => pattern.test(path))
    return [...new Set(fitting.flatMap(({ methods }) => [...methods]))].sort()
  }
}

/** `/runs/:id` as a regular expression. */
function toPattern(url: string): RegExp {
  const parts = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  return new RegExp(`^${parts.join('/')}$`)
}
