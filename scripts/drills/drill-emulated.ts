/**
 * Runs the launcher's tests with launchers for arm64, with Debian's glibc and with musl. A cross compiler builds the launchers, which run in
 * qemu-user, while the commands that they start run natively. Prints every test as ok or failed (and where), or the reason why it cannot run
 * there. qemu 7.2 has no child subreapers (test/fixtures/spawn/qemu.c uses the host's), no seccomp filters and no Landlock.
 *
 *     npx tsx scripts/drills/drill-emulated.ts [glibc|musl [SUITE]]        after sh scripts/test/apt-packages.sh cross
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from '../../test/support/helper.ts'
import { prebuildFlags, targets } from '../build/prebuild-launcher.mjs'
import { readTap, type Tested } from './read-tap.ts'

const suites = ['launcher', 'launcher-faults', 'spawn', 'pool', 'sandbox']
const folderOf = (suite: string) => (suite === 'pool' ? 'pool' : 'spawn')
/** [the end of a test's name, the assertion that fails, why it cannot pass in qemu-user] */
const cannot: [name: string, assertion: RegExp, why: string][] = [
  [
    'without child subreapers there is no launcher',
    /rejects?$/,
    'qemu has no child subreapers; test/fixtures/spawn/qemu.c reports success',
  ],
  ['limits are set before the script starts', /: openFiles,addressSpaceBytes$/, 'qemu does not forward RLIMIT_AS'],
  ['floods fill no memory and starve nobody', /^the launcher takes \d+ KiB$/, "qemu's own memory is counted"],
  [
    'launcher: a pool > endings',
    /^expected to reject$/,
    'qemu shares no memory between clone and exec, so a shell that cannot be executed ends with 127',
  ],
  ['launcher: a pool', /^expected to reject$/, 'because of its test "endings"'],
]

const arm64 = targets.find(({ arch }) => arch === 'arm64')!
const shim = fileURLToPath(new URL('../../test/fixtures/spawn/qemu.c', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'drill-emulated-'))
const preload = join(folder, 'qemu.so')
execFileSync('cc', ['-shared', '-fPIC', '-o', preload, shim])

/** Writes a replacement for cc, whose output is a script that runs the built program in qemu. */
function crossCompiler(libc: string): string {
  const path = join(folder, `cc-${libc}`)
  const flags = libc === 'musl' ? prebuildFlags(arm64) : []
  const options = [...flags, '-Dprctl=guest_prctl', '-DGUEST', shim].map((one) => `'${one}'`).join(' ')
  const lines = [
    '#!/bin/sh',
    'case "$*" in *-fsanitize*) echo "sanitizers do not run in qemu-user" >&2; exit 1 ;; esac',
    'out= last=',
    'for word; do [ "$last" = -o ] && out=$word; last=$word; done',
    `binary=$(mktemp ${folder}/${libc}-XXXXXX) && ${arm64.gnu}-gcc "$@" ${options} -o "$binary" || exit 1`,
    'printf \'#!/bin/sh\\nLD_PRELOAD=%s exec %s -L /usr/%s -E LD_PRELOAD= %s "$@"\\n\' ' +
      `${preload} ${arm64.qemu} ${arm64.gnu} "$binary" > "$out" && chmod +x "$out"`,
  ]
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o755 })
  return path
}

async function run(suite: string, compiler: string): Promise<Tested[]> {
  const env = { ...process.env, CC: compiler, TAP_TIMEOUT: '300' }
  const argv = ['--import', 'tsx', `test/server/${folderOf(suite)}/${suite}.test.ts`]
  const child = spawn(process.execPath, argv, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more
  })
  await once(child, 'close')
  return readTap(text)
}

const reasonOf = ({ path, failed, skipped }: Tested) =>
  skipped ??
  (failed === null
    ? undefined
    : cannot.find(([name, part]) => path.join(' > ').endsWith(name) && part.test(failed))?.[2])

function print({ path, failed, skipped }: Tested, reason: string | undefined): void {
  const name = `${'  '.repeat(path.length)}${path.at(-1)}`
  if (failed === null && skipped === null) console.log(`${name}: ok`)
  else console.log(`${name}: ${reason ? `cannot (${reason})` : `FAILED: ${failed}`}`)
}

const [libcs, chosen] = [process.argv[2] ? [process.argv[2]] : ['glibc', 'musl'], process.argv[3]]
let unexpected = 0
for (const libc of libcs) {
  for (const suite of chosen ? [chosen] : suites) {
    const tests = await run(suite, crossCompiler(libc))
    console.log(`arm64, ${libc}: ${suite}.test.ts`)
    for (const tested of tests) print(tested, reasonOf(tested))
    unexpected += tests.filter((tested) => tested.failed !== null && !reasonOf(tested)).length
  }
}
rmSync(folder, { recursive: true })
console.log(`${unexpected} tests failed without a known reason`)
process.exitCode = unexpected === 0 ? 0 : 1
