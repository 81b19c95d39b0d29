/** Programs and builtins that run another command, which their arguments contain. */
import { changes, hidden, when } from './effect.ts'
import { literalWord } from '../script/script.ts'
import { wantsHelp, type Call, firstOf, piped, valuesOfOption } from './program.ts'
import { table } from './table.ts'

// tmux takes several commands, separated by ;
const furtherCommands = ({ command: { args } }: Call) =>
  args
    .slice(args.findIndex((arg) => arg.endsWith(';')))
    .flatMap((arg, at, all) => (all[0]!.endsWith(';') && arg.includes(' ') && at > 0 ? [literalWord(arg)] : []))

export const wrappers = table([
  {
    names: 'env!',
    ordered: true,
    runs: true,
    assignments: true,
    transparent: true,
    options: { text: 'u unset P a argv0', words: 'S split-string', dir: 'C chdir' },
  },
  { names: 'ssh-agent', ordered: true, runs: true, options: { text: 'a E O P t' } },
  {
    names: `
      chpst setuidgid envdir envuidgid softlimit setlock pgrphack su-exec gosu tini dumb-init chronic ifne
      eatmydata uclampset numactl cross-env run0
    `,
    ordered: true,
    runs: true,
    doubtful: true,
  },
  {
    names: 'nohup setsid builtin caffeinate unbuffer catchsegv personality',
    ordered: true,
    runs: true,
    transparent: true,
  },
  {
    names: `
      setarch uname26 linux32 linux64 i386 i486 i586 i686 athlon x86_64 aarch64 arm armv7l armv8l riscv32 riscv64
      ppc ppc32 ppc64 ppc64le mips mips32 mips64 s390 s390x
    `,
    ordered: true,
    runs: true,
    transparent: true,
  },
  { names: 'time', ordered: true, runs: true, transparent: true, options: { text: 'f format', write: 'o output' } },
  { names: 'command', ordered: true, runs: true, idle: 'v V', transparent: true },
  { names: 'exec', ordered: true, runs: true, steering: true, options: { text: 'a' } },
  { names: 'nice', ordered: true, runs: true, transparent: true, options: { text: 'n adjustment' } },
  { names: 'ionice', ordered: true, runs: true, transparent: true, options: { text: 'c n p P u class classdata pid' } },
  {
    names: 'timeout',
    ordered: true,
    runs: true,
    skip: 1,
    transparent: true,
    options: { text: 'k s kill-after signal' },
  },
  { names: 'stdbuf', ordered: true, runs: true, transparent: true, options: { text: 'i o e input output error' } },
  {
    names: 'chrt taskset',
    ordered: true,
    runs: true,
    skip: 1,
    transparent: true,
    options: { text: 'T P D p sched-runtime sched-period sched-deadline' },
  },
  {
    names: 'prlimit',
    ordered: true,
    runs: true,
    transparent: true,
    options: { text: 'p pid o output c? C? d? e? f? i? l? m? n? q? r? s? t? u? v? x? y?' },
  },
  { names: 'choom', ordered: true, runs: true, transparent: true, options: { text: 'p pid n adjust' } },
  { names: 'cpulimit', ordered: true, runs: true, transparent: true, options: { text: 'p pid e exe P path l limit' } },
  {
    names: 'setpriv',
    ordered: true,
    runs: true,
    transparent: true,
    options: {
      text: `
        reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label
        apparmor-profile ptracer landlock-access landlock-rule seccomp-filter ruid euid rgid egid
      `,
    },
  },
  {
    names: 'xargs',
    ordered: true,
    runs: true,
    addsInput: true,
    options: {
      text: `
        I E d L n P s i? e? l? eof? replace? max-lines? delimiter max-args max-procs max-chars process-slot-var
      `,
      list: 'a arg-file',
    },
  },
  {
    names: 'busybox! toybox toolbox coreutils',
    ordered: true,
    runs: true,
    idle: 'list help install',
    options: { read: 'coreutils-prog-shebang' },
  },
  {
    names: 'flock',
    ordered: true,
    runs: true,
    skip: 1,
    options: { text: 'w E timeout wait conflict-exit-code', code: 'c command' },
  },
  {
    names: 'strace',
    ordered: true,
    runs: true,
    startsOthers: /^[|!]/,
    options: {
      text: `
        a b e p s u E I O P S U X attach user detach-on interruptible trace signal status trace-path columns abbrev
        verbose raw read write kvm fault inject string-limit const-print-style decode-pids summary-syscall-overhead
        summary-sort-by summary-columns env argv0 syscall-limit stack-trace-frame-limit
      `,
      write: 'o output',
    },
    codes: (call) => piped(valuesOfOption(call, 'o output')),
  },
  {
    names: 'ltrace valgrind perf gdbserver',
    ordered: true,
    runs: true,
    doubtful: true,
    options: { text: 'e p s u a E I O P S X', write: 'o' },
  },
  {
    names: 'tmux byobu',
    startsOthers: /#\(|pipe/,
    runs: true,
    joined: true,
    after: `
      new new-session new-window neww split-window splitw respawn-pane respawnp respawn-window run run-shell
      popup display-popup
    `,
    unclear: `
      send-keys send set-hook bind bind-key if if-shell pipe-pane pipep source source-file confirm-before
      command-prompt set set-option set-environment setenv load-buffer paste-buffer
    `,
    options: { text: 'L S T', script: 'f', code: 'c' },
    verbs: { 'popup display-popup': { text: 's t T c x y w h e S b d' }, '*': { text: 'f s t n c x y F e S E p l b' } },
    codes: furtherCommands,
  },
  {
    names: 'screen',
    ordered: true,
    runs: true,
    unclear: 'X',
    options: { text: 'S t h p T e', code: 's', script: 'c' },
  },
  { names: 'sshpass', ordered: true, runs: true, options: { text: 'p d P', read: 'f' } },
  { names: 'watch', ordered: true, runs: true, joined: true, options: { text: 'n q s interval equexit shotsdir' } },
  { names: 'eval', ordered: true, runs: true, joined: true, does: [{ does: 'evaluates' }] },
  {
    names: 'script',
    operands: 'write maybe',
    runs: true,
    doubtful: 'in-bin',
    options: {
      code: 'c command',
      text: 'E o m echo output-limit',
      write: 'B I O T t log-in log-out log-io log-timing',
    },
  },
  { names: 'batch', language: 'sh', stdin: true, does: [changes] },
  { names: 'parallel rush expect', ordered: true, runs: true, doubtful: true, orShell: true },
  {
    names: `
      entr watchexec inotifyd daemonize start-stop-daemon socat! dtach systemd-run dbus-run-session capsh bwrap
      rlwrap xvfb-run proxychains4
    `,
    ordered: true,
    runs: true,
    doubtful: true,
  },
  {
    names: `
      ansible-playbook ansible-pull salt-call salt-run puppet chef-apply chef-solo chef-client cf-agent cdist
      fab pyinfra cap drgn bpftrace stap dtrace uvicorn gunicorn hypercorn daphne waitress-serve uwsgi puma
      unicorn rackup celery snakemake nextflow xdotool ydotool rarun2 radare2 r2 rizin dalvikvm incrontab arara
      texfot dkms equivs-build minicom runscript shellinaboxd ttyd gotty wetty virsh packer vagrant gimp zellij
    `,
    effects: (call) =>
      when(!wantsHelp(call) && !/^(?:list|status|info|version|help|validate)$/.test(firstOf(call)), hidden),
  },
  {
    names: 'linker linker64 ld.so',
    ordered: true,
    runs: true,
    startsOthers: /^--(?:library-path|audit|preload)/,
    options: {
      text: 'glibc-hwcaps-prepend glibc-hwcaps-mask inhibit-rpath argv0',
      read: 'library-path audit preload',
    },
  },
])
