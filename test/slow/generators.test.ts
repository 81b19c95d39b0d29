import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@hey-api/openapi-ts'
import { generate } from 'orval'
import t from 'tap'
import { clientTypes } from './client-contract.ts'
import { HANG_MS, root, startService, until, processesWith } from '../support/helper.ts'

const service = await startService()
const folder = mkdtempSync(join(tmpdir(), 'shellphone-generators-'))
symlinkSync(join(root, 'test/slow/node_modules'), join(folder, 'node_modules'))
writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
t.teardown(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
const input = `${root}/openapi.yaml`

/** How each generator creates its client, which the program of the same name in generators/ uses. */
const generators: Record<string, () => Promise<unknown>> = {
  'hey-api': () =>
    createClient({
      input,
      output: { path: join(folder, 'hey-api-client'), importFileExtension: '.js' },
      plugins: ['@hey-api/client-fetch'],
      logs: { level: 'silent' },
    }),
  // without `contentType` it sends a body that may be JSON or text without a content type
  orval: () =>
    generate({
      input,
      output: {
        target: join(folder, 'orval-client.ts'),
        client: 'fetch',
        baseUrl: service.url,
        override: { contentType: { include: ['application/json'] } },
      },
    }),
  'openapi-typescript': async () =>
    writeFileSync(join(folder, 'openapi-typescript-client.d.ts'), await clientTypes(readFileSync(input, 'utf8'))),
}

t.test('generated clients run, stream and cancel, without a cast', async (t) => {
  for (const [name, make] of Object.entries(generators)) {
    const program = readFileSync(join(root, 'test/slow/generators', `${name}.ts`), 'utf8')
    t.notMatch(program, /\bas (any|unknown|never|[A-Z])|@ts-|: any\b/, `${name}: no cast`)
    await make()
    copyFileSync(join(root, 'test/slow/generators', `${name}.ts`), join(folder, `${name}.ts`))
  }
  const flags = '--strict --noUncheckedIndexedAccess --skipLibCheck --target es2022 --module nodenext --types node'
  const files = Object.keys(generators).map((name) => `${name}.ts`)
  const tsc = [join(root, 'node_modules/typescript/bin/tsc'), ...flags.split(' '), ...files]
  const compiled = spawnSync(process.execPath, tsc, { cwd: folder, encoding: 'utf8' })
  t.equal(compiled.stdout, '', 'they compile')
  for (const name of Object.keys(generators)) {
    const args = [`${name}.js`, service.url, service.token]
    const ran = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 10 * HANG_MS })
    t.equal(ran.stdout, 'hello\n allow 1\n2\n3\n cancel_requested canceled unauthorized\n', `${name} ${ran.stderr}`)
  }
  t.ok(await until(() => processesWith('sleep 600.7').length === 0), 'no process of a canceled command is left')
})
