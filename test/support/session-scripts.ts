/**
 * Scripts that change the state of their shell in every way that we know, or try to, and a runner that compares each with and without a session.
 * They run in a directory with `sub`, `other`, `link` (to sub), `lib.sh` and `exit.sh`, with HOME=/usr, A=1 and B='two words'.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefused } from '../../src/server/exec/environment.ts'
import { changesNoState } from '../../src/server/policy/index.ts'
import { readCaptured, stateAfter } from '../../src/server/sessions/index.ts'
import { noLimits, type Sandbox, type SpawnRequest, type Spawner, type Stream } from '../../src/shared/schema/index.ts'

/** What the next command starts with, compared with this one. */
interface Kept {
  /** relative to the directory of the script (default: that directory) */
  cwd?: string
  set?: Record<string, string>
  unset?: string[]
  dropped?: string[]
}

/** `none`: the shell did not report its state; `stopped`: a signal killed it. */
type Expected = Kept | 'none' | 'stopped' | 'too_large' | 'not_utf8'
export type ShellName = 'dash' | 'bash' | 'mksh' | 'ash'

interface SessionScript {
  script: string
  stdin?: string
  state: Expected
  /** the state in shells that differ */
  but?: Partial<Record<ShellName, Expected>>
  /** shells in which the script can see the trap, or whose exit code shows that it ran: the README lists these cases */
  shows?: ShellName[]
  /** its messages contain process ids */
  hasPids?: true
}

const sub: Kept = { cwd: 'sub' }
const same: Kept = {}
const set = (variables: Record<string, string>): Kept => ({ set: variables })
const all: ShellName[] = ['dash', 'bash', 'mksh', 'ash']
const row = (script: string, state: Expected, more: Partial<SessionScript> = {}): SessionScript => ({
  script,
  state,
  ...more,
})
/** A value of this many bytes, by programs that every system has. */
const long = (bytes: number) => `"$(head -c ${bytes} /dev/zero | tr '\\0' x)"`

/** The scripts by category. */
export const sessionScripts: Record<string, SessionScript[]> = {
  cd: [
    row('cd sub', sub),
    row('cd sub/../other', { cwd: 'other' }),
    row('cd link; pwd', sub),
    row('cd -P link; pwd', sub),
    row('cd; pwd', { cwd: '/usr' }),
    row('cd sub; cd -', same),
    row('cd nowhere; cd sub', sub),
    row('CDPATH=sub:.; mkdir sub/in; cd in', { cwd: 'sub/in' }),
    row('mkdir "a b"; cd "a b"; exit 1', { cwd: 'a b' }),
    row('mkdir "a\nb"; cd "a\nb"', { cwd: 'a\nb' }),
    row('mkdir ./-d; cd ./-d', { cwd: '-d' }),
    row('cd sub && cd ../other && cd ..', same),
    row('cd sub; mv ../sub ../moved', { cwd: 'moved' }),
    row('cd sub; rm -r ../sub; export C=3', { cwd: 'sub', set: { C: '3' } }),
    row('d=$(printf \'x\\377\'); mkdir "$d"; cd "$d"; export C=3', 'not_utf8'),
    row('cd /; cd usr', { cwd: '/usr' }),
  ],
  export: [
    row('export C=3', set({ C: '3' })),
    row('C=3; export C', set({ C: '3' })),
    row('C=3', same),
    row('A=2', set({ A: '2' })),
    row('A=', set({ A: '' })),
    row('A="$A$A"; export A', set({ A: '11' })),
    row('A=$((A+1))', set({ A: '2' })),
    row('export C="a=b" D="=" E=', set({ C: 'a=b', D: '=', E: '' })),
    row('export C; C=9', set({ C: '9' })),
    row('for A in x y; do :; done', set({ A: 'y' })),
    row('C=1 true', same),
    row('C=1 :; cd sub', sub),
    row('C=1 sh -c "export A=7"', same),
    row(': "${A:=5}" "${C:=6}"', same),
    row('set -a; C=3', set({ C: '3' })),
    row('PATH=; cd sub', { cwd: 'sub', set: { PATH: '' } }),
    row('HOME=/nowhere; cd; cd sub', { cwd: 'sub', set: { HOME: '/nowhere' } }),
    row('PWD=/nowhere OLDPWD=x SHLVL=9; cd sub', sub),
    row('export LD_PRELOAD= NODE_OPTIONS=x C=3', { set: { C: '3' }, dropped: ['LD_PRELOAD', 'NODE_OPTIONS'] }),
    row('export 1x=2; cd sub', same, { but: { bash: sub } }),
    row('IFS=7; exit 127', same),
    row('export IFS=127; (exit 127)', { dropped: ['IFS'] }),
    row('export -p | grep -c B=', same),
  ],
  unset: [
    row('unset A', { unset: ['A'] }),
    row('unset A B', { unset: ['A', 'B'] }),
    row('unset A; A=5', { unset: ['A'] }),
    row('unset A; export A=1', same),
    row('unset none; cd sub', sub),
    row('unset PATH; cd sub', { cwd: 'sub', unset: ['PATH'] }),
    row('env -u A true', same),
    row('unset HOME; cd; cd sub', { cwd: 'sub', unset: ['HOME'] }),
  ],
  arrays: [
    row('a=(1 2)\necho "${a[1]}"\ncd sub', sub, { but: { dash: 'none', ash: 'none' } }),
    row('true\na=(1 2)\necho "${a[1]}"\ncd sub', sub, { but: { dash: same, ash: same } }),
    row('A+=x; cd sub', { cwd: 'sub', set: { A: '1x' } }, { but: { dash: sub, ash: sub } }),
    row('declare -x C=3; cd sub', sub, { but: { bash: { cwd: 'sub', set: { C: '3' } } } }),
    row('typeset -x C=3; cd sub', { cwd: 'sub', set: { C: '3' } }, { but: { dash: sub, ash: sub } }),
    row('declare -A m; m[k]=v; export m; cd sub', sub, { but: { mksh: { cwd: 'sub', set: { m: 'v' } } } }),
  ],
  functions: [
    row('f() { cd sub; export C=3; }; f', { cwd: 'sub', set: { C: '3' } }),
    row('f() { return 5; }; f', same),
    row('f() { cd sub; exit 4; }; f; cd ..', sub),
    row('f() { f() { cd sub; }; f; exit 3; }; f', sub),
    row('f() { local A=2; }; f', same),
    row('f() { local C; export C=3; }; f; cd sub', sub),
    row('f() { local A=2; exit 6; }; f', set({ A: '2' }), { but: { mksh: same } }),
    row('f() ( cd sub; exit 3 ); f', same),
    row('true\nfunction f { cd sub; }\nf', sub, { but: { dash: same } }),
    row('f() { :; }; export -f f; cd sub', same, { but: { bash: { cwd: 'sub', dropped: ['BASH_FUNC_f%%'] } } }),
    row('cd() { command cd sub; }; cd', sub),
    row('f() { trap "echo own" EXIT; }; f; cd sub', 'none'),
    row('f() { shift; cd "$1"; exit 2; }; f x sub', sub),
  ],
  traps: [
    row('trap "echo own" EXIT; cd sub', 'none'),
    row('trap "echo own; exit 4" EXIT; exit 6', 'none'),
    row('trap \'echo "$?"\' 0; exit 3', 'none'),
    row('trap "" EXIT; cd sub', 'none'),
    row('trap - EXIT; cd sub', 'none'),
    row('trap "echo term" TERM; kill -TERM $$; cd sub', sub),
    row('trap "exit 9" TERM; cd sub; kill -TERM $$', sub),
    row('trap "" INT; kill -INT $$; cd sub', sub),
    row('trap "cd sub" HUP; kill -HUP $$; exit 1', sub),
    row('(trap "echo own" EXIT); cd sub', sub),
    row('trap "echo debug" DEBUG; cd sub; exit 3', sub),
    row('trap "echo err" ERR; false; cd sub; exit 3', sub),
    row('set -e; trap "echo err" ERR; cd sub; false', sub, { but: { dash: same } }),
    row('trap "exit 5" ERR; cd sub; exit 3', sub),
    row('trap "cd other" DEBUG; cd sub; exit 3', sub, { but: { bash: { cwd: 'other' } } }),
    row('trap; cd sub', sub, { shows: all }),
  ],
  exec: [
    row('cd sub; exec true', 'none', { but: { mksh: sub } }),
    row('cd sub; exec sh -c "exit 8"', 'none'),
    row('cd sub; exec /nonexistent', sub, { but: { bash: 'none' } }),
    row('(exec true); cd sub', sub),
    row('exec 3>f; echo x >&3; cd sub; cat ../f', sub),
    row('exec 9>/dev/null 8>&9; echo x >&8; cd sub', sub),
    row('exec >f; echo x; cd sub', sub),
    row('exec 2>&1; cd nowhere; cd sub', sub),
    row('exec 1>&-; cd sub', sub),
    row('exec 2>&-; cd sub; cd nowhere', sub),
    row('exec 0<&-; cd sub', sub),
    row('exec <lib.sh; cat; cd sub', sub),
    row('cd sub; exec 198>&-; exit 2', 'none', { but: { dash: sub, mksh: sub } }),
    row('cd sub; exec 198</dev/null', 'none', { but: { dash: sub, mksh: sub } }),
    row('cd sub; exec', sub),
    row('cd sub; command exec sh -c "echo x"', 'none'),
  ],
  options: [
    row('set -e; false; cd sub', same),
    row('set -e; cd sub; false', sub),
    row('set -e; cd sub', sub),
    row('set -eu; cd sub; (exit 7); echo no', sub),
    row('set -u; cd sub; echo "$none"; echo no', sub),
    row('set -e; cd sub; f() { false; echo no; }; f', sub),
    row('set -e; cd sub; ! true; false || true; exit 9', sub),
    row('set -f; cd s*; cd sub', sub),
    row('set -C; cd sub; echo x >f; echo y >f', sub),
    row('set -x; cd sub', sub, { shows: ['mksh'] }),
    row('set -v; cd sub', sub, { shows: ['bash'] }),
    row('true\nset -v\ncd sub', sub, { shows: ['bash'] }),
    row('set -o pipefail; cd sub; false | true', sub, { but: { dash: same } }),
    row('set -o posix; cd sub', sub, { but: { dash: same } }),
    row('set -m; sleep 0 & wait; cd sub', sub),
    row('set -- a sub; cd "$2"; set --', sub),
    row('cd sub; set -o vi; exit 3', sub),
    row(`set -e; cd sub; export C=${long(140_000)}`, 'none'),
    row('set -e; cd sub; ulimit -f 0', sub),
    row('cd sub; ulimit -f 0; exit 3', sub),
    row('cd sub; ulimit -n 20', sub),
    row('umask 077; cd sub', sub),
    row('true\nset -n\ncd sub', 'none'),
  ],
  subshells: [
    row('(exit 4)', same),
    row('(cd sub; export C=3)', same),
    row('C=$(cd sub; echo in; exit 3)', same),
    row('export C=$(cd sub; echo in; exit 3)', set({ C: 'in' })),
    row('echo x | while read A; do :; done; cd sub', sub),
    row('{ cd sub; } | cat', same),
    row('{ cd sub; exit 3; }', sub),
    row('( (exit 3); cd sub; (exit 5) )', same),
    row('cd sub | (exit 4)', same),
    row('cd sub; $(exit 3)', sub),
    row('(trap - EXIT; exit 2); cd sub', sub),
    row('cd sub; false | true', sub),
  ],
  'here-documents': [
    row('cat <<E\nx $((1+1))\nE\ncd sub', sub),
    row("cat <<'E'\n$A\nE\ncd sub", sub),
    row('cat <<-E | tr x y\n\tx\n\tE\ncd sub', sub),
    row('cd sub; cat <<E\nunterminated', sub, { but: { mksh: 'none' } }),
    row('cd sub\ncat <<E\nunterminated', sub),
    row('read A <<E\nnew value\nE', set({ A: 'new value' })),
    row('cat <<X; cat <<Y\nx\nX\ny\nY\nexit 4', same),
    row('f() { cat; cd sub; }; f <<E\nin\nE', sub),
  ],
  background: [
    row('sleep 0 & wait; cd sub', sub),
    row('cd sub & wait', same),
    row('(sleep 0; echo late) & cd sub; wait', sub),
    row('sleep 60 >/dev/null 2>&1 & cd sub; kill $!', sub),
    row('(exit 3) & wait $!; exit $?', same),
    row('(exit 3) & cd sub; exit 4', sub),
    row('nohup true >/dev/null 2>&1; cd sub', sub),
    row('setsid sleep 60 >/dev/null 2>&1 & cd sub; exit 1', sub),
    row('echo x & wait; (echo y; exit 2) & wait $!', same),
  ],
  signals: [
    row('cd sub; kill -KILL $$', 'stopped'),
    row('cd sub; kill -TERM $$', 'stopped', { but: { mksh: sub }, shows: ['mksh'] }),
    row('cd sub; kill -HUP $$', 'stopped', { but: { mksh: 'none' } }),
    row('cd sub; kill -INT $$', 'stopped', { but: { mksh: sub }, shows: ['mksh'] }),
    row('cd sub; kill -PIPE $$', 'stopped'),
    row('cd sub; kill -USR1 $$', 'stopped'),
    row('cd sub; kill -0 $$', sub),
    row("cd sub; sh -c 'kill -9 $$'", sub, { shows: ['bash', 'ash'], hasPids: true }),
    row("sh -c 'kill -9 $$'; cd sub", sub, { hasPids: true }),
    row("(kill -9 $(sh -c 'echo $PPID')); cd sub", sub, { hasPids: true }),
  ],
  exit: [
    row('exit', same),
    row('cd sub; exit 3', sub),
    row('cd sub; exit 255', sub),
    row('cd sub; exit 256', sub),
    row('cd sub; false; exit', sub),
    row('cd sub; exit x', sub),
    row('if cd sub; then exit 2; fi; cd ..', sub),
    row('while cd sub; do exit 5; done', sub),
    row('case x in x) cd sub; exit 6;; esac', sub),
    row('eval "cd sub; exit 7"; cd ..', sub),
    row('cd sub; return 3; cd ..', sub, { but: { bash: same } }),
    row('cd sub; break; continue', sub),
    row('cd sub; true && false', sub),
    row('cd sub; no-such-program', sub),
    row('cd sub; ./', sub),
    row('cd sub; : >f; ./f', sub),
  ],
  'read-only variables': [
    row('readonly A=1; A=2; cd sub', same),
    row('readonly A; unset A; cd sub', sub, { but: { dash: same, ash: same } }),
    row('readonly PATH; cd sub', sub),
    row('readonly C=3; export C', set({ C: '3' })),
    row('readonly A; export A=2; cd sub', same, { but: { bash: sub } }),
  ],
  bytes: [
    row('export C="a\nb\n"', set({ C: 'a\nb\n' })),
    row('export C="a\tb\rc" D=" x "', set({ C: 'a\tb\rc', D: ' x ' })),
    row(`export C='"'"'" D='\\' E='$(x)\`y\`'`, set({ C: `"'`, D: '\\', E: '$(x)`y`' })),
    row('export C=ä€😀', set({ C: 'ä€😀' })),
    row('export C="$(printf "\\001\\033\\177")"', set({ C: '\x01\x1b\x7f' })),
    row('export C="$(printf "x\\377y")" D=4', { set: { D: '4' }, dropped: ['C'] }),
    row('A="$(printf "\\200")"', { dropped: ['A'] }),
    row('export C="$(printf "\\357\\273\\277x")"', set({ C: '\ufeffx' })),
  ],
  size: [
    row(`export C=${long(120_000)}`, set({ C: 'x'.repeat(120_000) })),
    row(`export C=${long(131_000)}`, set({ C: 'x'.repeat(131_000) })),
    row(`export C=${long(131_001)}; cd sub`, 'too_large'),
    row(`export C=${long(140_000)}; cd sub; exit 3`, 'none'),
    row(`v=${long(30_000)}; for n in 1 2 3 4 5 6 7 8 9; do export V$n="$v"; done; cd sub`, 'too_large'),
    row(
      'i=0; while [ $i -lt 500 ]; do export V$i=$i; i=$((i+1)); done',
      set(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`V${at}`, `${at}`]))),
    ),
    row(`cd sub; : '${'x'.repeat(300_000)}'; exit 5`, sub),
    row(`cd sub\n${'true\n'.repeat(30_000)}echo end`, sub),
  ],
  stdin: [
    row('read A; cd sub', { cwd: 'sub', set: { A: 'new' } }, { stdin: 'new\nmore\n' }),
    row('cat; cd sub', sub, { stdin: 'a\0b\xff' }),
    row('read A; cat; exit 3', set({ A: 'x' }), { stdin: 'x\ny\nz' }),
    row('sh; cd sub', sub, { stdin: 'cd other; pwd; exit 4\n' }),
    row('cd sub', sub, { stdin: 'unread\n' }),
    row('while read A; do echo "$A"; done', set({ A: '' }), { stdin: '1\n2\n' }),
  ],
  aliases: [
    row('alias x="cd sub"\nx', sub, { but: { bash: same } }),
    row('alias cd="echo no"\ncd sub', same, { but: { bash: sub } }),
    row('alias trap=false exit="cd sub; exit"\nexit 3', sub, { but: { bash: same } }),
    row('alias x=y; unalias x; cd sub', sub),
  ],
  source: [
    row('. ./lib.sh', { cwd: 'sub', set: { LIB: 'yes' } }),
    row('source ./lib.sh; cd sub; cd .', { cwd: 'sub', set: { LIB: 'yes' } }, { but: { dash: sub } }),
    row('. ./exit.sh; cd ..', sub),
    row('cd sub; . ./missing; cd ..', sub, { but: { bash: same } }),
    row('cd sub; . /dev/null', sub),
    row('sh ./lib.sh; cd sub', sub),
    row("eval 'cd sub; export C=3'", { cwd: 'sub', set: { C: '3' } }),
    row('cd sub; eval "("; cd ..', sub, { but: { bash: same } }),
  ],
  syntax: [
    row('', same),
    row('\n\ncd sub', sub),
    row('# only a comment', same),
    row('#!/bin/sh\ncd sub', sub),
    row('fi', 'none', { shows: ['bash'] }),
    row('cd sub; )', 'none', { shows: ['bash'] }),
    row('cd sub\nfi\n', sub),
    row('cd sub\necho "unterminated', sub),
    row('cd sub &&', 'none'),
    row('cd sub\ntrue &&\n', sub),
    row('cd sub \\', sub, { but: { bash: same } }),
    row('cd sub; echo $((1/0)); echo on', sub),
    row('cd sub; echo "${none?oops}"; echo on', sub),
    row('echo $LINENO; cd sub\necho $LINENO', sub),
    row('echo "$0" $# "$@" "$-" "$?"; cd sub', sub),
    row('echo "$_"; cd sub', sub, { shows: ['bash'] }),
    row('-x; cd sub', sub),
    row('/usr/../bin/sh -c :; cat /dev/null | sort', same),
  ],
}

/** One run of a script: how it ended, and its streams in Latin-1. */
interface Shown {
  exitCode: number | null
  signal: string | null
  stdout: string
  stderr: string
}

/** What one script has done in one shell. */
export interface ScriptResult {
  category: string
  script: string
  shell: ShellName
  alone: Shown
  inSession: Shown
  state: Expected
  expected: Expected
  /** the parser finds that the script changes no state, although it did */
  isProofWrong: boolean
  /** see `SessionScript` */
  shows: boolean
}

interface Where {
  /** the shells' paths */
  shells: Partial<Record<ShellName, string>>
  /** this program may write here, and the scripts too */
  folder: string
  stateFolder: string
  path: string
  sandbox?: (work: string) => Sandbox
}

/** Runs each script with and without a session, in all shells at once. */
export async function runScripts(spawner: Spawner, where: Where): Promise<ScriptResult[]> {
  const lists = Object.entries(where.shells).map(([shell, path]) => inShell(spawner, where, shell as ShellName, path))
  return (await Promise.all(lists)).flat()
}

async function inShell(spawner: Spawner, where: Where, shell: ShellName, path: string): Promise<ScriptResult[]> {
  const results: ScriptResult[] = []
  const work = join(where.folder, `work-${shell}`)
  const base = { PATH: where.path, HOME: '/usr', TMPDIR: work, A: '1', B: 'two words' }
  const rows = Object.entries(sessionScripts).flatMap(([category, scripts]) =>
    scripts.map((one) => ({ category, one })),
  )
  for (const { category, one } of rows) {
    const run = (more: Partial<SpawnRequest>) => {
      prepareDirectory(work)
      const sandbox = where.sandbox?.(work) ?? { name: 'none', network: true, writable: [], hidden: [] }
      return runOnce(spawner, one, { shell: path, cwd: work, env: base, sandbox, ...more })
    }
    const { state: _none, ...alone } = await run({})
    const { state: bytes, ...inSession } = await run({ stateFolder: where.stateFolder })
    const state = inSession.exitCode === null ? 'stopped' : toKept(bytes, base, work)
    results.push({
      ...{ category, script: one.script, shell, alone, inSession, state },
      expected: one.but?.[shell] ?? one.state,
      shows: one.shows?.includes(shell) ?? false,
      isProofWrong: changesNoState(one.script) && JSON.stringify(state) !== '{}',
    })
  }
  return results
}

/** Creates the directory of a script again. */
export function prepareDirectory(work: string): void {
  execFileSync('rm', ['-rf', work])
  for (const name of ['sub', 'other']) mkdirSync(join(work, name), { recursive: true })
  symlinkSync('sub', join(work, 'link'))
  writeFileSync(join(work, 'lib.sh'), 'cd sub\nexport LIB=yes\n')
  writeFileSync(join(work, 'exit.sh'), 'cd sub\nexit 9\n')
}

let runs = 0

async function runOnce(spawner: Spawner, { script, stdin, hasPids }: SessionScript, more: Partial<SpawnRequest>) {
  const chunks: Record<Stream, Buffer[]> = { stdout: [], stderr: [] }
  const request = { script, mark: `scripts.${process.pid}.${++runs}`, terminal: null, limits: noLimits }
  const child = await spawner.spawn(
    { ...request, stdin: stdin === undefined ? 'null' : 'pipe', ...more } as SpawnRequest,
    { onOutput: (stream, chunk) => void chunks[stream].push(chunk) },
  )
  if (stdin !== undefined) {
    await child.write(Buffer.from(stdin, 'latin1'))
    child.endStdin()
  }
  const { exitCode, signal, state } = await child.exited
  await child.closed
  await child.end(0)
  const textOf = (stream: Stream) => {
    // mksh stores here-documents in files with random names
    const text = Buffer.concat(chunks[stream])
      .toString('latin1')
      .replace(/\/sh\w+\.tmp/g, '/TEMPORARY')
    // bash pads a process id to five places
    return hasPids ? text.replace(/ *\b\d{2,7} /g, ' PID ') : text
  }
  return { exitCode, signal, stdout: textOf('stdout'), stderr: textOf('stderr'), state }
}

function toKept(bytes: Buffer | undefined, base: Record<string, string>, work: string): Expected {
  const captured = bytes && readCaptured(bytes)
  if (captured === undefined) return 'none'
  if (typeof captured === 'string') return captured
  const after = stateAfter(captured, { base, env: base, given: base, refuses: isRefused })
  if (typeof after === 'string') return after
  const { state, dropped } = after
  const cwd = state.cwd === work ? undefined : state.cwd!.replace(`${work}/`, '')
  const hasVariables = Object.keys(state.set).length > 0
  return {
    ...(cwd !== undefined && { cwd }),
    ...(hasVariables && { set: state.set }),
    ...(state.unset.length > 0 && { unset: state.unset }),
    ...(dropped.length > 0 && { dropped }),
  }
}
