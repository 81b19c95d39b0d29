/** Programs and builtins that run another command, which stands in their arguments. */
import { changes, hidden, privilege, when } from './effect.ts'
import { asks, firstOf, type Program } from './program.ts'

const wraps = { ordered: true, runs: {} } as const
const transparent = { ordered: true, runs: { transparent: true } } as const
const doubtful = { ordered: true, runs: { doubtful: true } } as const
const root = { ordered: true, effects: [privilege] } as const

export const wrappers: readonly Program[] = [
  {
    names: 'env',
    ordered: true,
    options: 'text: u unset P a argv0; code: S split-string; dir: C chdir',
    runs: { assignments: true, transparent: true },
  },
  { ...transparent, names: 'nohup setsid builtin caffeinate unbuffer catchsegv' },
  {
    ...wraps,
    names: 'termux-chroot fakeroot fakechroot',
    options: 'text: lib faked',
    runs: { transparent: true, shell: true },
  },
  { ...transparent, names: 'time', options: 'text: f format; write: o output' },
  { ...wraps, names: 'command', runs: { idle: 'v V', transparent: true } },
  { ...wraps, names: 'exec', steering: true, options: 'text: a' },
  { ...transparent, names: 'nice', options: 'text: n adjustment' },
  { ...transparent, names: 'ionice', options: 'text: c n p P u class classdata pid' },
  { ...wraps, names: 'timeout', options: 'text: k s kill-after signal', runs: { skip: 1, transparent: true } },
  { ...transparent, names: 'stdbuf', options: 'text: i o e input output error' },
  { ...wraps, names: 'chrt taskset', options: 'text: T P D p', runs: { skip: 1, transparent: true } },
  { ...transparent, names: 'prlimit choom setpriv cpulimit', options: 'text: p n l' },
  { ...transparent, names: 'setarch linux32 linux64 i386 x86_64 personality' },
  {
    ...root,
    names: 'sudo tsudo',
    options: 'text: u g p C R T h r t U a c user group prompt host role type close-from; dir: D chdir',
    runs: { assignments: true, idle: 'l v k K V', shell: true },
  },
  { ...root, names: 'doas pkexec', options: 'text: u C user', runs: { shell: true } },
  {
    ...root,
    names: 'su tsu runuser',
    options: 'text: s g G w t T shell group; code: c command',
    runs: { skip: 1, shell: true },
  },
  { names: 'sudoedit visudo', effects: [privilege] },
  { ...root, names: 'run-as', runs: { skip: 1, shell: true } },
  { ...root, names: 'rish', options: 'code: c', runs: { joined: true, shell: true } },
  { ...wraps, names: 'sg', options: 'code: c', runs: { skip: 1, joined: true } },
  { ...wraps, names: 'chroot', options: 'text: userspec groups', runs: { skip: 1, shell: true } },
  { ...doubtful, names: 'nsenter unshare proot', options: 'text: r b w q k G S R m target rootfs' },
  {
    ...wraps,
    names: 'xargs',
    options: 'text: I E d L n P s delimiter max-lines max-args max-procs max-chars process-slot-var; list: a arg-file',
    runs: { fed: true },
  },
  {
    ...wraps,
    names: 'busybox toybox toolbox coreutils',
    options: 'read: coreutils-prog-shebang',
    runs: { idle: 'list help install' },
  },
  {
    ...wraps,
    names: 'flock',
    options: 'text: w E timeout wait conflict-exit-code; code: c command',
    runs: { skip: 1 },
  },
  { ...wraps, names: 'strace', options: 'text: a b e p s u E I O P S U X; write: o output', others: /^[|!]/ },
  { ...doubtful, names: 'ltrace valgrind perf gdbserver', options: 'text: e p s u a E I O P S X; write: o' },
  {
    names: 'tmux byobu',
    options: 'text: L S; script: f; code: c',
    verbs: { 'popup display-popup': 'text: s t T c x y w h e S b d', '*': 'text: s t n c x y F e S E p l b' },
    others: /#\(|pipe/,
    runs: {
      after:
        'new new-session new-window neww split-window splitw respawn-pane respawnp respawn-window run run-shell popup display-popup',
      joined: true,
      unclear:
        'send-keys send set-hook bind bind-key if if-shell pipe-pane pipep source source-file confirm-before command-prompt set set-option set-environment setenv load-buffer paste-buffer',
    },
  },
  { ...wraps, names: 'screen', options: 'text: S t h p T e; code: s; script: c', runs: { unclear: 'X' } },
  { ...wraps, names: 'sshpass', options: 'text: p d P; read: f' },
  { ...wraps, names: 'watch', options: 'text: n q interval', runs: { joined: true } },
  { ...wraps, names: 'eval', runs: { joined: true }, effects: [{ does: 'evaluates' }] },
  {
    ...wraps,
    names: 'script',
    operands: 'write maybe',
    options: 'code: c command; text: E o m echo output-limit; write: B I O T t log-in log-out log-io log-timing',
    runs: { doubtful: 'in-bin' },
  },
  { names: 'batch', code: { language: 'sh', stdin: true }, effects: [changes] },
  {
    ...doubtful,
    names:
      'parallel rush entr watchexec inotifyd daemonize start-stop-daemon expect socat dtach proot-distro systemd-run dbus-run-session capsh firejail bwrap rlwrap xvfb-run proxychains4 nix-shell',
  },
  // what they are given is theirs to run
  {
    names:
      'ansible-playbook ansible-pull salt-call salt-run puppet chef-apply chef-solo chef-client cf-agent cdist fab pyinfra cap drgn bpftrace stap dtrace uvicorn gunicorn hypercorn daphne waitress-serve uwsgi puma unicorn rackup celery snakemake nextflow xdotool ydotool rarun2 radare2 r2 rizin app_process dalvikvm incrontab arara texfot dkms equivs-build minicom runscript shellinaboxd ttyd gotty wetty virsh packer vagrant gimp zellij',
    effects: (call) => when(!asks(call) && !/^(?:list|status|info|version|help|validate)$/.test(firstOf(call)), hidden),
  },
  { ...wraps, names: 'linker linker64 ld.so' },
]
