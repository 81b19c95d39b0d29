/** Programs and builtins that run another command, which stands in their arguments. */
import { asks, operandTexts, type Program } from './program.ts'

const transparent = { ordered: true, runs: { transparent: true } } as const

export const wrappers: readonly Program[] = [
  {
    names: 'env',
    ordered: true,
    options: { text: 'u unset P a argv0', code: 'S split-string', dir: 'C chdir' },
    runs: { assignments: true, transparent: true },
  },
  { ...transparent, names: 'nohup setsid builtin caffeinate unbuffer catchsegv', options: { text: 'lib faked' } },
  {
    names: 'termux-chroot fakeroot fakechroot',
    ordered: true,
    options: { text: 'lib faked' },
    runs: { transparent: true, shell: true },
  },
  { ...transparent, names: 'time', options: { text: 'f format', write: 'o output' } },
  { names: 'command', ordered: true, runs: { idle: 'v V', transparent: true } },
  { names: 'exec', ordered: true, runs: {}, steering: true, options: { text: 'a' } },
  { ...transparent, names: 'nice', options: { text: 'n adjustment' } },
  { ...transparent, names: 'ionice', options: { text: 'c n p P u class classdata pid' } },
  { names: 'timeout', ordered: true, options: { text: 'k s kill-after signal' }, runs: { skip: 1, transparent: true } },
  { ...transparent, names: 'stdbuf', options: { text: 'i o e input output error' } },
  { names: 'chrt taskset', ordered: true, options: { text: 'T P D p' }, runs: { skip: 1, transparent: true } },
  { ...transparent, names: 'prlimit choom setpriv cpulimit', options: { text: 'p n l' } },
  { ...transparent, names: 'setarch linux32 linux64 i386 x86_64 personality' },
  {
    names: 'sudo tsudo',
    ordered: true,
    options: { text: 'u g p C R T h r t U a c user group prompt host role type close-from', dir: 'D chdir' },
    runs: { assignments: true, idle: 'l v k K V', shell: true },
    effects: () => [{ does: 'privilege' }],
  },
  {
    names: 'doas pkexec',
    ordered: true,
    options: { text: 'u C user' },
    runs: { shell: true },
    effects: () => [{ does: 'privilege' }],
  },
  {
    names: 'su tsu runuser',
    ordered: true,
    options: { text: 's g G w t T shell group', code: 'c command' },
    runs: { skip: 1, shell: true },
    effects: () => [{ does: 'privilege' }],
  },
  { names: 'sudoedit visudo', effects: () => [{ does: 'privilege' }] },
  { names: 'sg', ordered: true, options: { code: 'c' }, runs: { skip: 1, joined: true } },
  { names: 'run-as', ordered: true, runs: { skip: 1, shell: true }, effects: () => [{ does: 'privilege' }] },
  { names: 'chroot', ordered: true, options: { text: 'userspec groups' }, runs: { skip: 1, shell: true } },
  {
    names: 'nsenter unshare proot',
    ordered: true,
    options: { text: 'r b w q k G S R m target rootfs' },
    runs: { doubtful: true },
  },
  {
    names: 'xargs',
    ordered: true,
    options: {
      text: 'I E d L n P s delimiter max-lines max-args max-procs max-chars process-slot-var',
      list: 'a arg-file',
    },
    runs: { fed: true },
  },
  {
    names: 'busybox toybox toolbox coreutils',
    ordered: true,
    options: { read: 'coreutils-prog-shebang' },
    runs: { idle: 'list help install' },
  },
  {
    names: 'flock',
    ordered: true,
    options: { text: 'w E timeout wait conflict-exit-code', code: 'c command' },
    runs: { skip: 1 },
  },
  {
    names: 'strace',
    ordered: true,
    options: { text: 'a b e p s u E I O P S U X', write: 'o output' },
    runs: {},
    others: /^[|!]/,
  },
  {
    names: 'ltrace valgrind perf gdbserver',
    ordered: true,
    options: { text: 'e p s u a E I O P S X', write: 'o' },
    runs: { doubtful: true },
  },
  {
    names: 'tmux byobu',
    options: { text: 'L S', script: 'f', code: 'c' },
    verbs: {
      'popup display-popup': { text: 's t T c x y w h e S b d' },
      '*': { text: 's t n c x y F e S E p l b' },
    },
    others: /#\(|pipe/,
    runs: {
      after:
        'new new-session new-window neww split-window splitw respawn-pane respawnp respawn-window run run-shell popup display-popup',
      joined: true,
      unclear:
        'send-keys send set-hook bind bind-key if if-shell pipe-pane pipep source source-file confirm-before command-prompt set set-option set-environment setenv load-buffer paste-buffer',
    },
  },
  { names: 'screen', ordered: true, options: { text: 'S t h p T e', code: 's', script: 'c' }, runs: { unclear: 'X' } },
  { names: 'sshpass', ordered: true, options: { text: 'p d P', read: 'f' }, runs: {} },
  { names: 'watch', ordered: true, options: { text: 'n q interval' }, runs: { joined: true } },
  { names: 'eval', ordered: true, runs: { joined: true }, effects: () => [{ does: 'evaluates' }] },
  {
    names: 'script',
    ordered: true,
    operands: 'write maybe',
    options: {
      code: 'c command',
      text: 'E o m echo output-limit',
      write: 'B I O T t log-in log-out log-io log-timing',
    },
    runs: { doubtful: 'in-bin' },
  },
  { names: 'batch', code: { language: 'sh', stdin: true }, effects: () => [{ does: 'changes' }] },
  {
    names:
      'parallel rush entr watchexec inotifyd daemonize start-stop-daemon expect socat dtach proot-distro at systemd-run dbus-run-session capsh firejail bwrap rlwrap xvfb-run proxychains4 nix-shell',
    ordered: true,
    runs: { doubtful: true },
  },
  {
    names: 'rish',
    ordered: true,
    options: { code: 'c' },
    runs: { joined: true, shell: true },
    effects: () => [{ does: 'privilege' }],
  },
  // what they are given is theirs to run
  {
    names:
      'ansible-playbook ansible-pull salt-call salt-run puppet chef-apply chef-solo chef-client cf-agent cdist fab pyinfra cap drgn bpftrace stap dtrace uvicorn gunicorn hypercorn daphne waitress-serve uwsgi puma unicorn rackup celery snakemake nextflow xdotool ydotool rarun2 radare2 r2 rizin app_process dalvikvm incrontab arara texfot dkms equivs-build minicom runscript shellinaboxd ttyd gotty wetty virsh packer vagrant gimp zellij',
    effects: (call) =>
      asks(call) || /^(?:list|status|info|version|help|validate)$/.test(operandTexts(call)[0] ?? '')
        ? []
        : [{ does: 'runs', what: 'hidden' }],
  },
  { names: 'linker linker64 ld.so', ordered: true, runs: {} },
]
