import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyRequest } from 'fastify'
import type { App, RouteParts } from './route-parts.ts'

const answer = (type: string, description: string) => ({
  200: { description, content: { [type]: { schema: { type: 'string' } } } },
})

/**
 * GET /openapi.yaml, GET /asyncapi.yaml and, for people, GET /docs: the contract, from the files next to the code. /docs is public because a
 * browser sends no token.
 */
export async function contractRoutes(app: App, parts: RouteParts): Promise<void> {
  const { contract, messages } = parts
  const documents = [
    ['/openapi.yaml', contract, 'getContract', 'The contract of the HTTP API', 'The contract as OpenAPI 3.1 in YAML'],
    [
      '/asyncapi.yaml',
      messages,
      'getMessageContract',
      'The contract of the messages of GET /ws',
      'The contract as AsyncAPI 3 in YAML',
    ],
  ] as const
  for (const [path, file, operationId, summary, format] of documents) {
    const schema = { summary, operationId, tags: ['operation'], response: answer('application/yaml', format) }
    app.get(path, { schema }, async (_request, reply) => {
      return reply.type('application/yaml').send(await readFile(file, 'utf8'))
    })
  }
  await docsRoute(app, parts)
}

/** GET /docs, to which the page links; a control plane serves it too. */
export async function docsRoute(
  app: App,
  { docs, certificatePin }: Pick<RouteParts, 'docs' | 'certificatePin'>,
): Promise<void> {
  const page = {
    summary: 'The API contract as a page with a search field',
    operationId: 'getDocs',
    tags: ['operation'],
    security: [],
    response: answer('text/html', 'HTML without external resources'),
  }
  app.get('/docs', { schema: page, config: { public: true } }, async (request, reply) => {
    const html = withOrigin(await readFile(docs, 'utf8'), request, certificatePin)
    return reply.headers(pageHeaders(html)).type('text/html; charset=utf-8').send(html)
  })
}

/** The page with the address at which its reader reached it, and over TLS with the key of the certificate, so that the curl lines work as they stand. */
function withOrigin(html: string, { protocol, host }: FastifyRequest, pin: string | null): string {
  if (!/^[\w.:[\]-]+$/.test(host)) return html
  const trust = protocol === 'https' && pin ? `\ncurl() { command curl -k --pinnedpubkey 'sha256//${pin}' "$@"; }` : ''
  return html.replace(/^(<pre>.*\nURL=).*(?=<)/m, `$1${protocol}://${host}${trust}`)
}

/** Allows the page its own style and script and nothing else: no requests, frames or forms. */
function pageHeaders(html: string): Record<string, string> {
  const hashOf = (tag: string) => {
    const text = new RegExp(`<${tag}>(.*)</${tag}>`, 's').exec(html)?.[1] ?? ''
    return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  }
  return {
    'content-security-policy': `default-src 'none'; style-src ${hashOf('style')}; script-src ${hashOf('script')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-cache',
  }
}
