/**
 * npx tsx scripts/drill-policy.ts [corpora] [shells] [fuzz] [--scripts=30000] [--fuzz=100000] [--seed=1]
 * Prints the policy's figures: the corpora; random scripts really run by four shells against what the parser saw; the parser's fuzz.
 */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from '../src/policy/index.ts'
import { createRandom, markers, randomScript } from '../test/policy/random-script.ts'

const option = (name: string, fallback: number) =>
  Number(process.argv.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? fallback)
const wanted = process.argv.slice(2).filter((arg) => !arg.startsWith('--'))
const wants = (name: string) => wanted.length === 0 || wanted.includes(name)
const print = (line: string) => process.stdout.write(`${line}\n`)

const shells = {
  dash: ['/usr/bin/dash'],
  busybox: ['/usr/bin/busybox', 'sh'],
  mksh: ['/usr/bin/mksh'],
  bash: ['/usr/bin/bash'],
}
const BATCH = 400

// a marker notes its own name; after many notes it fails, then stops the shell that loops over it
const markerText = `#!/usr/bin/dash
echo "\${0##*/}" >> "$MARK_LOG"
n=0
while read -r line; do n=$((n+1)); done < "$MARK_LOG"
[ $n -gt 60 ] && kill -9 $PPID
[ $n -le 25 ]
`

const markerSource = `#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
  int log = open(getenv("MARK_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0644);
  long size = lseek(log, 0, SEEK_END);
  char line[64];
  int length = snprintf(line, sizeof line, "%s\\n", name);
  write(log, line, length);
  if (size > 180) kill(getppid(), SIGKILL);
  return size > 75;
}
`

// a compiled marker starts ten times as fast; where there is no compiler the script does
function makeMarker(bin: string): string {
  const program = join(bin, 'marker')
  writeFileSync(`${program}.c`, markerSource)
  try {
    execFileSync('cc', ['-O1', '-w', '-o', program, `${program}.c`], { stdio: 'ignore' })
  } catch {
    writeFileSync(program, markerText)
    chmodSync(program, 0o755)
  }
  return program
}

function prepareFolder(shell: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'policy-shells-'))
  const bin = join(root, 'bin')
  mkdirSync(bin)
  const program = makeMarker(root)
  for (const marker of markers) linkSync(program, join(bin, marker))
  for (const wrapper of ['env', 'nohup', 'nice', 'timeout', 'xargs', 'cat'])
    symlinkSync(`/usr/bin/${wrapper}`, join(bin, wrapper))
  writeFileSync(join(bin, 'sh'), `#!/usr/bin/dash\nexec ${shell.join(' ')} "$@"\n`)
  chmodSync(join(bin, 'sh'), 0o755)
  return root
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

// one process of the shell under test for each batch; every script is read by it in a subshell, with a log and a directory of its own
function driverFor(root: string, scripts: readonly string[]): string {
  const lines = scripts.map(
    (script, index) =>
      `( cd ${root}/d/${index} && MARK_LOG=${root}/l/${index} && export MARK_LOG && eval ${quote(script)} )`,
  )
  return ['set --', 'ulimit -t 20', ...lines, 'wait', `m1=done; MARK_LOG=${root}/l/end; export MARK_LOG; m1`, ''].join(
    '\n',
  )
}

/** Runs a batch of scripts in one shell; returns which markers ran for each; null when the batch broke off. */
async function runBatch(
  root: string,
  shell: readonly string[],
  scripts: readonly string[],
): Promise<Set<string>[] | null> {
  for (const folder of ['d', 'l']) {
    rmSync(join(root, folder), { recursive: true, force: true })
    mkdirSync(join(root, folder))
  }
  scripts.forEach((_, index) => {
    mkdirSync(join(root, 'd', String(index)))
  })
  writeFileSync(join(root, 'driver'), driverFor(root, scripts))
  const env = { PATH: join(root, 'bin'), HOME: root }
  const child = spawn(shell[0]!, [...shell.slice(1), join(root, 'driver')], { stdio: 'ignore', env, cwd: root })
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000)
  await new Promise((resolve) => child.once('exit', resolve))
  clearTimeout(timer)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const logs = new Set(readdirSync(join(root, 'l')))
  if (!logs.has('end')) return null
  return scripts.map(
    (_, index) =>
      new Set(
        logs.has(String(index))
          ? readFileSync(join(root, 'l', String(index)), 'utf8')
              .split('\n')
              .filter(Boolean)
          : [],
      ),
  )
}

interface Case {
  script: string
  opaque: boolean
  seen: Set<string>
}

// an opaque script proves nothing, whatever it runs: a few of them are run all the same
function makeCases(total: number): Case[] {
  const random = createRandom(option('seed', 1))
  const cases: Case[] = []
  while (cases.length < total) {
    const script = randomScript(random)
    if (script.includes('\0')) continue
    const parsed = parse(script)
    const opaque = parsed.opaque.length > 0
    if (!opaque || random() < 0.02)
      cases.push({ script, opaque, seen: new Set(parsed.commands.map((command) => command.name)) })
  }
  return cases
}

async function runShell(name: string, shell: readonly string[], cases: readonly Case[]): Promise<number> {
  const root = prepareFolder(shell)
  const counts = { ran: 0, marked: 0, clear: 0, broken: 0, exceptions: 0 }
  const started = Date.now()
  const judge = (one: Case, log: Set<string>) => {
    counts.ran += 1
    if (log.size > 0) counts.marked += 1
    if (one.opaque) return
    if (log.size > 0) counts.clear += 1
    const unseen = [...log].filter((marker) => !one.seen.has(marker))
    if (unseen.length === 0) return
    counts.exceptions += 1
    print(`  EXCEPTION ${name}: ${unseen.join(' ')} ran unseen in ${JSON.stringify(one.script)}`)
  }
  const runAll = async (batch: readonly Case[]): Promise<void> => {
    const logs = await runBatch(
      root,
      shell,
      batch.map((one) => one.script),
    )
    if (logs)
      batch.forEach((one, index) => {
        judge(one, logs[index]!)
      })
    else if (batch.length === 1) counts.broken += 1
    else for (const half of [batch.slice(0, batch.length >> 1), batch.slice(batch.length >> 1)]) await runAll(half)
  }
  for (let at = 0; at < cases.length; at += BATCH) await runAll(cases.slice(at, at + BATCH))
  rmSync(root, { recursive: true, force: true })
  const opaque = cases.filter((one) => one.opaque).length
  print(
    `shells: ${name}: ${counts.ran} scripts run (${opaque} opaque), a marker ran in ${counts.marked}, of these ${counts.clear} not opaque; ${counts.broken} broke the shell; exceptions: ${counts.exceptions}; ${((Date.now() - started) / 1000).toFixed(0)} s`,
  )
  return counts.exceptions
}

async function drillShells(): Promise<number> {
  const cases = makeCases(option('scripts', 30_000))
  print(`shells: ${cases.length} random scripts, seed ${option('seed', 1)}`)
  let exceptions = 0
  for (const [name, shell] of Object.entries(shells)) exceptions += await runShell(name, shell, cases)
  return exceptions
}

let failed = 0
if (wants('shells')) failed += await drillShells()
process.exitCode = failed > 0 ? 1 : 0
