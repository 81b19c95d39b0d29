/** Programs and builtins that run another command, which stands in their arguments: one row each, and how to find it. */

export interface Wrapper {
  names: readonly string[]
  /** letters of the short options that take a value */
  short?: string
  /** long options that take their value as the next word */
  long?: readonly string[]
  /** words between the options and the command */
  operands?: number
  /** NAME=value may stand before the command */
  assignments?: boolean
  /** the option whose value is the directory in which it runs the command: its letter, beside --chdir */
  chdir?: string
  /** options whose value is shell code */
  code?: readonly string[]
  /** with these options it runs nothing */
  idle?: readonly string[]
  /** the remaining words are joined and read by a shell */
  joined?: boolean
  /** it adds nothing of its own: only what it runs matters */
  transparent?: boolean
  /** words that must stand first: `busybox`-like tools have several */
  after?: readonly string[]
  /**
   * with a command that is not known from here (its own input, a remote list); 'in-bin': only where it lies in a folder of
   * programs, as many have a program of their own by that name
   */
  doubtful?: true | 'in-bin'
}

export const wrappers: readonly Wrapper[] = [
  {
    names: ['env'],
    short: 'uSP',
    long: ['--unset', '--split-string'],
    chdir: 'C',
    code: ['-S', '--split-string'],
    assignments: true,
    transparent: true,
  },
  {
    names: ['nohup', 'setsid', 'builtin', 'caffeinate', 'unbuffer', 'catchsegv', 'termux-chroot', 'fakeroot'],
    long: ['--lib', '--faked'],
    transparent: true,
  },
  { names: ['time'], short: 'fo', long: ['--format', '--output'], transparent: true },
  { names: ['command'], idle: ['-v', '-V'], transparent: true },
  { names: ['exec'], short: 'a', transparent: true },
  { names: ['nice'], short: 'n', long: ['--adjustment'], transparent: true },
  { names: ['ionice'], short: 'cnpPu', long: ['--class', '--classdata', '--pid'], transparent: true },
  { names: ['timeout'], short: 'ks', long: ['--kill-after', '--signal'], operands: 1, transparent: true },
  { names: ['stdbuf'], short: 'ioe', long: ['--input', '--output', '--error'], transparent: true },
  { names: ['chrt'], short: 'TPDp', operands: 1, transparent: true },
  { names: ['taskset'], short: '', operands: 1, transparent: true },
  { names: ['prlimit', 'choom', 'setpriv', 'cpulimit'], short: 'pnl', transparent: true },
  { names: ['setarch', 'linux32', 'linux64', 'i386', 'x86_64', 'personality'], transparent: true },
  {
    names: ['sudo', 'tsudo'],
    short: 'ugpCRThrtUac',
    long: ['--user', '--group', '--prompt', '--host', '--role', '--type', '--close-from'],
    chdir: 'D',
    idle: ['-l', '-v', '-k', '-K', '-V'],
    assignments: true,
  },
  { names: ['doas'], short: 'uC' },
  {
    names: ['su', 'tsu', 'runuser'],
    short: 'csgGwtT',
    long: ['--command', '--shell', '--group'],
    code: ['-c', '--command'],
    operands: 1,
  },
  { names: ['sg'], operands: 1, code: ['-c'], joined: true },
  {
    names: ['run-as', 'chroot'],
    long: ['--userspec', '--groups', '--user'],
    operands: 1,
  },
  { names: ['nsenter', 'unshare', 'proot'], short: 'rbwqkGStRm', long: ['--target', '--rootfs'], doubtful: true },
  {
    names: ['xargs'],
    short: 'IEdLnPsa',
    long: [
      '--delimiter',
      '--replace',
      '--max-lines',
      '--max-args',
      '--max-procs',
      '--max-chars',
      '--arg-file',
      '--process-slot-var',
    ],
  },
  {
    names: ['busybox', 'toybox', 'toolbox', 'coreutils'],
    long: [],
    idle: ['--list', '--help', '--install'],
    transparent: true,
  },
  {
    names: ['flock'],
    short: 'wEc',
    long: ['--timeout', '--wait', '--conflict-exit-code'],
    operands: 1,
    code: ['-c', '--command'],
  },
  { names: ['strace', 'ltrace', 'valgrind', 'perf', 'gdbserver'], short: 'oepsuaEIOPSX', doubtful: true },
  { names: ['watch'], short: 'nq', long: ['--interval'], joined: true },
  { names: ['eval'], joined: true },
  { names: ['script'], short: 'cEoBIOTmt', code: ['-c', '--command'], doubtful: 'in-bin' },
  { names: ['batch'], doubtful: 'in-bin' },
  {
    names: [
      'parallel',
      'rush',
      'entr',
      'watchexec',
      'inotifyd',
      'daemonize',
      'start-stop-daemon',
      'expect',
      'socat',
      'tmux',
      'screen',
      'dtach',
      'proot-distro',
      'at',
      'systemd-run',
      'dbus-run-session',
      'capsh',
      'firejail',
      'bwrap',
      'rlwrap',
      'xvfb-run',
      'proxychains4',
      'nix-shell',
    ],
    doubtful: true,
  },
  { names: ['adb'], after: ['shell'], joined: true },
  { names: ['npx', 'bunx'], short: 'pc', long: ['--package', '--call'], code: ['-c', '--call'] },
  { names: ['npm', 'pnpm', 'yarn', 'bun'], after: ['exec', 'x', 'dlx'], short: 'c', code: ['-c', '--call'] },
  {
    names: ['uv', 'poetry', 'pipenv', 'pdm', 'hatch', 'conda', 'rye'],
    after: ['run'],
    short: 'n',
    long: ['--with', '--python', '--name'],
  },
  { names: ['bundle'], after: ['exec'] },
  { names: ['linker', 'linker64', 'ld.so'] },
]

/** The row for a program's name. */
export function wrapperOf(name: string): Wrapper | undefined {
  const plain = /^ld(?:-linux.*|-musl.*)?\.so/.test(name) ? 'ld.so' : name
  return wrappers.find((wrapper) => wrapper.names.includes(plain))
}
