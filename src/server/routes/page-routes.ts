import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ShellphoneError } from '../../shared/schema/index.ts'
import type { App, RouteParts } from './route-parts.ts'

const compress = promisify(gzip)

/** Nothing inline, nothing from other sites, no frames; scripts cannot create HTML, and only the policy `sw` can name a worker. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types sw',
].join('; ')

const headers = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

/** The page's media types by file extension. */
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

/** Files with fixed addresses; all others are below /page/ and have a hash of their content in their names. */
const addresses: Record<string, string> = {
  '/': 'index.html',
  '/sw.js': 'sw.js',
  '/manifest.webmanifest': 'manifest.webmanifest',
  '/icon.svg': 'icon.svg',
}

const FOR_EVER = 'public, max-age=31536000, immutable'

/** Serves the browser page from memory. The page is public and contains no secrets; every request that it makes for data needs a token. */
export async function pageRoutes(app: App, { page }: Pick<RouteParts, 'page'>): Promise<void> {
  if (page === null) return
  const files = readPage(page)
  const options = { schema: { hide: true }, config: { public: true } }
  for (const [address, name] of Object.entries(addresses)) {
    app.get(address, options, (request, reply) => answer(files.get(name), 'no-cache', request, reply))
  }
  app.get<{ Params: { name: string } }>('/page/:name', options, (request, reply) => {
    const { name } = request.params
    const isOwn = !Object.values(addresses).includes(name)
    return answer(isOwn ? files.get(name) : undefined, FOR_EVER, request, reply)
  })
  if (files.size === 0) app.log.warn('the page is not built; run npm run build')
}

/** A file in memory; the first request compresses it. */
interface PageFile {
  type: string
  bytes: Buffer
  etag: string
  gzipped: Promise<Buffer> | null
}

/** Reads all files at once, so that an upgrade cannot mix two builds. Empty if the page is not built. */
function readPage(folder: URL): Map<string, PageFile> {
  const names = namesIn(folder).filter((name) => extname(name) in types)
  return new Map(names.map((name) => [name, toFile(readFileSync(new URL(name, folder)), extname(name))]))
}

function namesIn(folder: URL): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // a clone without a build
  }
}

const toFile = (bytes: Buffer, ending: string): PageFile => ({
  type: types[ending]!,
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
  gzipped: null,
})

async function answer(file: PageFile | undefined, caching: string, request: FastifyRequest, reply: FastifyReply) {
  if (!file) {
    throw new ShellphoneError('NOT_FOUND', 'The page has no such file; if the page is not built, run npm run build')
  }
  const { etag, type, bytes } = file
  reply.headers({ ...headers, 'cache-control': caching, etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  reply.type(type)
  if (!takesGzip(request)) return reply.send(bytes)
  file.gzipped ??= compress(bytes, { level: 9 })
  return reply.header('content-encoding', 'gzip').send(await file.gzipped)
}

const takesGzip = ({ headers }: FastifyRequest) =>
  /\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(String(headers['accept-encoding'] ?? ''))
