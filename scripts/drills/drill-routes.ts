/**
 * Tries every route by which code can enter besides the script itself. Prints the verdict of POST /policy/check under `strict`, with its reason,
 * and runs the command with harmless code. Without guards, the code creates a marker file, which proves that the route works. Under `strict`,
 * where nobody answers approval requests, it must not. Exit code 1 if code gets through. Names the routes that have no effect on this machine.
 *
 *     npx tsx scripts/drills/drill-routes.ts
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Service, startService } from '../../test/support/helper.ts'

interface Checked {
  verdict?: string
  guards?: { verdict: string; rule: string | null; reason: string | null }[]
  error?: { message: string }
}

interface CodeRoute {
  command: string
  env?: Record<string, string>
  stdin?: string
}

const touch = 'touch marker'
const python = 'open("marker", "w")'

const routes: readonly CodeRoute[] = [
  ...['sh', 'bash', 'sh -s', 'sh /dev/stdin', 'sh /dev/fd/0', 'sh /proc/self/fd/0', '. /dev/stdin', 'cat | sh'].map(
    (command) => ({ command, stdin: touch }),
  ),
  ...['python3', 'python3 -', 'python3 /dev/stdin', 'cat | python3'].map((command) => ({ command, stdin: python })),
  { command: 'perl', stdin: 'open F, ">marker"' },
  { command: 'node', stdin: 'require("fs").writeFileSync("marker", "")' },
  { command: 'xargs touch', stdin: 'marker' },
  { command: 'awk -f /dev/stdin x.txt', stdin: 'BEGIN { system("touch marker") }' },
  { command: 'make -f -', stdin: 'all:\n\ttouch marker\n' },
  { command: `sh <<'E'\n${touch}\nE` },
  { command: `python3 <<'E'\n${python}\nE` },
  { command: `sh /dev/fd/3 3<<'E'\n${touch}\nE` },
  ...['sh /dev/fd/3 3<x.sh', 'sh /proc/self/fd/3 3<x.sh'].map((command) => ({ command })),
  { command: `echo '${touch}' | sh` },
  { command: `echo '${touch}' > y; sh y` },
  { command: `echo '${touch}' > y; . ./y` },
  { command: `echo '${touch}' | tee y; sh y` },
  { command: 'cp x.sh y; sh y' },
  { command: `mkfifo p; echo '${touch}' > p & sh p; wait` },
  ...['sh x.sh', '. ./x.sh', 'sh < x.sh', './x.sh', 'bash x.sh'].map((command) => ({ command })),
  {
    command: 'git status',
    env: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.fsmonitor', GIT_CONFIG_VALUE_0: touch },
  },
  { command: 'git diff', env: { GIT_EXTERNAL_DIFF: './x.sh' } },
  { command: 'git ls-remote ssh://x/y', env: { GIT_SSH_COMMAND: touch } },
  { command: 'git commit -q --allow-empty', env: { GIT_EDITOR: touch } },
  { command: 'export GIT_EXTERNAL_DIFF=./x.sh; git diff' },
  { command: 'env GIT_EXTERNAL_DIFF=./x.sh git diff' },
  { command: 'GIT_EXTERNAL_DIFF=./x.sh git diff' },
  { command: 'bash -c :', env: { BASH_ENV: './x.sh' } },
  { command: 'BASH_ENV=./x.sh bash -c :' },
  { command: 'export BASH_ENV=./x.sh; bash -c :' },
  { command: 'env NODE_OPTIONS="--require ./mark.cjs" node x.cjs' },
  { command: 'perl x.pl', env: { PERL5OPT: '-Mmark', PERL5LIB: '.' } },
  { command: 'python3 x.py', env: { PYTHONPATH: '.' } },
  { command: 'node x.cjs', env: { NODE_OPTIONS: '--require ./mark.cjs' } },
  { command: 'tar -cf x.tar x.txt', env: { TAR_OPTIONS: "--checkpoint=1 --checkpoint-action=exec='touch marker'" } },
  { command: 'make -s', env: { MAKEFLAGS: '--eval=$(shell\\ touch\\ marker)' } },
  { command: 'ls', env: { PATH: './bin:/usr/bin:/bin' } },
]

const files: Readonly<Record<string, string>> = {
  'x.sh': `#!/bin/sh\n${touch}\n`,
  'x.txt': 'x\n',
  'x.pl': '1',
  'x.py': '1',
  'x.cjs': '1',
  'mark.pm': 'open F, ">marker"; 1;',
  'sitecustomize.py': python,
  'mark.cjs': 'require("fs").writeFileSync("marker", "")',
  Makefile: 'all:\n',
  'bin/ls': `#!/bin/sh\n${touch}\n`,
}
const prepared =
  'git init -q . && git config user.email a@b && git config user.name c && git add x.txt && git commit -qm x && echo longer > x.txt'

/** Runs `work` in a new folder with the files that the commands need. */
async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-route-'))
  mkdirSync(join(folder, 'bin'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 })
  execFileSync('sh', ['-c', prepared], { cwd: folder })
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const leavesMarker = (service: Service, route: CodeRoute) =>
  inFolder(async (folder) => {
    await service.exec({ ...route, working_directory: folder, timeout_seconds: 10 })
    return existsSync(join(folder, 'marker'))
  })

/** The verdict with its reason; `refused` if the service rejects the request itself, because it sets a forbidden variable. */
const judge = (route: CodeRoute) =>
  inFolder(async (folder) => {
    const answer = await strict.post('/policy/check', { ...route, working_directory: folder })
    const { verdict, guards = [], error } = (await answer.json()) as Checked
    const first = guards.find((one) => one.verdict === verdict)
    return verdict ? { verdict, why: `${first?.rule}: ${first?.reason}` } : { verdict: 'refused', why: error?.message }
  })

const settings = { SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '1', SHELLPHONE_APPROVAL_NOTIFICATIONS: 'false' }
const open = await startService({ env: { ...settings, SHELLPHONE_POLICY: 'open' } })
const strict = await startService({
  env: { ...settings, SHELLPHONE_POLICY: 'strict', SHELLPHONE_WORKSPACE_DIR: tmpdir() },
})
let through = 0
let proven = 0
for (const route of routes) {
  const { verdict, why } = await judge(route)
  const works = await leavesMarker(open, route)
  const ran = await leavesMarker(strict, route)
  if (works) proven += 1
  const isThrough = ran || (works && verdict === 'allow')
  if (isThrough) through += 1
  const said = isThrough ? 'LET THROUGH' : verdict + (works ? '' : ', but has no effect on this machine')
  process.stdout.write(`routes: ${said}: ${JSON.stringify(route)}: ${why}\n`)
}
await Promise.all([open.stop(), strict.stop()])
process.stdout.write(`routes: ${routes.length} routes, ${proven} proven without guards, ${through} let through\n`)
process.exitCode = through > 0 || proven < routes.length / 2 ? 1 : 0
