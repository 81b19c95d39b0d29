/** Programs and builtins that run another command, which stands in their arguments: one row each, and how to find it. */
import type { Word } from './script.ts'
import { literalWord } from './words.ts'

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
  /** with a command that is not known from here (its own input, a remote list) */
  doubtful?: boolean
}

export const wrappers: readonly Wrapper[] = [
  {
    names: ['env'],
    short: 'uCSP',
    long: ['--unset', '--chdir', '--split-string'],
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
    short: 'ugpCDRThrtUac',
    long: ['--user', '--group', '--prompt', '--chdir', '--host', '--role', '--type', '--close-from'],
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
  { names: ['script'], short: 'cEoBIOTmt', code: ['-c', '--command'], doubtful: true },
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
      'batch',
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

export interface Peeled {
  /** the words of the command that it runs; empty: none */
  words: readonly Word[]
  /** shell code that it runs, as words to be joined with spaces */
  code: readonly Word[] | null
  /** $0, $1 … of that code */
  positional: readonly Word[]
  wrapper: Wrapper
  /** why what it runs cannot be known */
  doubt: string | null
}

/** The row for a program's name. */
export function wrapperOf(name: string): Wrapper | undefined {
  const plain = /^ld(?:-linux.*|-musl.*)?\.so/.test(name) ? 'ld.so' : name
  return wrappers.find((wrapper) => wrapper.names.includes(plain))
}

/** Finds what a wrapper runs. `words[0]` is the wrapper's own name. */
export function peel(words: readonly Word[], wrapper: Wrapper): Peeled {
  const peeled: Peeled = {
    words: [],
    code: null,
    positional: [],
    wrapper,
    doubt: wrapper.doubtful ? 'it starts other programs in its own way' : null,
  }
  let at = 1
  if (wrapper.after) {
    at = words.findIndex((word) => wrapper.after!.includes(word.literal ?? ''))
    if (at < 1 || words.slice(1, at).some((word) => !word.literal?.startsWith('-') && !/^\d/.test(word.literal ?? '')))
      return { ...peeled, doubt: null }
    at += 1
  }
  while (at < words.length) {
    const text = words[at]!.literal
    if (text === null) {
      if (words[at]!.splits || words[at]!.fields === null)
        peeled.doubt = `it cannot be known where the command of ${wrapper.names[0]} begins`
      break
    }
    if (text === '--') {
      at += 1
      break
    }
    if (!/^-./.test(text)) break
    if (wrapper.idle?.includes(text)) return { ...peeled, doubt: null }
    const option = readOption(words, at, text, wrapper)
    if (option.code) return { ...peeled, code: [option.code], positional: words.slice(option.next) }
    at = option.next
  }
  return { ...peeled, ...rest(words, at, wrapper) }
}

function rest(
  words: readonly Word[],
  start: number,
  wrapper: Wrapper,
): Pick<Peeled, 'words' | 'code'> & { doubt?: string } {
  let at = start
  while (wrapper.assignments && /^[A-Za-z_]\w*=/.test(words[at]?.source ?? '')) at += 1
  at += wrapper.operands ?? 0
  const late =
    wrapper.code && words.findIndex((word, index) => index >= start && wrapper.code!.includes(word.literal ?? ''))
  if (late !== undefined && late >= 0 && wrapper.operands) return { words: [], code: words.slice(late + 1, late + 2) }
  const skipped = words.slice(start, at)
  if (wrapper.operands && skipped.some((word) => word.splits))
    return { words: words.slice(at), code: null, doubt: 'an argument that can be several' }
  return wrapper.joined ? { words: [], code: words.slice(at) } : { words: words.slice(at), code: null }
}

function readOption(
  words: readonly Word[],
  at: number,
  text: string,
  wrapper: Wrapper,
): { next: number; code: Word | null } {
  if (text.startsWith('--')) {
    const [name, value] = [text.replace(/=.*/s, ''), /=(.*)/s.exec(text)?.[1]]
    const isCode = wrapper.code?.some((option) => option.startsWith('--') && option.startsWith(name))
    if (isCode)
      return {
        next: at + (value === undefined ? 2 : 1),
        code: value === undefined ? (words[at + 1] ?? literalWord('')) : literalWord(value),
      }
    const takes = value === undefined && wrapper.long?.some((option) => option.startsWith(name))
    return { next: at + (takes ? 2 : 1), code: null }
  }
  for (let index = 1; index < text.length; index += 1) {
    const letter = text[index]!
    const glued = text.slice(index + 1)
    if (wrapper.code?.includes(`-${letter}`))
      return { next: at + (glued ? 1 : 2), code: glued ? literalWord(glued) : (words[at + 1] ?? literalWord('')) }
    if (wrapper.short?.includes(letter)) return { next: at + (glued ? 1 : 2), code: null }
  }
  return { next: at + 1, code: null }
}

/** What `find` runs: one command for each of its -exec, -execdir, -ok and -okdir. */
export function peelFind(words: readonly Word[]): (readonly Word[])[] {
  const found: (readonly Word[])[] = []
  words.forEach((word, at) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word.literal ?? '')) return
    const end = words.findIndex(
      (other, index) =>
        index > at && (other.literal === ';' || (other.literal === '+' && words[index - 1]!.literal === '{}')),
    )
    found.push(words.slice(at + 1, end < 0 ? undefined : end))
  })
  return found
}
