/** Programs and builtins that run another command, which stands in their arguments. */
import { hidden, when } from './effect.ts'
import { literalWord } from '../script/script.ts'
import { asks, type Call, firstOf, piped, textsOf, valuesOfOption } from './program.ts'
import { readTable } from './table.ts'

// su root -s PROGRAM ARGUMENTS
const asShell = (call: Call) =>
  valuesOfOption(call, 's shell')
    .filter((shell) => !/(?:^|\/)(?:ba|da|k|mk|z)?sh$/.test(shell))
    .map((shell) => literalWord([shell, ...textsOf(call).slice(1)].join(' ')))

// tmux takes several commands, with a ; between them
const furtherCommands = ({ command: { args } }: Call) =>
  args
    .slice(args.findIndex((arg) => arg.endsWith(';')))
    .flatMap((arg, at, all) => (all[0]!.endsWith(';') && arg.includes(' ') && at > 0 ? [literalWord(arg)] : []))

export const wrappers = readTable(
  String.raw`
env! = ordered; runs; assignments; transparent; text: u unset P a argv0; words: S split-string; dir: C chdir
ssh-agent = ordered; runs; text: a E O P t
chpst setuidgid envdir envuidgid softlimit setlock pgrphack su-exec gosu tini dumb-init chronic ifne eatmydata uclampset numactl cross-env run0 = ordered; runs; doubtful
nohup setsid builtin caffeinate unbuffer catchsegv setarch linux32 linux64 i386 x86_64 personality = ordered; runs; transparent
termux-chroot fakeroot fakechroot = ordered; runs; transparent; orShell; text: lib faked
time = ordered; runs; transparent; text: f format; write: o output
command = ordered; runs; idle: v V; transparent
exec = ordered; runs; steering; text: a
nice = ordered; runs; transparent; text: n adjustment
ionice = ordered; runs; transparent; text: c n p P u class classdata pid
timeout = ordered; runs; skip: 1; transparent; text: k s kill-after signal
stdbuf = ordered; runs; transparent; text: i o e input output error
chrt taskset = ordered; runs; skip: 1; transparent; text: T P D p
prlimit = ordered; runs; transparent; text: p pid o output c? C? d? e? f? i? l? m? n? q? r? s? t? u? v? x? y?
choom = ordered; runs; transparent; text: p pid n adjust
cpulimit = ordered; runs; transparent; text: p pid e exe P path l limit
setpriv = ordered; runs; transparent;
  text: reuid regid groups inh-caps ambient-caps bounding-set securebits pdeathsig selinux-label apparmor-profile ptracer landlock-access landlock-rule seccomp-filter ruid euid rgid egid
sudo! tsudo = ordered; does: privilege; runs; assignments; idle: l v k K V; orShell;
  text: u g p C R T h r t U a c user group prompt host role type close-from; dir: D chdir
doas pkexec = ordered; does: privilege; text: u C user; runs; orShell
su tsu runuser = does: privilege; runs; skip: 1; whole: u user; orShell;
  text: s g G w t T u user group supp-group whitelist-environment shell; code: c command session-command
newgrp = orShell; runs; skip: 1; does: privilege
sudoedit visudo = does: privilege
run-as = ordered; does: privilege; runs; skip: 1; orShell
sg = ordered; runs; skip: 1; orShell; joined; code: c
chroot = ordered; runs; skip: 1; orShell; text: userspec groups
nsenter unshare proot firejail nix-shell = ordered; runs; doubtful; orShell; text: r b w q k G S R m target rootfs
proot-distro = runs; after: login sh run; skip: 1; orShell; text: user bind termux-home work-dir env override-alias;
  alters: install remove reset restore rename clear-cache backup
  > * = text: user bind work-dir env override-alias
xargs = ordered; runs; fed; text: I E d L n P s i? e? l? eof? replace? max-lines? delimiter max-args max-procs max-chars process-slot-var; list: a arg-file
busybox! toybox toolbox coreutils = ordered; runs; idle: list help install; read: coreutils-prog-shebang
flock = ordered; runs; skip: 1; text: w E timeout wait conflict-exit-code; code: c command
strace = ordered; runs; others: /^[|!]/; text: a b e p s u E I O P S U X; write: o output
ltrace valgrind perf gdbserver = ordered; runs; doubtful; text: e p s u a E I O P S X; write: o
tmux byobu = text: L S; script: f; code: c; others: /#\(|pipe/; runs; joined;
  after: new new-session new-window neww split-window splitw respawn-pane respawnp respawn-window run run-shell popup display-popup;
  unclear: send-keys send set-hook bind bind-key if if-shell pipe-pane pipep source source-file confirm-before command-prompt set set-option set-environment setenv load-buffer paste-buffer
  > popup display-popup = text: s t T c x y w h e S b d
  > * = text: s t n c x y F e S E p l b
screen = ordered; runs; unclear: X; text: S t h p T e; code: s; script: c
sshpass = ordered; runs; text: p d P; read: f
watch = ordered; runs; joined; text: n q interval
eval = ordered; runs; joined; does: evaluates
script (write maybe) = ordered; runs; doubtful: in-bin;
  code: c command; text: E o m echo output-limit; write: B I O T t log-in log-out log-io log-timing
batch = language: sh; stdin; does: changes
parallel rush expect = ordered; runs; doubtful; orShell
entr watchexec inotifyd daemonize start-stop-daemon socat! dtach systemd-run dbus-run-session capsh bwrap rlwrap xvfb-run proxychains4 = ordered; runs; doubtful
ansible-playbook ansible-pull salt-call salt-run puppet chef-apply chef-solo chef-client cf-agent cdist fab pyinfra cap drgn bpftrace stap dtrace uvicorn gunicorn hypercorn daphne waitress-serve uwsgi puma unicorn rackup celery snakemake nextflow xdotool ydotool rarun2 radare2 r2 rizin dalvikvm incrontab arara texfot dkms equivs-build minicom runscript shellinaboxd ttyd gotty wetty virsh packer vagrant gimp zellij
linker linker64 ld.so = ordered; runs
`,
  {
    su: { codes: asShell },
    tmux: { codes: furtherCommands },
    strace: { codes: (call) => piped(valuesOfOption(call, 'o output')) },
    'ansible-playbook': (call) =>
      when(!asks(call) && !/^(?:list|status|info|version|help|validate)$/.test(firstOf(call)), hidden),
  },
)
