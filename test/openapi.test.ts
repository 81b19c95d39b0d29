import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { docsPage } from '../scripts/docs/docs-page.ts'
import { openapiDocument } from '../scripts/docs/openapi-document.ts'
import { root, startService } from './support/helper.ts'

const contract = readFileSync(`${root}/openapi.yaml`, 'utf8')
const { paths, components } = parse(contract) as { paths: object; components: { schemas: Record<string, object> } }

t.test('openapi.yaml matches the routes', async (t) => {
  t.equal(contract, await openapiDocument(), 'npm run docs has been run')
})

t.test('docs.html matches openapi.yaml and contains no script', async (t) => {
  const html = readFileSync(`${root}/src/server/routes/docs.html`, 'utf8')
  t.equal(html, docsPage(contract), 'npm run docs has been run')
  t.ok(html.length < 102_000, `${html.length} characters`)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  t.same(
    operations.filter((operation) => !html.includes(`<h2>${operation}</h2>`)),
    [],
    'operations missing on the page',
  )
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
  t.equal(new Set(ids).size, ids.length, 'anchors are unique')
  t.same(
    Object.keys(components.schemas).filter((name) => !ids.includes(name)),
    [],
    'schemas missing on the page',
  )
  const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target!)
  t.same(
    targets.filter((target) => !target.startsWith('#') || !ids.includes(target.slice(1))),
    [],
    'links without a target',
  )
  t.notMatch(html, /<script|<img|<link|<iframe|<form|\bon\w+="|\bstyle="|javascript:|src=|url\(|@import/i)

  const service = await startService()
  t.teardown(() => service.stop())
  const reply = await service.request('/docs', { token: null })
  t.equal(await reply.text(), html)
  t.match(reply.headers.get('content-type'), /^text\/html/)
  const hash = createHash('sha256')
    .update(/<style>(.*)<\/style>/s.exec(html)![1]!)
    .digest('base64')
  t.equal(
    reply.headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  t.equal((await service.request('/docs', { headers: { origin: 'http://evil.example' } })).status, 403)
})

t.test('describes named shapes once', async (t) => {
  for (const name of ['ExecRequest', 'ExecRecord', 'Decision', 'Approval', 'Error', 'Health']) {
    t.ok(components.schemas[name], name)
    t.match(contract, `$ref: "#/components/schemas/${name}"`)
  }
})
