/** Random calls of real programs that run a command, code or their input: every way to pass words, and values that look like commands. */
import { pick, type Random } from '../../support/random.ts'

/** The long options of each program, from its --help, except those that do not affect what runs. */
const longOptions = `
env: argv0 block-signal chdir debug default-signal ignore-environment ignore-signal split-string unset
nohup:
nice: adjustment
timeout: foreground kill-after preserve-status signal verbose
stdbuf: error input output
setsid: fork wait
ionice: class classdata ignore pid
chrt: all-tasks batch deadline fifo idle other reset-on-fork rr sched-period sched-runtime verbose
taskset: all-tasks cpu-list pid
prlimit: as core cpu data fsize locks memlock nice nofile nproc output pid raw rss stack verbose
choom: adjust pid
setpriv: ambient-caps bounding-set clear-groups inh-caps keep-groups nnp no-new-privs pdeathsig regid reset-env reuid securebits
setarch: addr-compat-layout addr-no-randomize read-implies-exec uname-2.6 verbose
linux32: addr-no-randomize verbose
unshare: fork map-root-user mount mount-proc root setgid user wd
flock: close command conflict-exit-code exclusive no-fork nonblock shared timeout unlock verbose
xargs: arg-file delimiter eof interactive max-args max-chars max-lines max-procs no-run-if-empty null open-tty process-slot-var replace verbose
script: append command echo flush force log-in log-out output-limit quiet return
ssh-agent:
start-stop-daemon: chdir exec background make-pidfile start startas nicelevel pidfile
find: name
busybox:
`
/** The real programs that run commands, with their long options. */
export const wrappers: ReadonlyMap<string, readonly string[]> = new Map(
  longOptions
    .trim()
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, options]) => [name!, options!.split(' ').filter(Boolean)] as const),
)

/** Other real programs that the scripts below call. */
export const interpreters =
  'awk sed perl python3 make rsync zip sort split tar git ln cp mv chmod mkdir tee head echo printf dc'.split(' ')

type Maker = (random: Random, marker: () => string) => string

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0'.split('')

const value: Maker = (random, marker) =>
  pick(random, [
    '1',
    '0',
    '5',
    'a',
    '/',
    '.',
    'x=1',
    'x',
    'KILL',
    '-1',
    '{}',
    '10:10',
    marker(),
    marker(),
    `'${marker()} b'`,
  ])

// one option, written in one of the ways that programs accept
function option(random: Random, marker: () => string, long: readonly string[]): string {
  const letter = pick(random, letters)
  const name = long.length > 0 ? pick(random, long) : 'x'
  const short = name.slice(0, 3 + Math.floor(random() * 6))
  return pick(random, [
    `-${letter}`,
    `-${letter} ${value(random, marker)}`,
    `-${letter}${value(random, marker)}`,
    `-${letter}${pick(random, letters)} ${value(random, marker)}`,
    `--${name}`,
    `--${name}=${value(random, marker)}`,
    `--${name} ${value(random, marker)}`,
    `--${short}=${value(random, marker)}`,
    `--${short} ${value(random, marker)}`,
  ])
}

const skipped: Readonly<Record<string, readonly string[]>> = {
  timeout: ['5'],
  chrt: ['0', '5'],
  taskset: ['1', '0x1', '-c 0'],
  setarch: ['x86_64', ''],
  flock: ['l', './l'],
  find: ['. -maxdepth 0 -exec', '. -prune -ok', '-execdir'],
  script: ['-qc', '/dev/null -c', '--command'],
  'start-stop-daemon': ['--start --exec', '-S -x'],
  env: ['', 'A=b', '- A=b', "-S 'A=b'"],
  busybox: ['env', 'nice', 'timeout 5', 'xargs', 'setsid', 'sh -c', 'nohup', 'time', 'env -i', 'busybox env'],
}

const anyWrapper: Maker = (random, marker) => {
  const [name, long] = pick(random, [...wrappers])
  const count = Math.floor(random() * 3)
  const options = Array.from({ length: count }, () => option(random, marker, long))
  const skips = skipped[name] ? [pick(random, skipped[name])] : []
  const dashes = random() < 0.15 ? ['--'] : []
  const tail = pick(random, [
    '',
    '',
    'a',
    `a ${marker()}`,
    `-c ${marker()}`,
    `-n ${marker()}`,
    '{} \\;',
    '{} +',
    `-c '${marker()} b'`,
  ])
  const parts = [name, ...options, ...dashes, ...skips, pick(random, [`${marker()}`, `${marker()} b`, '']), tail]
  return parts.filter(Boolean).join(' ')
}

// pieces of the value of env -S, which has its own quotes and escapes
const splitPieces = [
  '-i ',
  '-u x ',
  'A=b ',
  '\\_',
  '\\t',
  '"',
  "'",
  '\\"',
  "\\'",
  '\\\\',
  ' ',
  '#',
  '${HOME}',
  '\\c',
  '-S ',
  '-- ',
  'a',
  ' b ',
]

const envString: Maker = (random, marker) => {
  const length = Math.floor(random() * 5)
  const piece = () => (random() < 0.4 ? marker() : pick(random, splitPieces))
  const text = Array.from({ length }, piece).join('')
  const quoted = `'${text.replaceAll("'", "'\\''")}'`
  const operands = pick(random, ['', ` ${marker()}`, ` ${marker()} a`, ` -c ${marker()}`, ' A=c'])
  return `env ${pick(random, ['-S', '-S ', '-vS ', '-iS', '-u x -S ', '--split-string=', '--split-string ', '--s='])}${quoted}${operands}`
}

/** Code in files, on descriptors, in pipes, and in arguments of programs that do not look like wrappers. */
const hiddenCode: Maker = (random, marker) => {
  const [m, n] = [marker(), marker()]
  return pick(random, [
    `. <(echo ${m})`,
    `sh <(echo ${m})`,
    `sh < <(echo ${m})`,
    `exec < <(echo ${m}); sh`,
    `exec 3< <(echo ${m}); . /dev/fd/3`,
    `for x in <(echo ${m}); do . $x; done`,
    `g() { . $1; }; g <(echo ${m})`,
    `sh -c '. $0' <(echo ${m})`,
    `exec <<E\n${m}\nE\nsh`,
    `exec <<E\n${m}\nE\n. /dev/stdin`,
    `exec 3<<E\n${m}\nE\nsh <&3`,
    `exec 3<<E\n${m}\nE\n. /proc/self/fd/3`,
    `sh /dev/stdin <<E\n${m}\nE\n`,
    `sh /proc/self/fd/0 <<E\n${m}\nE\n`,
    `sh /dev/../dev/stdin <<E\n${m}\nE\n`,
    `cd /dev; sh ./stdin <<E\n${m}\nE\n`,
    `cd /proc/self/fd; . ./0 <<E\n${m}\nE\n`,
    `ln -s /dev/stdin q; sh q <<E\n${m}\nE\n`,
    `echo ${m} > q; ln q r; sh r`,
    `echo ${m} > q; cp q r; . ./r`,
    `mkdir q; cd q; echo ${m} > r; cd ..; sh q/r`,
    `echo ${m} > q; sh < q`,
    `echo ${m} > q; exec < q; sh`,
    `sh -c sh <<E\n${m}\nE\n`,
    `echo ${m} | sh -c sh <<E\n${n}\nE\n`,
    `echo ${m} | { sh; } <<E\n${n}\nE\n`,
    `{ echo ${m}; echo ${n}; } | sh`,
    `sh -c 'echo ${m}; echo ${n}' | sh`,
    `env echo ${m} | env sh`,
    `echo ${m} | xargs env`,
    `echo 'a ${m}' | xargs -n 1 env`,
    `echo ${m} | xargs -I q env q`,
    `echo ${m} | xargs -i env {}`,
    `echo a | xargs -I a sh -c 'a; ${m}'`,
    `hash -p $PWD/../../../bin/${m} q; q`,
    `mapfile -C ${m} -c 1 x <<E\na\nE\n`,
    `readarray -c1 -C '${m} b' x <<< a`,
    `compgen -C ${m} a`,
    `compgen -W '$(${m})' a`,
    `awk 'BEGIN { system("${m}") }'`,
    `awk -f <(echo 'BEGIN { system("${m}") }')`,
    `awk 'BEGIN { print "" | "${m}" }'`,
    `sed '1e ${m}' /dev/null`,
    `echo a | sed 's/a/${m}/e'`,
    `echo a | sed -f <(echo '1e ${m}')`,
    `perl -e 'system "${m}"'`,
    `perl -ne 1 '${m} |'`,
    `perl -pe 1 '| ${m}'`,
    `echo a | split --filter=${m}`,
    `echo a | split --filter ${m} -l 1`,
    `tar -cf q --checkpoint=1 --checkpoint-action=exec=${m} /dev/null`,
    `tar -cf q -I ${m} /dev/null`,
    `tar -cf q --use-compress-program='${m} b' /dev/null`,
    `tar c --to-stdout -I${m} /dev/null`,
    `git -c alias.q='!${m}' q`,
    `git -c alias.q=!${m} q`,
    `git -c core.pager=${m} -p help -a`,
    `git --exec-path=$PWD/../../../bin ${m}`,
    `git -c protocol.ext.allow=always ls-remote 'ext::${m} b'`,
    `git -c protocol.ext.allow=always ls-remote 'ext::sh -c ${m}%20a'`,
    `git init -q . && git grep --no-index -O${m} -e '' . `,
    `GIT_PAGER=${m} git -p help -a`,
    `find . -exec ${m} {} + -o -exec ${n} \\;`,
    `find . -maxdepth 0 -execdir sh -c ${m} \\;`,
    `time -p ${m}`,
    `exec -c ${m}`,
    `command -p ${m}`,
    `set -- ${m} b; env "$@"`,
    `x='-S ${m}'; env $x ${n}`,
    `x=${m}; env -S "$x b" ${n}`,
    `trap ${m} DEBUG; :`,
    `PS4='$(${m})'; set -x; :`,
    `PROMPT_COMMAND=${m}`,
    `BASH_ENV=<(echo ${m}) sh -c :`,
    `enable -n echo; ${m}`,
    `printf -v 'a[$(${m})]' x`,
    `${m} | while read x; do ${n}; done`,
    // other paths to the working directory
    `echo ${m} > q; sh /proc/self/cwd/q`,
    `echo ${m} > q; . /proc/self/cwd/./q`,
    `echo ${m} > q; . /proc/$$/cwd/q`,
    `echo ${m} > q; cd /; . "$OLDPWD/q"`,
    `echo ${m} > q; cd /; cd - > o; . ./q`,
    `echo ${m} > q; mkdir d; cd d; . ../q`,
    `echo ${m} > q; (mkdir d; cd d; ${n}); . ./q`,
    `mkdir d; (cd d; echo ${m} > q); sh d/q`,
    `echo ${m} > q; sh *`,
    `echo ${m} > q; sh [q]`,
    `echo ${m} > q; chmod +x q; ./q`,
    `echo ${m} > q; chmod +x q; $PWD/q`,
    `echo ${m} > q; chmod +x q; env ./q`,
    `echo ${m} > q; chmod +x q; find . -name q -exec {} \\;`,
    `echo ${m} > q; mv q r; sh r`,
    `echo ${m} | tee q; sh q`,
    `echo ${m} | tee q r; . ./r`,
    `echo ${m} > q; head q | sh`,
    `echo ${m} > q; cat q q | sh`,
    `echo ${m} >> q; echo ${n} >> q; sh q`,
    `cd /proc/self/fd; sh < 0`,
    // code for programs that have a row
    `echo 'import os; os.system("${m}")' | python3`,
    `python3 -c 'import os; os.system("${m}")'`,
    `python3 <(echo 'import os; os.system("${m}")')`,
    `echo 'import os; os.system("${m}")' > q; python3 q`,
    `python3 - <<E\nimport os; os.system("${m}")\nE\n`,
    `make -s --eval='q:;@${m}' q`,
    `make -s --eval='$(shell ${m})' -f /dev/null`,
    `make -s --ev='q:;${m} a' q`,
    `make -s -f /dev/null X!='${m} a' 'Y=$(shell ${n})' SHELL=${m}`,
    `echo 'q:;@${m}' | make -s -f -`,
    `make -s -f <(echo 'q:;@${m}')`,
    `echo 'q:;@$(CC)' > Makefile; make -s CC=${m}`,
    `echo 'q:;@a' > Makefile; make -s SHELL=$PWD/../../../bin/${m}`,
    `MAKEFLAGS='--eval=q:;${m}' make -s`,
    `rsync -e ${m} a h:b`,
    `rsync -e '${m} a' a h:b`,
    `rsync --rsh=${m} a h:b`,
    `rsync --rsh 'env ${m}' h:a b`,
    `rsync -ae env h:${m} b`,
    `RSYNC_RSH=${m} rsync a h:b`,
    `RSYNC_RSH=env rsync a ${m}:b`,
    `echo a > q; zip -qT -TT ${m} r q`,
    `echo a > q; ZIPOPT='-T -TT ${m}' zip -q r q`,
    `echo a > q; TAR_OPTIONS='-I ${m}' tar cf r q`,
    `echo a > q; tar -cf r --use-c=${m} q`,
    `tar -cf q --rsh-command=${m} h:a`,
    `tar -cf q -F ${m} -L 1 /dev/null`,
    `printf 'b\\na\\n' | sort -S 1 --compress-program=${m} /dev/stdin`,
    `git -c core.sshCommand=${m} ls-remote h:a`,
    `GIT_SSH_COMMAND='${m} a' git ls-remote h:a`,
    `GIT_SSH=${m} git ls-remote h:a`,
    `GIT_SSH_COMMAND=env git ls-remote ${m}:a`,
    `git -c core.gitProxy=${m} ls-remote git://h/a`,
    `git -c credential.helper='!${m}' credential fill < /dev/null`,
    `GIT_EXTERNAL_DIFF=${m} git diff --no-index --ext-diff /dev/null q`,
    `GIT_EDITOR=${m} git -c user.name=a -c user.email=b init -q .; git config -e`,
    `git -c core.editor=${m} var GIT_EDITOR; ${n}`,
    `git ls-remote --upload-pack=${m} .`,
    `git ls-remote -q --upload-p '${m} a' .`,
    `echo '!${m}' | dc`,
    `ssh-agent -a q sh -c ${m}`,
    `echo ${m} | sh -s a`,
    `sh -s < <(echo ${m})`,
    `sh -c 'read x; $x' <<< ${m}`,
    `true | x='-S ${m}'; env $x ${n}`,
    `x=a & $x ${m}`,
    `f() { x=a; }; f | true; $x ${m}`,
    `(x=a); $x ${m}; x=b ${n}`,
    `echo ${m} | { read x; $x; }`,
    `echo ${m} > q; read x < q; $x`,
  ])
}

/** One call that may run a marker. */
export const randomWrapper: Maker = (random, marker) => {
  const kind = random()
  if (kind < 0.45) return anyWrapper(random, marker)
  return kind < 0.7 ? envString(random, marker) : hiddenCode(random, marker)
}
