import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import t, { type Test } from 'tap'
import { type Limits, noLimits, type Spawner, type SpawnRequest } from '../../../src/shared/schema/index.ts'
import { createChildProcessSpawner, endOrphans } from '../../../src/server/spawn/index.ts'
import { endTree } from '../../../src/server/spawn/end-tree.ts'
import { killTree } from '../../../src/server/spawn/kill-tree.ts'
import {
  findMark,
  isBetween,
  listPidsSince,
  parseStat,
  readStat,
  type ProcessSnapshot,
} from '../../../src/server/spawn/scan-processes.ts'
import { cutText, shellArgv } from '../../../src/server/spawn/shell-argv.ts'
import { findMembers, isSignallable, signalGroup, signalMember, type Tree } from '../../../src/server/spawn/tree.ts'
import { allProcessesWith, endWithUs, noNobody, until } from '../../support/helper.ts'
import { bothSpawners, isAlive, request, start as startOn } from '../../support/spawn/harness.ts'

const { spawners, each: eachOf } = await bothSpawners()
let spawner = spawners[0]!
const start = (script: string, more: Partial<SpawnRequest> = {}) => startOn(spawner, script, more)

/** A test that every spawner must pass. */
function each(name: string, body: (t: Test) => Promise<void>) {
  eachOf(name, (t, one) => {
    spawner = one
    t.teardown(() => {
      spawner = spawners[0]!
    })
    return body(t)
  })
}

each('a script of any length reaches the shell completely, and sees no parameters', async (t) => {
  const long = `# ${'€x'.repeat(270_000)}\nprintf '%s %s|' "$#" "$0"; cat <<'EOF'\n$1 \`x\` \\ "q" 'q' !\nEOF\nexit 7\n`
  t.ok(Buffer.byteLength(long) > 1024 * 1024)
  for (const shell of ['/bin/sh', '/bin/bash', '/bin/mksh', '/bin/busybox'].filter(existsSync)) {
    const argv = shellArgv(shell, long)
    t.ok(
      argv.every((arg) => Buffer.byteLength(arg) < 128 * 1024),
      'no argument is too long for the kernel',
    )
    const applet = shell.endsWith('busybox') ? ['sh', ...argv] : argv
    const child = spawn(shell, applet, { stdio: ['ignore', 'pipe', 'inherit'] })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    const [code] = await once(child, 'close')
    t.same([code, out], [7, `0 ${shell}|$1 \`x\` \\ "q" 'q' !\n`], shell)
  }
  for (const bytes of [119_999, 120_000, 120_001, 240_000]) {
    const script = `true ${'x'.repeat(bytes - 16)}\necho end\n`.slice(0, -1).concat('\n')
    const { child, text } = await start(script)
    await Promise.all([child.exited, child.closed])
    t.equal(text(), 'end\n', `${Buffer.byteLength(script)} bytes`)
  }
  const text = 'aé€😀\n'.repeat(50)
  for (let size = 5; size < 40; size++) {
    const pieces = cutText(text, size)
    t.equal(pieces.join(''), text)
    t.ok(pieces.every((piece) => Buffer.byteLength(piece) < size))
  }
})

each('bash with stdin reads no ~/.bashrc, whatever shell calls it', async (t) => {
  if (!existsSync('/bin/bash')) return void t.pass('bash', { skip: 'it is not here' })
  const HOME = t.testdir({ '.bashrc': 'echo bashrc' })
  const rows: [string, string, Partial<Limits>][] = [
    ['/bin/bash', 'cat', {}],
    ['/bin/bash', 'cat', { openFiles: 64 }],
    ['/bin/bash', 'bash -c cat; :', {}],
    ['/bin/sh', 'bash -c cat', {}],
  ]
  for (const [shell, script, limits] of rows) {
    for (const SHLVL of [undefined, '0']) {
      const env = { PATH: process.env.PATH!, HOME, ...(SHLVL && { SHLVL }) }
      const run = await start(script, { shell, env, stdin: 'pipe', limits: { ...noLimits, ...limits } })
      await run.child.write(Buffer.from('in\n'))
      run.child.endStdin()
      await Promise.all([run.child.exited, run.child.closed])
      t.equal(run.text(), 'in\n', `${shell}: ${script}, SHLVL ${SHLVL}`)
    }
  }
})

each('the shell leads its own group in another session, and inherits no descriptor', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { child, text } = await start('cat /proc/$$/stat; ls /proc/$$/fd; pwd; cat')
  t.same(await child.exited, { exitCode: 0, signal: null }, 'stdin is empty')
  await child.closed
  const [stat, ...rest] = text().trimEnd().split('\n')
  const { pid, group, session } = parseStat(stat!)!
  t.same([pid, group], [child.pid, child.pid])
  t.not(session, readStat(process.pid)!.session)
  // the process that started the tests may have left a descriptor open for all of them
  const inherited = readdirSync(`/proc/${process.ppid}/fd`)
  t.same(
    rest.filter((line) => line.length < 2 || !inherited.includes(line)),
    ['0', '1', '2', '/'],
  )
  server.close()
})

t.test('output streams are pipes that can be opened by name; sockets serve where there is no mkfifo', async (t) => {
  const script = 'echo out > /dev/stdout; echo err | tee /dev/stderr; cat'
  async function run(by: Spawner, more: Partial<SpawnRequest> = {}) {
    let text = ''
    const child = await by.spawn(request(script, { stdin: 'pipe', ...more }), {
      onOutput: (_, chunk) => {
        text += chunk
      },
    })
    await child.write(Buffer.from('in\n'))
    child.endStdin()
    await Promise.all([child.exited, child.closed])
    return text.split('\n').sort().join(' ').trim()
  }
  const folder = join(t.testdir({}), 'pipes')
  const piped = createChildProcessSpawner(folder)
  const left = () => readdirSync(folder).length
  t.equal(await run(piped), 'err err in out')
  for (let n = 0; n < 20; n++) await run(piped)
  t.ok(left() <= 64, `${left()} names for 21 runs`)
  await t.rejects(run(piped, { shell: '/nonexistent/sh' }))
  rmSync(folder, { recursive: true })
  t.equal(await run(piped), 'err err in out', 'the folder was emptied by somebody')
  const keeper = await piped.spawn(request('sleep 300 &'), { onOutput: () => {} })
  await keeper.exited
  const before = left()
  keeper.detach()
  await keeper.closed
  t.equal(left(), before - 2, 'a pipe that somebody still holds does not serve again')
  await keeper.end(0)
  await piped.close()
  t.notOk(existsSync(folder))

  const socketed = createChildProcessSpawner('/dev/null/folder')
  t.match(await run(socketed), /err in/)
})

t.test('rejects if the system refuses the start or only the launcher could do it', async (t) => {
  const sandbox = { network: true, writable: [], hidden: [] }
  const rows: [Partial<SpawnRequest>, RegExp][] = [
    [{ shell: '/nonexistent/sh' }, /ENOENT/],
    [{ shell: '/etc/passwd' }, /EACCES/],
    [{ cwd: '/nonexistent' }, /ENOENT/],
    [{ env: { X: 'x'.repeat(4 * 1024 * 1024) } }, /E2BIG/],
    [{ sandbox: { name: 'read-only', ...sandbox } }, /read-only sandbox needs the launcher/],
    [{ limits: { ...noLimits, processes: 5 } }, /limit processes needs the launcher/],
    [{ limits: { ...noLimits, oomScoreAdj: 200 } }, /limit oomScoreAdj needs the launcher/],
  ]
  for (const [more, message] of rows) await t.rejects(start('true', more), { name: 'Error', message }, String(message))
})

each('sets limits before the script starts', async (t) => {
  const rows: [Partial<Limits>, script: string, stdout: string, exitCode: number | null, signal: string | null][] = [
    [{ openFiles: 20, addressSpaceBytes: 1 << 30 }, 'ulimit -n; ulimit -v', '20\n1048576\n', 0, null],
    [{ nice: 7 }, 'nice; echo "$#"', `${Math.max(getPriority(), 7)}\n0\n`, 0, null],
    [{ cpuSeconds: 1 }, 'while :; do :; done', '', null, 'SIGXCPU'],
    [{ fileSizeBytes: 2048 }, 'f=$(mktemp); (head -c 4096 /dev/zero > $f) 2>&-; wc -c < $f; rm $f', '2048\n', 0, null],
    [{ openFiles: 2_147_483_647 }, 'echo never', '', 126, null],
  ]
  for (const shell of ['/bin/sh', '/bin/bash', '/bin/mksh'].filter(existsSync)) {
    for (const [limits, script, stdout, exitCode, signal] of rows) {
      if (limits.cpuSeconds && (shell !== '/bin/sh' || spawner === spawners[1])) continue // each such test takes a second
      if (exitCode === 126 && spawner.name === 'launcher') continue // it lowers such a limit
      const { child, text } = await start(script, { shell, limits: { ...noLimits, ...limits } })
      const [exit] = await Promise.all([child.exited, child.closed])
      t.same([text(), exit], [stdout, { exitCode, signal }], `${shell}: ${Object.keys(limits)}`)
    }
  }
})

each('no signal is blocked', async (t) => {
  // bash passes on the signal mask that it inherits, dash clears it
  for (const shell of ['/bin/sh', '/bin/bash'].filter(existsSync)) {
    const { lines } = await start('grep SigBlk /proc/self/status', { shell })
    t.match((await lines(1))[0], /^SigBlk:\s+0+$/, shell)
  }
})

each('reports how the shell ended', async (t) => {
  const rows: [string, object][] = [
    ['exit 3', { exitCode: 3, signal: null }],
    ['kill -KILL $$', { exitCode: null, signal: 'SIGKILL' }],
    ['sleep 60 & exit 0', { exitCode: 0, signal: null }],
  ]
  for (const [script, expected] of rows) {
    const { child } = await start(script)
    t.same(await child.exited, expected, script)
    await child.end(0)
    await child.closed
  }
})

each('writes to stdin, closes it, and reports data that nothing reads', async (t) => {
  const { child, text } = await start('cat', { stdin: 'pipe' })
  t.equal(await child.write(Buffer.from('one\n')), true)
  t.equal(await child.write(Buffer.from([0, 255, 10])), true)
  child.endStdin()
  await child.closed
  t.equal(Buffer.from(text()).length, Buffer.byteLength('one\n\0\ufffd\n'))
  t.equal(await child.write(Buffer.from('late')), false)
  const deaf = (await start('exec <&-; echo closed; sleep 60', { stdin: 'pipe' })).child
  const big = Buffer.alloc(8 * 1024 * 1024)
  t.equal(await deaf.write(big), false, 'EPIPE is an answer, not a crash')
  await deaf.end(0)
  const dead = (await start('sleep 0.05', { stdin: 'pipe' })).child
  t.equal(await dead.write(big), false, 'a write that nobody takes ends with the shell')
})

each('pause stops reading the output, even after the exit; resume and detach continue', async (t) => {
  const { child, text, lines } = await start('echo 1; yes & sleep 0.05')
  await lines(1)
  child.pause()
  await child.exited
  const held = text().length
  for (let others = 0; others < 3; others++) await (await start('echo')).child.closed
  t.ok(text().length - held < 1024 * 1024, 'what the command wrote stays in the pipe, while others are read')
  const before = text().length
  child.resume()
  await until(() => text().length >= before + 1024 * 1024)
  child.detach()
  await child.closed
  const [yes] = await Promise.all([child.leftBehind(), child.end(0)])
  t.ok(yes.length <= 1, 'yes has met SIGPIPE, or was ended')
})

/** Starts `script` in the background, prints the first word of its output and continues. */
const inBackground = (script: string) => `{ ${script} & } | { read word; echo "$word"; }`

const escapes: [name: string, script: string, processes: number][] = [
  ['nothing', 'true; (true); true | true', 0],
  ['in the group', 'sleep 300 & echo $!', 1],
  ['in a group of its own', 'bash -c "set -m; sleep 300 & echo \\$!"', 1],
  ['in a session of its own', inBackground('setsid sh -c "echo \\$\\$; exec sleep 300 >&2"'), 1],
  ['forked twice', 'setsid sh -c "sleep 300 & echo \\$!"; true', 1],
  ['without its environment', 'env -i sleep 300 & echo $!', 1],
  ['forked twice without its environment', 'env -i sh -c "(sleep 300 & echo \\$!)"', 1],
  [
    'forked twice without its environment in another session',
    inBackground('setsid sh -c "env -i sh -c \\"sleep 300 >&2 &\\"; echo \\$\\$; exec sleep 300 >&2"'),
    2,
  ],
  ['a family', inBackground('setsid sh -c "sleep 300 >&2 & echo \\$!; exec sleep 300 >&2"'), 2],
]

each('finds and kills what a command leaves behind after its exit', async (t) => {
  for (const [name, script, processes] of escapes) {
    const { child, text } = await start(script)
    await child.exited
    const left = await child.leftBehind()
    t.equal(left.length, processes, `${name}: found`)
    t.ok(left.every(isAlive), `${name}: alive`)
    for (const line of text().split('\n').filter(Boolean)) t.ok(left.includes(Number(line)), `${name}: the right one`)
    t.same(await child.end(1000), { ended: processes, survivors: [] }, `${name}: ended`)
    t.same(await child.leftBehind(), [], `${name}: nothing left`)
    t.notOk(left.some(isAlive), `${name}: dead`)
    await child.closed
  }
})

t.test('child_process: finds a process that is replacing its program, between its two environments', async (t) => {
  spawner = spawners.find(({ name }) => name === 'child_process')!
  t.teardown(() => {
    spawner = spawners[0]!
  })
  // the kernel takes milliseconds to lay out 20 000 variables (the launcher takes 4096)
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a${index}`, '']))
  const env = { PATH: process.env.PATH!, ...many }
  for (let times = 0; times < 20; times++) {
    const { child, text } = await start('setsid sh -c "sleep 300 & echo \\$!"; true', { env })
    await child.exited
    t.same(await child.leftBehind(), [Number(text())])
    t.same(await child.end(1000), { ended: 1, survivors: [] })
    await child.closed
  }
})

each('finds the children of a live shell by parent links, whatever they shed', async (t) => {
  const { child, lines } = await start('env -i setsid sh -c "sleep 300 & echo \\$\\$; wait"; true')
  const [escaped] = (await lines(1)).map(Number)
  t.same(await child.end(2000), { ended: 2, survivors: [] })
  t.notOk(isAlive(escaped!))
})

each('sends SIGTERM first, and SIGKILL right after the grace', async (t) => {
  const { child, lines } = await start('trap "" TERM; setsid sleep 300 & echo ready; sleep 300; sleep 300')
  await lines(1)
  const began = performance.now()
  t.same(await child.end(200), { ended: 2, survivors: [] })
  const tookMs = performance.now() - began
  t.ok(tookMs >= 200, `took ${tookMs} ms`)
  t.same(await child.exited, { exitCode: null, signal: 'SIGKILL' })

  const polite = await start('trap "echo bye; exit 9" TERM; echo ready; while :; do sleep 0.01; done')
  await polite.lines(1)
  t.same((await polite.child.end(60_000)).survivors, [], 'resolves when nothing is left, not after the grace')
  t.same(await polite.child.exited, { exitCode: 9, signal: null })
  await polite.child.closed
  t.equal(polite.text(), 'ready\nbye\n', 'one SIGTERM only')
})

each('kills a tree that forks while it is being killed', async (t) => {
  const script = 'f() { while :; do setsid sleep 300 & echo; sleep 0.002; done; }; trap "" TERM; f & f & f'
  const { child, lines } = await start(script)
  await lines(12)
  const { ended, survivors } = await child.end(50)
  t.ok(ended >= 12, `${ended} ended`)
  t.same(survivors, [])
  t.same(await child.leftBehind(), [])
})

each('kills a tree of sessions that fork while it is being killed', async (t) => {
  const forker = 'setsid sh -c "while :; do sleep 300 & sleep 0.001; done" &'
  const { child, lines } = await start(`for i in 1 2 3 4; do ${forker} done; sleep 0.1; echo up; wait`)
  await lines(1)
  t.same((await child.end(0)).survivors, [])
  t.same(await child.leftBehind(), [])
})

each('a named signal reaches the group', async (t) => {
  const { child, lines } = await start('trap "echo usr1" USR1; echo ready; while :; do sleep 0.01; done')
  await lines(1)
  t.equal(child.signal('SIGUSR1'), true)
  t.same(await lines(2), ['ready', 'usr1'])
  await child.end(0)
  t.equal(child.signal('SIGUSR1'), false)
})

each('a named signal reaches processes that the shell has left behind', async (t) => {
  const { child, lines } = await start('sleep 300 & echo $!')
  const [left] = (await lines(1)).map(Number)
  await child.exited
  t.same(await child.leftBehind(), [left])
  t.equal(child.signal('SIGTERM'), true)
  await until(() => !isAlive(left!))
})

t.test('child_process misses only the processes that its warning names', async (t) => {
  const { child, lines } = await start(inBackground('setsid env -i sh -c "echo \\$\\$; exec sleep 300 >&2"'))
  const [escaped] = (await lines(1)).map(Number)
  await child.exited
  t.same([await child.leftBehind(), isAlive(escaped!)], [[], true])
  t.match(spawner.bestEffort, /setsid env -i/)
  child.detach()
  process.kill(escaped!, 'SIGKILL')
})

t.test('a signal never reaches another process with the same pid', async (t) => {
  const sleeper = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' })
  const { pid, start: born } = readStat(sleeper.pid!)!
  t.equal(signalMember({ pid, start: born - 1 }, 'SIGKILL'), false)
  t.ok(isAlive(pid), 'a recycled pid is spared')
  t.equal(signalGroup({ pid, reaped: true, known: new Map(), mark: '', since: pid, startedAtMs: 0 }, 'SIGKILL'), false)
  t.ok(isAlive(pid), 'and so is the group of a shell that was reaped')
  t.equal(signalMember({ pid, start: born }, 'SIGKILL'), true)
  await once(sleeper, 'exit')
  t.equal(signalMember({ pid, start: born }, 'SIGKILL'), false)
  const sibling = spawn('sleep', ['300'], { stdio: 'ignore' })
  const inOurGroup = readStat(sibling.pid!)!
  t.equal(signalMember(inOurGroup, 'SIGKILL'), false, 'our own group is never touched')
  t.ok(isAlive(sibling.pid!))
  sibling.kill('SIGKILL')
  for (const seen of [
    { pid: process.pid, group: 99 },
    { pid: 1, group: 1 },
    { pid: 0, group: 0 },
    { pid: -1, group: 5 },
  ]) {
    t.equal(isSignallable(seen), false, `pid ${seen.pid}`)
  }
})

t.test('decides which processes belong to a tree', (t) => {
  const row = (
    pid: number,
    parent: number,
    group: number,
    session: number,
    more: Partial<ProcessSnapshot> = {},
  ): ProcessSnapshot => ({
    pid,
    parent,
    group,
    session,
    start: pid,
    alive: true,
    mark: null,
    inExec: false,
    ...more,
  })
  const all = [
    row(90_000, 50, 90_000, 90_000), // the shell
    row(90_001, 90_000, 90_000, 90_000), // group
    row(90_002, 90_000, 90_002, 90_000), // session
    row(90_003, 1, 90_003, 90_003, { mark: 'm' }), // mark
    row(90_004, 90_003, 90_004, 90_004), // child of a marked process
    row(90_005, 90_000, 90_005, 90_005), // child of the shell
    row(90_006, 1, 90_006, 90_006), // known from before
    row(90_007, 1, 90_007, 90_007), // another process now has a pid that was known
    row(90_008, 90_000, 90_000, 90_000, { alive: false }), // a zombie
    row(90_009, 1, 90_009, 90_009, { mark: 'other' }),
    row(90_010, 1, 90_010, 90_003), // in the session of a marked process
  ]
  const tree = (reaped: boolean): Tree => ({
    pid: 90_000,
    reaped,
    mark: 'm',
    since: 90_000,
    startedAtMs: 0,
    known: new Map([
      [90_006, 90_006],
      [90_007, 1],
    ]),
  })
  const pids = (found: ProcessSnapshot[]) => found.map(({ pid }) => pid - 90_000).sort()
  t.same(pids(findMembers(tree(false), all)), [1, 10, 2, 3, 4, 5, 6])
  t.same(pids(findMembers(tree(true), all.slice(1))), [1, 10, 2, 3, 4, 6], 'reaped: no more parent')
  t.same(
    pids(findMembers(tree(true), all)),
    [10, 3, 4, 6],
    'reaped and its pid is taken: a stranger, with group and session',
  )
  t.end()
})

t.test('parses /proc', (t) => {
  const stat = '4242 (a) b (c) S 1 2 3 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1'
  t.same(parseStat(stat), { pid: 4242, parent: 1, group: 2, session: 3, start: 777, alive: true })
  t.equal(parseStat(stat.replace(' S ', ' Z '))?.alive, false)
  t.equal(parseStat(stat.replace(' S ', ' Z ').replace('20 0 1 0', '20 0 2 0'))?.alive, true, 'other threads live on')
  t.equal(parseStat(''), null)
  const marks: [string, string | null][] = [
    ['', null],
    ['EXEC_MARK=a.b.c', 'a.b.c'],
    ['EXEC_MARK=a\0X=1\0', 'a'],
    ['X=1\0EXEC_MARK=a\0Y=2\0', 'a'],
    ['XEXEC_MARK=a\0Y=EXEC_MARK=b\0', null],
    ['XEXEC_MARK=a\0EXEC_MARK=\0', ''],
  ]
  for (const [environ, mark] of marks) t.equal(findMark(environ), mark, JSON.stringify(environ))
  const between: [number, number, number, boolean][] = [
    [5001, 5000, 5010, true],
    [5000, 5000, 5010, false],
    [5011, 5000, 5010, false],
    [32_767, 32_000, 400, true],
    [350, 32_000, 400, true],
    [401, 32_000, 400, false],
    [299, 32_000, 400, false],
    [31_999, 32_000, 400, false],
  ]
  for (const [pid, since, newest, is] of between) {
    t.equal(isBetween(pid, since, newest), is, `${pid} in ${since}..${newest}`)
  }
  const children = Array.from({ length: 10 }, () => spawn('sleep', ['300'], { stdio: 'ignore' }))
  for (const since of [children[0]!, children[7]!]) {
    const pids = listPidsSince(since.pid!)!
    const younger = children.slice(children.indexOf(since) + 1)
    t.ok(
      younger.every(({ pid }) => pids.includes(pid!)),
      'the younger are listed',
    )
    t.notOk(pids.includes(process.pid), 'the older are not')
  }
  for (const child of children) child.kill('SIGKILL')
  t.end()
})

t.test('tree-kill is used if ps can list children, and is harmless otherwise', async (t) => {
  const dir = t.testdir({})
  const ps = execFileSync('sh', ['-c', 'command -v ps']).toString().trim()
  const script = (text: string) => `#!/bin/sh\n${text}\n`
  const kinds: [name: string, make: (path: string) => void, works: boolean][] = [
    ['procps', (path) => symlinkSync(ps, path), true],
    ['no ps at all', () => {}, false],
    ['toybox', (path) => symlinkSync('/bin/toybox', path), false],
    ['busybox', (path) => symlinkSync('/bin/busybox', path), false],
    [
      'a ps that says nothing and calls it success',
      (path) => writeFileSync(path, script('exit 0'), { mode: 0o755 }),
      false,
    ],
    ['a ps that cannot be started', (path) => mkdirSync(path), false],
    ['a ps that hangs', (path) => writeFileSync(path, script('exec /bin/sleep 60'), { mode: 0o755 }), false],
  ]
  const { PATH } = process.env
  t.teardown(() => {
    process.env.PATH = PATH
  })
  for (const [index, [name, make, works]] of kinds.entries()) {
    const bin = join(dir, String(index))
    mkdirSync(bin)
    make(join(bin, 'ps'))
    const { child, lines } = await start('sh -c "sleep 300; true" & echo $!; wait')
    const [grandchild] = (await lines(1)).map(Number)
    process.env.PATH = bin
    t.equal(await killTree(child.pid, 'SIGKILL'), works, name)
    process.env.PATH = PATH
    if (works) await Promise.all([until(() => !isAlive(grandchild!)), child.exited])
    else t.ok(isAlive(grandchild!) && isAlive(child.pid))
    t.same((await child.end(0)).survivors, [])
  }
})

t.test('without /proc tree-kill kills processes that have left the group', async (t) => {
  for (const graceMs of [0, 60_000]) {
    const shell = endWithUs(
      spawn('/bin/sh', ['-c', 'setsid sleep 300 & echo $!; wait'], {
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    const exited = once(shell, 'exit')
    const [text] = await once(shell.stdout!, 'data')
    const away = Number(text)
    await until(() => readStat(away)?.session === away)
    const tree: Tree = {
      pid: shell.pid!,
      reaped: false,
      known: new Map(),
      mark: 'none',
      since: 0,
      startedAtMs: performance.now(),
    }
    shell.once('exit', () => {
      tree.reaped = true
    })
    const end = await endTree(tree, graceMs, { look: async () => null, exited })
    t.same(end.survivors, [])
    await until(() => !isAlive(away))
    t.pass(`ended with a grace of ${graceMs} ms`)
  }
})

each('kills the orphans of a dead instance by their mark, and no other process', async (t) => {
  const home = `home${process.pid}`
  const trees = await Promise.all(
    [`${home}.dead.1`, `${home}.older.2`, `${home}.now.3`, `${home}x.dead.4`].map((mark) =>
      start('setsid sleep 300 & env -i sh -c "sleep 300; true" & echo ready; sleep 300; true', { mark }),
    ),
  )
  await Promise.all(trees.map(({ lines }) => lines(1)))
  const { ended, survivors } = await endOrphans(home, 'now')
  t.same([ended >= 8, survivors], [true, []], `${ended} ended`)
  await Promise.all(trees.slice(0, 2).map(({ child }) => child.exited))
  for (const { child } of trees.slice(2)) t.ok(isAlive(child.pid), 'of this instance, or of another home')
  t.same(await endOrphans(home, 'now'), { ended: 0, survivors: [] })
  for (const { child } of trees) t.same((await child.end(0)).survivors, [])
})

const skip = process.getuid?.() === 0 ? false : 'needs root for a mount namespace of its own'

t.test('works on unusual systems', { skip }, async (t) => {
  const program = join(t.testdir({}), 'end-tree.mjs')
  const entry = fileURLToPath(new URL('../../support/spawn/end-tree.ts', import.meta.url))
  await build({
    entryPoints: [entry],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
  })
  /** Runs commands in a mount namespace of their own, where /mnt contains only the program. */
  const run = async (commands: string) => {
    const setUp = `mount -t tmpfs none /mnt && cp ${program} /usr/bin/setpriv /mnt && ${commands}`
    const { stdout } = await promisify(execFile)('unshare', ['-m', 'sh', '-c', setUp])
    return JSON.parse(stdout)
  }
  t.test('kills the group without /proc', async (t) => {
    const sleep = `sleep 306.${process.pid}`
    const ended = await run(
      `umount -l /proc && exec node /mnt/end-tree.mjs '(trap "" TERM; ${sleep}) & echo up; wait' 200`,
    )
    const { exit, ...rest } = ended
    t.same(rest, { left: 0, ended: 0, survivors: [] })
    t.match(exit, { exitCode: null, signal: /^SIG(TERM|KILL)$/ }, 'by the first signal, or at the end of the grace')
    t.ok(await until(() => allProcessesWith(sleep).length === 0))
  })
  t.test('a process of another user is a survivor, and is not waited for', { skip: noNobody ?? false }, async (t) => {
    const asNobody = 'setpriv --reuid 65534 --regid 65534 --clear-groups node /mnt/end-tree.mjs'
    const script = "sleep 300 & /mnt/setpriv --reuid 0 sh -c 'echo up; exec sleep 307' & wait"
    const { ended, survivors, exit } = await run(`chmod 4755 /mnt/setpriv && exec ${asNobody} "${script}" 1000`)
    t.same([ended, survivors.length], [1, 1])
    t.match(exit.signal, /^SIG(TERM|KILL)$/)
    t.ok(isAlive(survivors[0]), 'it still sleeps: nobody waited for it')
    process.kill(survivors[0], 'SIGKILL')
  })
})

t.test('does not wait the whole grace period for a process that it may not signal', async (t) => {
  const other = endWithUs(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }))
  await once(other, 'spawn')
  const { kill } = process
  // as the system does for a process of another user
  const refuse = (pid: number, signal?: string | number) => {
    if (pid === other.pid) throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    return kill.call(process, pid, signal)
  }
  Object.assign(process, { kill: refuse })
  t.teardown(() => {
    Object.assign(process, { kill })
    other.kill('SIGKILL')
  })
  const seen = { ...readStat(other.pid!)!, mark: 'none', inExec: false }
  const known = new Map([[seen.pid, seen.start]])
  const tree = { pid: 2 ** 22 + 1, reaped: true, known, mark: 'none', since: 0, startedAtMs: performance.now() }
  let looks = 0
  const look = async () => {
    looks++
    return [seen]
  }
  const end = await endTree(tree, 60_000, { look, exited: Promise.resolve() })
  t.same(end, { ended: 0, survivors: [seen.pid] })
  t.ok(looks < 30, `${looks} looks`)
})
