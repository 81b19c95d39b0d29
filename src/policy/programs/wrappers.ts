/** Programs and builtins that run another command, which stands in their arguments. */
import { changes, hidden, privilege, when } from './effect.ts'
import { asks, firstOf, type Rows } from './program.ts'

const wraps = { ordered: true, runs: {} } as const
const transparent = { ordered: true, runs: { transparent: true } } as const
const doubtful = { ordered: true, runs: { doubtful: true } } as const
const root = { ordered: true, effects: [privilege] } as const

export const wrappers: Rows = {
  'env!': {
    ordered: true,
    options: 'text: u unset P a argv0; code: S split-string; dir: C chdir',
    runs: { assignments: true, transparent: true },
  },
  'nohup setsid builtin caffeinate unbuffer catchsegv': transparent,
  'termux-chroot fakeroot fakechroot': {
    ...wraps,
    options: 'text: lib faked',
    runs: { transparent: true, shell: true },
  },
  time: { ...transparent, options: 'text: f format; write: o output' },
  command: { ...wraps, runs: { idle: 'v V', transparent: true } },
  exec: { ...wraps, steering: true, options: 'text: a' },
  nice: { ...transparent, options: 'text: n adjustment' },
  ionice: { ...transparent, options: 'text: c n p P u class classdata pid' },
  timeout: { ...wraps, options: 'text: k s kill-after signal', runs: { skip: 1, transparent: true } },
  stdbuf: { ...transparent, options: 'text: i o e input output error' },
  'chrt taskset': { ...wraps, options: 'text: T P D p', runs: { skip: 1, transparent: true } },
  'prlimit choom setpriv cpulimit': { ...transparent, options: 'text: p n l' },
  'setarch linux32 linux64 i386 x86_64 personality': transparent,
  'sudo! tsudo': {
    ...root,
    options: 'text: u g p C R T h r t U a c user group prompt host role type close-from; dir: D chdir',
    runs: { assignments: true, idle: 'l v k K V', shell: true },
  },
  'doas pkexec': { ...root, options: 'text: u C user', runs: { shell: true } },
  'su tsu runuser': {
    ...root,
    options: 'text: s g G w t T shell group; code: c command',
    runs: { skip: 1, shell: true },
  },
  'sudoedit visudo': { effects: [privilege] },
  'run-as': { ...root, runs: { skip: 1, shell: true } },
  rish: { ...root, options: 'code: c', runs: { joined: true, shell: true } },
  sg: { ...wraps, options: 'code: c', runs: { skip: 1, joined: true } },
  chroot: { ...wraps, options: 'text: userspec groups', runs: { skip: 1, shell: true } },
  'nsenter unshare proot': { ...doubtful, options: 'text: r b w q k G S R m target rootfs' },
  'proot-distro': {
    options: 'text: user bind termux-home work-dir env override-alias',
    verbs: { '*': 'text: user bind work-dir env override-alias' },
    alters: 'install remove reset restore rename clear-cache backup',
    runs: { after: 'login sh run', skip: 1, shell: true },
  },
  xargs: {
    ...wraps,
    options: 'text: I E d L n P s delimiter max-lines max-args max-procs max-chars process-slot-var; list: a arg-file',
    runs: { fed: true },
  },
  'busybox! toybox toolbox coreutils': {
    ...wraps,
    options: 'read: coreutils-prog-shebang',
    runs: { idle: 'list help install' },
  },
  flock: { ...wraps, options: 'text: w E timeout wait conflict-exit-code; code: c command', runs: { skip: 1 } },
  strace: { ...wraps, options: 'text: a b e p s u E I O P S U X; write: o output', others: /^[|!]/ },
  'ltrace valgrind perf gdbserver': { ...doubtful, options: 'text: e p s u a E I O P S X; write: o' },
  'tmux byobu': {
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
  screen: { ...wraps, options: 'text: S t h p T e; code: s; script: c', runs: { unclear: 'X' } },
  sshpass: { ...wraps, options: 'text: p d P; read: f' },
  watch: { ...wraps, options: 'text: n q interval', runs: { joined: true } },
  eval: { ...wraps, runs: { joined: true }, effects: [{ does: 'evaluates' }] },
  script: {
    ...wraps,
    operands: 'write maybe',
    options: 'code: c command; text: E o m echo output-limit; write: B I O T t log-in log-out log-io log-timing',
    runs: { doubtful: 'in-bin' },
  },
  batch: { code: { language: 'sh', stdin: true }, effects: [changes] },
  'parallel rush entr watchexec inotifyd daemonize start-stop-daemon expect socat! dtach systemd-run dbus-run-session capsh firejail bwrap rlwrap xvfb-run proxychains4 nix-shell':
    doubtful,
  // what they are given is theirs to run
  'ansible-playbook ansible-pull salt-call salt-run puppet chef-apply chef-solo chef-client cf-agent cdist fab pyinfra cap drgn bpftrace stap dtrace uvicorn gunicorn hypercorn daphne waitress-serve uwsgi puma unicorn rackup celery snakemake nextflow xdotool ydotool rarun2 radare2 r2 rizin app_process dalvikvm incrontab arara texfot dkms equivs-build minicom runscript shellinaboxd ttyd gotty wetty virsh packer vagrant gimp zellij':
    {
      effects: (call) =>
        when(!asks(call) && !/^(?:list|status|info|version|help|validate)$/.test(firstOf(call)), hidden),
    },
  'linker linker64 ld.so': wraps,
}
