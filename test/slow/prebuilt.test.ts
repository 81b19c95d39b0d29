import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { prebuildLauncher, targets } from '../../scripts/build/prebuild-launcher.mjs'
import { openSpawner } from '../../src/server/spawn/index.ts'
import { start } from '../support/spawn/harness.ts'

t.test('the prebuilt launcher works on this processor', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-prebuilt-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const target = targets.find(({ arch }) => arch === process.arch)
  const prebuilt = join(folder, 'prebuilt')
  const reason = target ? prebuildLauncher(target, prebuilt) : `there is none for ${process.arch}`
  if (reason) return t.pass('prebuilt', { skip: reason })
  t.equal(prebuildLauncher(target!, join(folder, 'again')), null)
  t.ok(readFileSync(prebuilt).equals(readFileSync(join(folder, 'again'))), 'two builds are equal')
  t.notOk(readFileSync(prebuilt, 'latin1').includes('/lib/ld-'), 'no loader: it is static')
  const opened = await openSpawner({
    use: 'auto',
    landlock: 'off',
    externalSandbox: null,
    shell: '/bin/sh',
    env: { PATH: process.env.PATH! },
    tmpDir: folder,
    platform: 'android',
    launchers: () => ({ launchers: [{ path: prebuilt, what: 'the prebuilt one' }], notBuilt: null }),
  })
  t.teardown(() => opened.spawner.close())
  t.same([opened.spawner.name, opened.reason], ['launcher', 'the prebuilt one works'])
  t.equal(opened.noTerminal, null)
  const terminal = { rows: 24, columns: 80 }
  const { child, lines } = await start(opened.spawner, 'stty size; tty', { stdin: 'pipe', terminal })
  t.match(await lines(2), ['24 80\r', /^\/dev\/pts\/\d+\r$/], 'terminals work too')
  t.same(await child.exited, { exitCode: 0, signal: null })
})
