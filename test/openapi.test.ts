import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { parse } from 'yaml'
import { descriptions } from '../scripts/docs/descriptions.ts'
import { docsPage } from '../scripts/docs/docs-page.ts'
import { openapiDocument } from '../scripts/docs/openapi-document.ts'
import { planeDocument } from '../scripts/docs/plane-document.ts'
import { planeExamples } from '../scripts/docs/plane-examples.ts'
import { endWithUs, HANG_MS, noTerminals, root, startService, until } from './support/helper.ts'

const contract = readFileSync(`${root}/openapi.yaml`, 'utf8')
const messages = readFileSync(`${root}/src/server/routes/asyncapi.yaml`, 'utf8')
const planeContract = readFileSync(`${root}/src/fleet/plane/plane-openapi.yaml`, 'utf8')

interface Parsed {
  paths: Record<string, Record<string, Json>>
  components: { schemas: Record<string, object>; securitySchemes: { bearer: { description: string } } }
}

const parseContract = (text: string) => {
  const document = parse(text) as Parsed
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  )
  return { ...document, operations }
}
const ofService = parseContract(contract)
const { components, operations } = ofService
const ofPlane = parseContract(planeContract)
const both = [ofService, ofPlane]

const html = readFileSync(`${root}/src/server/routes/docs.html`, 'utf8')

t.test('openapi.yaml matches the routes', async (t) => {
  t.equal(contract, await openapiDocument(), 'npm run docs has been run')
  t.equal(planeContract, await planeDocument(), 'also for the control plane')
})

t.test('docs.html matches openapi.yaml and contains one script, of its own', async (t) => {
  t.equal(html, docsPage(contract, messages), 'npm run docs has been run')
  t.ok(html.length < 220_000, `${html.length} characters`)
  const names = operations.map(([name]) => name)
  t.same(
    names.filter((operation) => !html.includes(`<h3>${operation}</h3>`)),
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
    // the page has the address / and its views /#…; test/slow/page-causes.test.ts follows them
    targets.filter((target) => !target.startsWith('/') && !ids.includes(target.replace(/^#/, ''))),
    [],
    'links without a target',
  )
  t.equal(html.match(/<script/g)?.length, 1)
  t.notMatch(html, /<script [^>]|<img|<link|<iframe|<form|\bon\w+="|\bstyle="|javascript:|src=|url\(|@import/i)

  const service = await startService()
  t.teardown(() => service.stop())
  const reply = await service.request('/docs', { token: null })
  t.equal(await reply.text(), html.replace('URL=http://127.0.0.1:8029', `URL=${service.url}`), 'with its own address')
  t.match(reply.headers.get('content-type'), /^text\/html/)
  const hashOf = (tag: string) =>
    createHash('sha256')
      .update(new RegExp(`<${tag}>(.*)</${tag}>`, 's').exec(html)![1]!)
      .digest('base64')
  t.equal(
    reply.headers.get('content-security-policy'),
    `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  t.equal((await service.request('/docs', { headers: { origin: 'http://evil.example' } })).status, 403)
})

t.test('docs.html shows the fields of a body and a sample of JSON responses, and the browser page first', async (t) => {
  const sections = new Map(
    [...html.matchAll(/<section id="[^"]+"><h3>(.*?)<\/h3>(.*?)<\/section>/gs)].map(([, name, text]) => [name, text!]),
  )
  for (const [name, { responses }] of operations) {
    const isJson = Object.entries(responses as Record<string, { content?: Json }>).some(
      ([status, { content }]) => status < '300' && content?.['application/json'] !== undefined,
    )
    t.equal(/<pre>[{[]/.test(sections.get(name)!), isJson, name)
  }
  t.match(sections.get('POST /exec'), /<h4>Body<\/h4><table><tr><td><code>command<\/code> \*/)
  t.match(sections.get('POST /exec'), 'If the client disconnects, the command is canceled')
  t.match(sections.get('GET /ws'), 'href="#messages"')
  const [contents, body] = html
    .split('</nav>')
    .map((part) => [...part.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title))
  t.same(contents, body, 'the contents list every group')
  t.equal(body![0], 'The page')
  t.same(body!.slice(-2), ['WebSocket messages', 'Schemas'])
  t.match(html, /<section id="retries"><h3>Retries<\/h3><p>[^<]*canceled/, 'with the introduction of openapi.yaml')
})

/** Runs lines in a shell, with the variables that earlier lines have set; resolves with what curl prints. `file` stores the variables. */
async function paste(lines: string[], file: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const script = [
    'set -a',
    `. ${file}`,
    'curl() { command curl -sSf "$@"; }',
    ...lines,
    `export -p > ${file}`, // also after a call that failed
  ]
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script.join('\n')], {
    ...options,
    timeout: HANG_MS,
  })
  return { stdout, errors: stderr.match(/^curl: .*/gm) ?? [] }
}

/** Runs lines the last of which follows a stream that may have no end; resolves with the status of its response. */
async function pasteStream(lines: string[], file: string, options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const { errors } = await paste(lines.slice(0, -1), file, options)
  const last = lines.at(-1)!.replace('curl', 'exec curl -sD -')
  const child = endWithUs(spawn('sh', ['-c', `. ${file}\n${last}`], options))
  let reply = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (reply += text))
  await until(() => /^HTTP\S+ \d{3}/.test(reply))
  child.kill()
  return { status: Number(/^HTTP\S+ (\d+)/.exec(reply)![1]), errors }
}

/** The operations in the order of the page, with the lines that call them. */
const calls = [...html.matchAll(/<h3>(\S+ \/\S*)<\/h3>(?:(?!<h3>).)*?<pre>(.*?)<\/pre>/gs)].map(
  ([, name, escaped]) => ({
    name: name!,
    lines: escaped!.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))).split('\n'),
  }),
)

t.test('the curl lines of docs.html work in a new home when they are pasted from top to bottom', async (t) => {
  const [home, cwd] = [t.testdir({ here: {} }), join(t.testdirName, 'here')]
  const service = await startService({ env: { SHELLPHONE_WORKING_DIRECTORY: home, HOME: home } })
  t.teardown(() => service.stop())
  const missing = await noTerminals(service)
  if (missing !== null) return t.comment(missing) // sessions need the same launcher
  const created = await service.post('/tokens', { name: 'docs', approves: 'all', read: 'all', shell: true })
  const { token } = (await created.json()) as { token: string }
  const file = join(home, 'variables')
  writeFileSync(file, '')
  const env = { ...process.env, AUTH: `Authorization: Bearer ${token}`, URL: service.url, NONCE: 'x'.repeat(43) }
  /** what curl reports where a line cannot succeed here, or shows how to give up */
  const failures: Record<string, RegExp> = {
    'DELETE /exec': /^curl: \(28\)/,
    'POST /approvals/press/{nonce}': /error: 401$/,
  }
  t.same(calls.map(({ name }) => name).sort(), operations.map(([name]) => name).sort(), 'every operation has a line')
  for (const { name, lines } of calls) {
    if (/ -i?N /.test(lines.at(-1)!)) {
      const { status, errors } = await pasteStream(lines, file, { cwd, env })
      t.ok(status < 400 && errors.length === 0, `${name}: ${status} ${errors}`)
      continue
    }
    const { stdout, errors } = await paste(lines, file, { cwd, env })
    const expected = failures[name]
    const isFine = errors.every((error) => expected?.test(error)) && errors.length > 0 === (expected !== undefined)
    t.ok(isFine, `${name}: ${errors}`)
    if (name.startsWith('POST /files/')) t.same(JSON.parse(stdout.replaceAll(home, '/home/you')), exampleOf(name), name)
  }
  t.same(readdirSync(cwd), ['copy.txt'])
  t.equal(readFileSync(join(cwd, 'copy.txt'), 'utf8'), 'one\n')
})

/** The example of the reply of an operation. */
function exampleOf(operation: string): unknown {
  const { responses } = operations.find(([name]) => name === operation)![1] as {
    responses: Record<string, { content: Record<string, { example: unknown }> }>
  }
  return responses[200]!.content['application/json']!.example
}

t.test('docs.html groups the operations, and names no number of a specification', async (t) => {
  t.match(html, /<h2>Run commands<\/h2>.*<h2>Files<\/h2>.*<h2>Schemas<\/h2>/s)
  t.notMatch(html, /FEAT-\d+|Default Response|Meka's/)
})

t.test('every response has a description of its own', async (t) => {
  for (const { operations } of both) {
    for (const [name, { responses }] of operations) {
      for (const [status, { description }] of Object.entries(responses as Record<string, { description: string }>)) {
        // a sentence: the default of @fastify/swagger and a bare error type have at most two words
        t.ok(description.split(' ').length > 2, `${name} ${status}: ${description}`)
      }
    }
  }
})

t.test('each method of /mcp has its own responses, and the header of the session', async (t) => {
  const statuses = {
    POST: '200 202 400 401 403 404 406 413 415 429 499 500 503',
    GET: '200 400 401 403 404 406 409 429 500',
    DELETE: '200 400 401 403 404 429 500',
  }
  for (const [method, expected] of Object.entries(statuses)) {
    for (const path of ['/mcp', '/mcp/{dialect}']) {
      const [, { responses, parameters }] = operations.find(([name]) => name === `${method} ${path}`)!
      t.equal(Object.keys(responses as Json).join(' '), expected, `${method} ${path}`)
      const header = (parameters as Json[]).find(({ name }) => name === 'mcp-session-id')
      t.equal(header?.in, 'header')
    }
  }
  const { responses } = ofService.paths['/mcp']!.delete as { responses: Record<string, { content?: object }> }
  t.equal(responses[200]!.content, undefined, 'an empty body')
})

t.test('says how to authenticate, to retry and to read errors', async (t) => {
  const { info } = parse(contract) as { info: { description: string } }
  for (const word of ['Authorization: Bearer', 'Idempotency-Key', 'Retry-After', 'schema `Error`']) {
    t.ok(info.description.includes(word), word)
  }
  for (const { components } of both) t.match(components.securitySchemes.bearer.description, /shellphone token create/)
})

t.test('describes named shapes once', async (t) => {
  for (const name of ['ExecRequest', 'ExecRecord', 'Decision', 'Approval', 'Error', 'Health']) {
    t.ok(components.schemas[name], name)
    t.match(contract, `$ref: "#/components/schemas/${name}"`)
  }
})

type Json = Record<string, unknown>

/** Every property of every schema in a part of a document, by its path. */
function propertiesIn(value: unknown, path: string): [string, Json][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value as Json).flatMap(([key, part]) => {
    const own = key === 'properties' ? Object.entries(part as Record<string, Json>) : []
    return [
      ...own.map(([name, property]): [string, Json] => [`${path}.${name}`, property]),
      ...propertiesIn(part, key === 'properties' ? path : `${path}.${key}`),
    ]
  })
}

t.test('every property and every parameter of the contracts has a description', async (t) => {
  const asyncapi = parse(messages) as { components: Json }
  const all = both.flatMap((document) => document.operations)
  const parameters = all.flatMap(([operation, { parameters = [] }]) =>
    (parameters as Json[]).map((one): [string, Json] => [`${operation} ${one.name}`, one]),
  )
  const described = [
    ...both.flatMap(({ components, paths }) => [
      ...propertiesIn(components.schemas, 'schemas'),
      ...propertiesIn(paths, 'paths'),
    ]),
    ...propertiesIn(asyncapi.components, 'asyncapi'),
    ...parameters,
  ]
  t.ok(described.length > 500, `${described.length} properties and parameters`)
  t.same(
    described.filter(([, { description }]) => typeof description !== 'string').map(([path]) => path),
    [],
    'without a description',
  )
})

t.test('every operation with a body has an example of it', async (t) => {
  const media = both
    .flatMap((document) => document.operations)
    .flatMap(([operation, { requestBody }]) =>
      Object.entries((requestBody as { content?: Record<string, Json> })?.content ?? {}).map(([type, one]) => ({
        ...{ name: `${operation} ${type}`, one, type },
      })),
    )
  t.ok(media.length > 10, `${media.length} bodies`)
  const missing = media.filter(({ one, type }) => one.example === undefined && type !== 'application/x-tar')
  t.same(
    missing.map(({ name }) => name),
    [],
    'without an example',
  )
})

t.test('every JSON reply has an example, which its schema accepts', async (t) => {
  const requireFromFastify = createRequire(createRequire(import.meta.url).resolve('fastify'))
  const { default: Ajv } = requireFromFastify('ajv/dist/2020.js')
  const ajv = new Ajv({ strict: false, validateFormats: false })
  let count = 0
  const wrong: string[] = []
  for (const [id, text] of Object.entries({ service: contract, plane: planeContract })) {
    const document = parse(text) as { components: { examples: Record<string, { value: unknown }> } }
    ajv.addSchema(document, id)
    for (const [operation, { responses }] of parseContract(text).operations) {
      const [method, path] = operation.split(' ') as [string, string]
      for (const [status, { content }] of Object.entries(
        responses as Record<string, { content?: Record<string, Json> }>,
      )) {
        const media = content?.['application/json']
        if (media === undefined) continue
        count += 1
        const named = (media.examples ?? {}) as Record<string, { value?: unknown }>
        const values = Object.entries(named).map(
          ([name, { value }]) => value ?? document.components.examples[name]?.value,
        )
        const examples = media.example === undefined ? values : [media.example]
        const where = [
          'paths',
          path,
          method.toLowerCase(),
          'responses',
          status,
          'content',
          'application/json',
          'schema',
        ]
        const ref = where.map((one) => encodeURIComponent(one.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
        const isValid = ajv.compile({ $ref: `${id}#/${ref}` })
        if (examples.length === 0) wrong.push(`${operation} ${status}: no example`)
        for (const example of examples) {
          if (!isValid(example)) wrong.push(`${operation} ${status}: ${JSON.stringify(isValid.errors![0])}`)
        }
      }
    }
  }
  t.ok(count > 100, `${count} replies`)
  t.same(wrong, [])
})

t.test('every description belongs to an operation, and says more than its summary', async (t) => {
  for (const [{ operations }, own] of [
    [ofService, descriptions],
    [ofPlane, planeExamples.descriptions],
  ] as const) {
    const described = operations.filter(([, { description }]) => description !== undefined)
    t.same(described.map(([name]) => name).sort(), Object.keys(own).sort())
    for (const [name, { summary, description }] of described) t.notMatch(description, summary as string, name)
  }
})

t.test('serves asyncapi.yaml like openapi.yaml', async (t) => {
  const service = await startService()
  t.teardown(() => service.stop())
  for (const [path, text] of [
    ['/openapi.yaml', contract],
    ['/asyncapi.yaml', messages],
  ] as const) {
    const reply = await service.request(path)
    t.equal(await reply.text(), text, path)
    t.equal(reply.headers.get('content-type'), 'application/yaml')
    t.equal((await service.request(path, { token: null })).status, 401, `${path} without a token`)
  }
})
