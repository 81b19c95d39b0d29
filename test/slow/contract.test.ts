import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { clientTypes } from './client-contract.ts'
import { root } from '../support/helper.ts'

/** A program that knows only the contract, and distinguishes events by their type. */
const program = `import type { components, operations } from './openapi.d.ts'

type Schemas = components['schemas']
type Bodies<Op> = Op extends { requestBody: { content: { 'application/json': infer Body } } } ? { body: Body } : { body?: never }
type Parameters<Op> = Op extends { parameters: infer Given } ? { parameters?: Given } : object
type Answer<Op> = Op extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : undefined

export declare function call<Id extends keyof operations>(
  id: Id,
  request: Bodies<operations[Id]> & Parameters<operations[Id]>,
): Promise<Answer<operations[Id]>>

export async function use(): Promise<void> {
  const record = await call('exec', { body: { command: 'ls', timeout_seconds: '5', max_length: 100 } })
  const code: number = record.exit_code
  const rule: string | null = record.decision.rule
  const { runs } = await call('listRuns', { parameters: { query: { status: 'live', limit: 5 } } })
  const ids: string[] = runs.map(({ id }) => id)
  const { outcome } = await call('cancelRun', { parameters: { path: { id: record.id } } })
  const isLate: boolean = outcome === 'already_finished'
  const { offset } = await call('feedStdin', { parameters: { path: { id: record.id } }, body: { data: 'x', offset: 0 } })
  const { approvals } = await call('listApprovals', {})
  const health = await call('getHealth', {})
  console.log(code, rule, ids, isLate, offset + 1, approvals.length, health.status === 'ok')
}

export function describe(event: Schemas['StreamedEvent']): string | number {
  switch (event.type) {
    case 'status':
      return event.status
    case 'note':
      return event.approval.expires_at
    case 'output':
      return event.next_offset + event.data.length
    case 'result':
      return event.exit_code
    case 'error':
      return event.error.type
  }
}

function isToWaitFor(type: Schemas['ErrorType']): boolean {
  return type === 'pool_full' || type === 'rate_limited'
}
`

type Operation = { operationId?: string; security?: object[]; responses: Record<string, { description?: string }> }
const text = readFileSync(`${root}/openapi.yaml`, 'utf8')
const { paths, components } = parse(text) as {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { enum?: string[]; properties?: Record<string, unknown> }> }
}
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
)

t.test('every operation has a unique name, and lists every status that it can return', async (t) => {
  const ids = operations.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, operations.length)
  for (const { name, operation } of operations) {
    t.match(operation.operationId, /^[a-z][A-Za-z]+$/, name)
    const statuses = Object.keys(operation.responses)
    const isPublic = operation.security?.length === 0
    for (const status of isPublic ? ['403', '500'] : ['401', '403', '429', '500']) {
      t.ok(statuses.includes(status), `${name}: ${status}`)
    }
  }
})

t.test('named shapes are references', async (t) => {
  const { schemas } = components
  for (const name of [
    'StreamedEvent',
    'OutputEvent',
    'ResultEvent',
    'RunSummary',
    'RunList',
    'Error',
    'ErrorType',
    'Approval',
  ]) {
    t.ok(schemas[name], name)
  }
  t.ok(schemas.ErrorType!.enum!.includes('pool_full'))
  t.match(schemas.ExecRequest!.properties!.timeout_seconds, { anyOf: [{ type: 'number' }, { type: 'string' }] })
})

t.test('a program with the types of openapi-typescript needs no cast', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-contract-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'openapi.d.ts'), await clientTypes(text))
  writeFileSync(join(folder, 'program.ts'), program)
  const flags = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck', '--allowImportingTsExtensions']
  const more = ['--target', 'es2022', '--module', 'nodenext', '--moduleResolution', 'nodenext']
  const compiled = spawnSync(`${root}/node_modules/.bin/tsc`, [...flags, ...more, join(folder, 'program.ts')], {
    cwd: folder,
    encoding: 'utf8',
  })
  t.equal(compiled.status, 0, compiled.stdout)
})
