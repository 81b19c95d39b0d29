/** Generates calls of every program whose row says that it runs others, with all the ways to write its options and words. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { rows } from '../../../src/server/policy/programs/index.ts'
import type { Options, Program } from '../../../src/server/policy/programs/program.ts'
import type { RandomRun } from './random-script.ts'

/** Values and operands that are also markers: if one runs, it logs its name. */
export const wordMarkers = ['1', '40', 'root', 'a', 'b']

/** How to call a program: %o stands for its options, %c for the command that it runs. Default: NAME %o %c. */
const templates = String.raw`
timeout: timeout %o 5 %c
chrt: chrt -o %o 0 %c|chrt %o -b 0 %c|chrt %o 1 %c
taskset: taskset %o 1 %c
flock: flock %o l %c|flock l %o %c|flock %o l|flock l %o
setarch: setarch %o x86_64 %c|setarch x86_64 %o %c
env: env %o %c|env %o A=b %c|env - %o %c
su: su %o root %c|su root %o|su %o -c 'm1 a'|su %o|su %o root -c 'm1 a' a
runuser: runuser %o root %c|runuser %o -u root %c|runuser root %o|runuser %o -c 'm1 a'
sg: sg %o root %c|sg root %o|sg root %o 'm1 a'
newgrp: newgrp %o root
chroot: chroot %o / %c
busybox: busybox %o env %c|busybox %o sh -c 'm1 a'|busybox busybox %o env %c
toybox: toybox %o env %c|toybox toybox %o env %c
script: script %o|script %o q|script q %o|script %o q %c
xargs: xargs %o %c|xargs %o
strace: strace %o %c
tmux: TMUX_TMPDIR=. tmux %o new -d %c; sleep 0.2|TMUX_TMPDIR=. tmux new %o -d %c; sleep 0.2|TMUX_TMPDIR=. tmux new -d %o; sleep 0.2
ssh-agent: ssh-agent %o %c
watch: TERM=xterm script -qc 'watch %o m1 a'
nsenter: nsenter %o -t 1 %c|nsenter %o
find: find %o . -maxdepth 0 -exec %c \;|find . -maxdepth 0 -execdir %c {} +|find . -maxdepth 0 %o \;|find . -maxdepth 0 %o {} +
fd: echo > q; fd %o . -x %c|fd %o
start-stop-daemon: start-stop-daemon %o -S -x %c
sort: printf 'b\na\n' | sort -S 1 %o /dev/stdin|printf 'b\na\n' | sort -S 1 /dev/stdin %o
split: printf 'a\n' | split %o - q|printf 'a\n' | split - q %o
tar: tar %o -cf q /dev/null|tar -cf q /dev/null %o|tar cf q %o /dev/null|tar cPf q /dev/null; tar -xf q %o|tar cf q .; tar -tf q %o
zip: echo > q; zip %o r q|echo > q; zip r q %o|echo > q; zip -T %o r q
install: echo > q; install -s %o q r|echo > q; install %o -s q r
cc: echo 'int x;' > q.c; cc %o -c q.c
apt: apt %o list
make: make %o -s -f /dev/null|make -s %o q|make -s -f /dev/null %o
git: git %o help -a|git ls-remote %o .|git ls-remote h:a %o|git init -q .; git grep --no-index %o -e '' .|git clone %o . x|git fetch %o .|git %o
rsync: rsync %o q h:b|rsync q h:b %o
ssh: ssh %o h|ssh %o h m1 a
scp: scp %o q h:b
sftp: sftp %o h
man: man %o ls
wget: wget %o http://h
mapfile: mapfile %o x <<< a|readarray %o x <<< a
compgen: compgen %o a
trap: trap %o 'm1 a' EXIT|trap %o 'm1 a' 0
eval: eval %o 'm1 a'|eval %o %c
.: echo 'm1 a' > q; . %o ./q|echo 'm1 a' > q; . ./q %o
sh: sh %o -c 'm1 a'|sh -c %o 'm1 a'|echo 'm1 a' > q; sh %o q|echo 'm1 a' > q; sh %o ./q m2|sh %o
awk: awk %o /dev/null|awk %o 'BEGIN { system("m1 a") }'
sed: echo a | sed %o|echo a | sed %o p
dc: dc %o
sqlite3: sqlite3 %o q|sqlite3 q %o
gdb: gdb -batch %o|gdb %o q
vi: vi -es %o q|vi -es q %o
ed: ed %o q
perl*: perl %o|perl %o /dev/null
python*: python3 %o
node: node %o
psql: psql %o
npm: npm exec %o|npm %o exec -c 'm1 a'|npm exec %o -- %c
npx: npx %o|npx %o %c
ld.so: /lib64/ld-linux-x86-64.so.2 %o $PWD/../../../bin/m1 a
command: command %o %c
exec: exec %o %c
builtin: builtin %o %c|builtin %o command %c|builtin %o eval 'm1 a'
time: /usr/bin/time %o %c|time %o %c
parallel: parallel %o %c ::: 1|parallel %o ::: 'm1 a'|parallel %o %c
setpriv: setpriv %o %c
sudo: sudo %o %c|sudo A=b %o %c
screen: screen -Dm %o %c
cpulimit: cpulimit %o -l 50 %c|cpulimit -l 50 %o %c
sshpass: sshpass -p x %o %c|sshpass %o %c
stdbuf: stdbuf %o %c|stdbuf -o0 %o %c
prlimit: prlimit %o %c|prlimit -n50 %o %c
choom: choom -n 0 %o %c|choom %o %c
ionice: ionice -c 3 %o %c|ionice %o %c
rg: echo a > q; rg %o a q|echo a > q; rg a %o
less: less %o q
hash: hash %o; q
`
const templateOf = new Map(
  templates
    .trim()
    .split('\n')
    .map((line) => line.split(/: (.*)/s, 2))
    .map(([name, ways]) => [name!, ways!.split(/(?<! )\|(?! )/)] as const),
)

const shellCode: readonly string[] = ['m2', "'m2 b'"]
const values = ['1', ...shellCode, '.', 'root', '40', "'|m2 b'"]
const codes: Readonly<Record<string, string>> = {
  python: `'import os; os.system("m2 b")'`,
  javascript: `'require("child_process").spawnSync("m2", ["b"])'`,
  perl: `'system "m2 b"'`,
  ruby: `'system "m2 b"'`,
  php: `'system("m2 b");'`,
  lua: `'os.execute("m2 b")'`,
  awk: `'BEGIN { system("m2 b") }'`,
  sed: `'1e m2 b'`,
  editor: `':!m2 b'`,
  sql: `'.shell m2 b'`,
  escape: `'!m2 b'`,
  make: `'q:;@m2 b'`,
  sh: `'m2 b'`,
}
const codesOfRows: Readonly<Record<string, string>> = { gdb: `'shell m2 b'` }
/** Programs that start slowly: only the options of their rows are tried, each spelling once. */
const slow = new Set(
  'npm pnpm yarn npx git gh glab vi vim man node tsx tmux byobu gdb psql script watch cc gcc g++ c++ clang apt apt-get apt-cache aptitude pip pip3'.split(
    ' ',
  ),
)
/** Programs that run commands only at a later time. */
const later = new Set('at batch crontab'.split(' '))
const asRoot = new Set(
  'su runuser sg newgrp chroot nsenter unshare setpriv sudo doas capsh chpst setuidgid run0'.split(' '),
)

const allOptions = ({ options, verbs = {} }: Program): Options =>
  new Map([options, ...Object.values(verbs)].flatMap((one) => [...one]))

/** Returns whether a row says that its program runs words, shell code, or code in its own language that can start programs. */
const runsOthers = (program: Program): boolean =>
  [program.runs, program.shell, program.sources, program.spans, program.codes, program.language].some(Boolean) ||
  [...allOptions(program).values()].some((kind) => kind === 'code' || kind === 'words')

/** A program under one name of its row. */
export interface Wrapper {
  row: string // the first name of the row
  name: string
  program: Program
  argv: readonly string[] | null // how to start it; null: not on this machine
  asRoot: boolean
}

const builtins =
  'command exec builtin eval . source mapfile readarray compgen complete trap hash enable bind alias type'.split(' ')
const folders = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/local/bin']
const pathOfProgram = (name: string) => folders.map((folder) => join(folder, name)).find(existsSync) ?? null
const appletsOf = (program: string, ...list: string[]): ReadonlySet<string> =>
  new Set(
    pathOfProgram(program) ? spawnSync(pathOfProgram(program)!, list, { encoding: 'utf8' }).stdout.split(/\s+/) : [],
  )

/** Every program that runs others, under each of its names, and through busybox or toybox if they include it. */
export function allWrappers(): Wrapper[] {
  const multiCallPrograms = [
    ['busybox', appletsOf('busybox', '--list')] as const,
    ['toybox', appletsOf('toybox')] as const,
  ]
  return rows()
    .filter(([names, program]) => runsOthers(program) && !later.has(names))
    .flatMap(([names, program]) => {
      const [row] = names.split(' ') as [string]
      return names.split(' ').flatMap((marked) => {
        const name = marked.replace('*', marked === 'python*' ? '3' : '')
        const place = name === 'ld.so' ? '/lib64/ld-linux-x86-64.so.2' : pathOfProgram(name)
        const one = { row, program, asRoot: asRoot.has(name) }
        const own: Wrapper = { ...one, name, argv: builtins.includes(name) ? [] : place ? [place] : null }
        const applets = multiCallPrograms.filter(([, applets]) => applets.has(name))
        return [
          own,
          ...applets.map(([host]) => ({ ...one, name: `${host} ${name}`, argv: [pathOfProgram(host)!, name] })),
        ]
      })
    })
}

const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

// the options in the program's own --help
function optionsFromHelp([command, ...args]: readonly string[]): { short: string[]; long: string[] } {
  if (command === undefined) return { short: [], long: [] }
  const env = { PATH: '/usr/bin:/usr/sbin', LC_ALL: 'C', HOME: '/dev/null' }
  const { stdout, stderr } = spawnSync(command, [...args, '--help'], {
    encoding: 'utf8',
    timeout: 5_000,
    env,
    input: '',
  })
  const text = `${stdout}${stderr}`
  return {
    short: [...text.matchAll(/(?<![\w-])-(\w)(?![\w-])/g)].map(([, name]) => name!),
    long: [...text.matchAll(/(?<![\w-])--(\w[\w-]*)/g)].map(([, name]) => name!),
  }
}

/** All replacements for %o. */
function optionsOf({ name, row, program, argv }: Wrapper): string[] {
  const isSlow = slow.has(name)
  const table = [...allOptions(program)].map(([option, kind]) => [option.replace('?', ''), kind] as const)
  const documented = isSlow ? { short: [], long: [] } : optionsFromHelp(argv!)
  const code = codesOfRows[row] ?? codes[program.language ?? '']
  const tried = code ? [code] : isSlow ? shellCode : values
  const short = [
    ...new Set([...table.map(([option]) => option).filter((option) => option.length === 1), ...documented.short]),
  ]
  const long = [
    ...new Set([...table.map(([option]) => option).filter((option) => option.length > 1), ...documented.long]),
  ]
  const plain = short.filter((letter) => !table.some(([option]) => option === letter)).slice(0, 6)
  const clusters = short.flatMap((letter) => plain.filter((one) => one !== letter).map((one) => `-${one}${letter}`))
  const both = (option: string, some = tried) => some.flatMap((value) => [`${option} ${value}`, `${option}${value}`])
  const dash = program.dashed ? ['-', '--'] : ['--']
  const unknown = isSlow ? [] : letters.filter((letter) => !short.includes(letter))
  const longs = long.flatMap((option) => {
    const starts = [1, 2, 3, 4, option.length - 1]
      .filter((end) => end < option.length)
      .map((end) => option.slice(0, end))
    const written = (given: string, some: readonly string[]) =>
      dash.flatMap((dashes) => some.flatMap((value) => [`${dashes}${given}=${value}`, `${dashes}${given} ${value}`]))
    return [
      ...[...dash.map((dashes) => `${dashes}${option}`), ...written(option, tried)],
      ...[...new Set(starts)].flatMap((start) => written(start, tried.slice(0, 2))),
    ]
  })
  return [
    ...['', '--', '-', '+', '-- --'],
    ...unknown.flatMap((letter) => [`-${letter}`, `-${letter} 1`]),
    ...short.flatMap((letter) => [`-${letter}`, `-${letter} --`, ...both(`-${letter}`), `-${letter}=${tried[0]}`]),
    ...clusters.flatMap((cluster) => both(cluster, tried.slice(0, 2))),
    ...longs,
  ]
}

/** All calls of a program. */
export function callsOf(wrapper: Wrapper): RandomRun[] {
  const { name, row } = wrapper
  const own = name.split(' ').at(-1)!
  const host = name.slice(0, name.length - own.length)
  const calling = (way: string, from: string, to: string) =>
    way.replaceAll(new RegExp(`(^|; |\\| |')${from.replace('.', '\\.')}(?= )`, 'g'), `$1${to}`)
  const ways = templateOf.get(own) ?? templateOf.get(row)?.map((way) => calling(way, row.replace('*', ''), own))
  const written = (ways ?? [`${own} %o %c`]).map((way) => (host ? calling(way, own, name) : way))
  const scripts = optionsOf(wrapper).flatMap((option) =>
    written.flatMap((way) =>
      ['m1 a', "'m1 a'", '-- m1 a', '-c m1', "-c 'm1 a'"].map((command) =>
        way.replace('%o', () => option).replace('%c', command),
      ),
    ),
  )
  return [...new Set(scripts)].map((script) => ({ script, stdin: 'm3 a\n', open: false, additions: {} }))
}
