/** Executes scripts in a private directory with a PATH that contains only logging markers, and reports which markers ran. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Input, parse, type Script, type Word } from '../../../src/server/policy/index.ts'
import type { Flavour } from '../../../src/server/policy/script/script.ts'
import { markers, type RandomRun } from './random-script.ts'
import { interpreters, wrappers } from './random-wrapper.ts'

/** The shells that `sh` may be on some system, as the start of an argv. */
export const shells: Record<string, readonly string[]> = {
  dash: ['/usr/bin/dash'],
  busybox: ['/usr/bin/busybox', 'sh'],
  mksh: ['/usr/bin/mksh'],
  bash: ['/usr/bin/bash'],
}
/** Nothing can be created below it. */
const HOME = '/dev/null'
/** A batch that takes longer is considered hung, even on a busy machine: it is killed and counts as failed. Milliseconds. */
const BATCH_MS = 600_000
/** A script that runs longer is killed with its children; the driving shell continues with the next script. Milliseconds. */
const SCRIPT_MS = 1_000
/** Scripts in one shell process, and shell processes at once: some scripts wait until their second is over. */
const BATCH = 400
const LANES = 3

// a marker logs its own name; after many entries it fails, then kills the shell that loops over it
const markerText = `#!/usr/bin/dash
echo "\${0##*/}" >> "$MARK_LOG"
{ printf %s "\${0##*/}"; for one; do printf '\\001%s' "$one"; done; printf '\\0'; } >> "$MARK_LOG.words"
n=0
while read -r line; do n=$((n+1)); done < "$MARK_LOG"
[ $n -gt 60 ] && [ $PPID != "$MARK_DRIVER" ] && kill -9 $PPID
[ $n -le 25 ]
`

const markerSource = `#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char self[PATH_MAX] = ""; // not argv[0], which exec -a chooses
  readlink("/proc/self/exe", self, sizeof self - 1);
  const char *name = strrchr(self, '/') + 1;
  int log = open(getenv("MARK_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0644);
  long size = lseek(log, 0, SEEK_END);
  char line[64];
  int length = snprintf(line, sizeof line, "%s\\n", name);
  write(log, line, length);
  char words[PATH_MAX];
  snprintf(words, sizeof words, "%s.words", getenv("MARK_LOG"));
  FILE *call = fopen(words, "a");
  fputs(name, call);
  for (int at = 1; at < argc; at++) fprintf(call, "\\001%s", argv[at]);
  fputc('\\0', call);
  fclose(call);
  if (size > 180 && getppid() != atoi(getenv("MARK_DRIVER"))) kill(getppid(), SIGKILL);
  return size > 75;
}
`

let marker: Buffer | undefined

// a compiled marker starts ten times as fast as the script, which is used if there is no compiler
function makeMarker(bin: string): string {
  const program = join(bin, 'marker')
  if (marker === undefined) {
    writeFileSync(`${program}.c`, markerSource)
    const compiled = spawnSync('cc', ['-O1', '-w', '-static', '-o', program, `${program}.c`], { stdio: 'ignore' })
    marker = compiled.status === 0 ? readFileSync(program) : Buffer.from(markerText)
  }
  writeFileSync(program, marker)
  chmodSync(program, 0o755)
  return program
}

// a program like every real `sh`, because bash finds `bash sh` in PATH and would read a script; the name must not be `sh`, at which shells change their mode
function makeShell(path: string, shell: readonly string[]): void {
  const words = shell.map((word) => JSON.stringify(word)).join(', ')
  writeFileSync(
    `${path}.c`,
    `#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  char *words[] = {${words}};
  char **all = malloc((argc + ${shell.length}) * sizeof *all);
  memcpy(all, words, sizeof words);
  memcpy(all + ${shell.length}, argv + 1, argc * sizeof *all);
  execv(*all, all);
  return 127;
}
`,
  )
  const compiled = spawnSync('cc', ['-O1', '-w', '-static', '-o', path, `${path}.c`], { stdio: 'ignore' })
  if (compiled.status !== 0) writeFileSync(path, `#!/usr/bin/dash\nexec ${shell.join(' ')} "$@"\n`)
  rmSync(`${path}.c`)
  chmodSync(path, 0o755)
}

/** Creates a private directory whose bin/ contains the markers, real programs, and `sh`. */
export function prepareFolder(
  shell: readonly string[],
  real: Iterable<string> = [...wrappers.keys(), ...interpreters, 'cat'],
  noting: readonly string[] = markers,
): string {
  const root = mkdtempSync(join(tmpdir(), 'policy-shells-'))
  chmodSync(root, 0o755)
  const bin = join(root, 'bin')
  mkdirSync(bin)
  const program = makeMarker(root)
  for (const marker of noting) linkSync(program, join(bin, marker))
  for (const name of real) {
    if (name === 'sh') continue // written below; not a link
    const place = ['/usr/bin', '/usr/sbin', '/usr/local/bin'].map((folder) => join(folder, name)).find(existsSync)
    if (place) symlinkSync(place, join(bin, name))
  }
  makeShell(join(bin, 'sh'), shell)
  return root
}

/** Uids that only this process uses, one for each concurrent batch: the process limit below counts per uid. */
const ownUids = Array.from({ length: LANES }, (_, lane) => 1_000_000 + LANES * process.pid + lane)

/**
 * Some random scripts are fork bombs: they run under their own uid, with at most 150 processes, in their own process namespace, which
 * ends with its first process, and without a network.
 */
const containedAs = (uid: number) => [
  ...['/usr/bin/unshare', '--pid', '--net', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'],
  ...(uid === 0 ? [] : ['/usr/bin/setpriv', '--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']),
  ...['/usr/bin/prlimit', '--nproc=150', '--cpu=60'],
  // the shell under test must not be process 1 of the namespace, which no signal from inside can kill
  ...['/usr/bin/dash', '-c', '"$@"; exit $?', 'sh'],
]

/** Why scripts cannot be contained; null: they can. */
export const cannotContain =
  process.getuid!() === 0 && existsSync('/usr/bin/unshare') ? null : 'needs root, and unshare'

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Parses a run as the named shell would read it. */
export function parseRun({ script, stdin, open, additions }: RandomRun, shell: string): Script {
  const input: Input | null = stdin === null ? null : { from: 'request', text: open ? null : stdin }
  const flavour = shell as Flavour
  return parse(script, { HOME, ...additions }, { additions, input, flavour, shFlavour: flavour })
}

// braces become several words, and a variable is replaced by every value that it has in the script
const isExample = ({ source }: Word) => /\$|`|\{|^~/.test(source)
// counts and results of arithmetic are 0 to the parser
const isAlike = (field: string, given: string | undefined) =>
  field === given || (field === '0' && /^-?\d*$/.test(given ?? 'x'))

// whether these words can expand to those
function fits([word, ...others]: readonly Word[], given: readonly string[]): boolean {
  if (!word) return given.length === 0
  // the parser ends a word before a process substitution, which may continue it
  const isCut = /^[<>]\(/.test(others[0]?.source ?? '')
  if (word.fields === null || word.glob || isExample(word) || isCut) {
    return given.some((_, at) => fits(others, given.slice(at))) || fits(others, [])
  }
  return word.fields.some(
    (fields) => fields.every((field, at) => isAlike(field, given[at])) && fits(others, given.slice(fields.length)),
  )
}

// programs that add words of their own to a command
const adding = new Set(
  'xargs mapfile readarray compgen rsync git make zip tar fd fdfind rg ugrep ag ack install cp wget'.split(' '),
)

/** What ran without being found by the parser: a marker's name, or a call of one with words that no command of the script has. */
export function unseenIn({ names, calls }: RunLog, { commands, source }: Script): string[] {
  const seen = new Set(commands.map(({ name }) => name))
  const isSeen = (call: readonly string[]) =>
    commands.some(
      ({ name, words, wrappers }) =>
        name === call[0] && (wrappers.some((one) => adding.has(one)) || fits(words.slice(1), call.slice(1))),
    )
  const unseen = [...names].filter((name) => !seen.has(name))
  // code built from variables contains their values, which the parser does not keep
  if (unseen.length > 0 || /\beval\b[^]*\$/.test(source)) return unseen
  return calls.filter((call) => !isSeen(call)).map((call) => call.join(' '))
}

// one process of the shell under test per batch; it reads each script in a subshell with its own log and directory
function driverFor(root: string, runs: readonly RandomRun[]): string {
  const lines = runs.map(({ script, stdin, additions }, index) => {
    const sets = Object.entries(additions).map(([name, value]) => `export ${name}=${quote(value)} && `)
    const log = `MARK_LOG=${root}/l/${index} && export MARK_LOG && ulimit -t 2`
    const input = stdin === null ? '/dev/null' : `${root}/i/${index}`
    const run = `${sets.join('')}eval ${quote(script)}`
    return `echo ${index} > ${root}/progress; ( cd ${root}/d/${index} && ${log} && ${run} ) < ${input}`
  })
  return [
    'set --',
    'MARK_DRIVER=$$; export MARK_DRIVER',
    ...lines,
    `echo wait > ${root}/progress; wait`,
    // the watcher may still kill one process instead of the wait
    `echo end > ${root}/progress; MARK_LOG=${root}/l/end; export MARK_LOG; m1 || m1`,
    '',
  ].join('\n')
}

const childrenOf = (pid: number): number[] => readLines(`/proc/${pid}/task/${pid}/children`, ' ').map(Number)

// a process that has ended has no children and no command
function readLines(path: string, separator: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(separator).filter(Boolean)
  } catch {
    return []
  }
}

// kills everything in the namespace except the chain of first children: unshare, process 1, the driving shell
function endScript(unshare: number): void {
  const [first = 0] = childrenOf(unshare)
  const [driver] = childrenOf(first)
  const below = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...below(child)])
  for (const pid of below(first).filter((pid) => pid !== driver)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // it has already ended
    }
  }
}

// kills each script that takes too long
function watchScripts(unshare: number, batch: string): NodeJS.Timeout {
  let last = { at: '', since: Date.now() }
  return setInterval(() => {
    const [at = ''] = readLines(join(batch, 'progress'), '\n')
    if (at !== last.at) last = { at, since: Date.now() }
    else if (at !== 'end' && Date.now() - last.since > SCRIPT_MS) endScript(unshare)
  }, 100)
}

/** What a script ran: the names of its markers, and each call of one with its words. */
interface RunLog {
  names: ReadonlySet<string>
  calls: readonly (readonly string[])[]
}

/**
 * Runs scripts in one shell and passes what each ran to `judge`; null: the script broke the driving shell. `asRoot`: for programs that
 * work only for root.
 */
export async function runAll<Run extends RandomRun>(
  { root, shell, asRoot = false }: { root: string; shell: readonly string[]; asRoot?: boolean },
  runs: readonly Run[],
  judge: (run: Run, log: RunLog | null) => void,
): Promise<void> {
  let at = 0
  const runHalves = async (some: readonly Run[], uid: number): Promise<void> => {
    const logs = await runBatch(root, shell, some, uid)
    if (logs || some.length === 1) return some.forEach((run, index) => judge(run, logs?.[index] ?? null))
    const half = some.length >> 1
    for (const part of [some.slice(0, half), some.slice(half)]) await runHalves(part, uid)
  }
  const lane = async (uid: number) => {
    while (at < runs.length) {
      const from = at
      at += BATCH
      await runHalves(runs.slice(from, at), uid)
    }
  }
  await Promise.all(ownUids.map((uid) => lane(asRoot ? 0 : uid)))
}

// returns what each script of a batch ran; null: the batch failed
async function runBatch(
  root: string,
  shell: readonly string[],
  runs: readonly RandomRun[],
  uid: number,
): Promise<RunLog[] | null> {
  // its own directory: processes left by an earlier batch must not write to this one's logs
  const batch = mkdtempSync(join(root, 'batch-'))
  for (const folder of ['d', 'l', 'i', ...runs.map((_, index) => `d/${index}`)]) mkdirSync(join(batch, folder))
  for (const [index, { stdin }] of runs.entries()) {
    if (stdin !== null) writeFileSync(join(batch, 'i', String(index)), stdin)
  }
  writeFileSync(join(batch, 'driver'), driverFor(batch, runs))
  const env = { PATH: join(root, 'bin'), HOME }
  execFileSync('/usr/bin/chown', ['-R', `${uid}:${uid}`, batch])
  const [program, ...argv] = [...containedAs(uid), ...shell, join(batch, 'driver')]
  const child = spawn(program!, argv, { stdio: 'ignore', env, cwd: batch, detached: true })
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), BATCH_MS)
  const watch = watchScripts(child.pid!, batch)
  await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  clearInterval(watch)
  const logOf = (name: string): RunLog => ({
    names: new Set(readLines(join(batch, 'l', name), '\n')),
    calls: readLines(join(batch, 'l', `${name}.words`), '\0').map((call) => call.split('\x01')),
  })
  const answer = logOf('end').names.size > 0 ? runs.map((_, index) => logOf(String(index))) : null
  rmSync(batch, { recursive: true, force: true })
  return answer
}
