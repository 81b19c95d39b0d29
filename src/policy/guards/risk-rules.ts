/** Which commands are of medium or high risk. Everything else is low. */
import { hasOption, operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { isShell } from '../shells.ts'
import { deviceRules } from './catastrophic-device.ts'
import { filesRules } from './catastrophic-files.ts'
import { wipeRules } from './catastrophic-wipe.ts'
import type { Rule } from './rule.ts'
import { runsOthers } from './runs-others.ts'

const high = { guard: 'risk', verdict: 'setting', risk: 'high' } as const
const medium = { guard: 'risk', verdict: 'setting', risk: 'medium' } as const
const set = (names: string) => new Set(names.split(' '))

const destructive = set(
  'rm dd shutdown reboot halt poweroff sudo su tsu doas chmod chown chgrp chattr setfacl useradd userdel usermod groupadd groupdel passwd mount umount iptables ip6tables nft ufw firewall-cmd nc ncat netcat scp sftp ssh ftp telnet socat kill pkill killall shred fdisk sfdisk parted wipefs mkswap crontab setprop setenforce unlink truncate srm trash insmod rmmod modprobe sysctl swapon swapoff systemctl service del',
)
const network = set('curl wget aria2c http rsync')
const writers = set(
  'touch mkdir mv cp ln install tee rmdir mktemp mkfifo mknod patch split csplit unzip tar gunzip gzip bzip2 bunzip2 xz unxz zip 7z cpio rename git-lfs sponge ed ex vi vim nvim nano emacs apt apt-get pkg pip pip3 pipx gem brew dnf yum pacman apk dpkg pm am settings content cmd svc input sv sv-enable sv-disable termux-sms-send termux-telephony-call termux-camera-photo termux-microphone-record termux-media-player termux-share termux-download termux-setup-storage docker podman kubectl adb at batch nohup setsid npx',
)
const readVerbs: Record<string, RegExp> = {
  apt: /^(?:list|search|show|policy|depends)$/,
  'apt-get': /^(?:--version|check)$/,
  pkg: /^(?:list-all|list-installed|search|show|files)$/,
  pip: /^(?:list|show|freeze|check|search|--version|config|index|debug|help)$/,
  pip3: /^(?:list|show|freeze|check|search|--version|config|index|debug|help)$/,
  brew: /^(?:list|info|search|--version)$/,
  gem: /^(?:list|search|info)$/,
  dpkg: /^(?:-l|-L|-s|-S|--list|--listfiles|--status|--search)$/,
  pm: /^(?:list|path|dump|get-.*)$/,
  am: /^(?:get-.*|stack|help)$/,
  settings: /^(?:get|list)$/,
  content: /^(?:query|read|gettype)$/,
  docker: /^(?:ps|images|logs|inspect|version|info|stats|top|diff|history|port|search)$/,
  podman: /^(?:ps|images|logs|inspect|version|info|stats|top)$/,
  kubectl: /^(?:get|describe|logs|explain|version|top|config)$/,
  adb: /^(?:devices|logcat|version|get-state)$/,
  sv: /^(?:status|check)$/,
  unzip: /^-[lvtp]/,
  tar: /^-?-?(?:t|list)/,
  cmd: /^(?:-l)$/,
  svc: /^help$/,
}
const gitWrites = set(
  'add commit push reset clean rebase merge cherry-pick revert checkout switch pull am apply mv restore rm init clone fetch gc prune filter-branch worktree submodule config notes update-ref update-index read-tree replace bisect format-patch archive sparse-checkout',
)
const packageWrites = set(
  'install i add remove uninstall rm un update up upgrade publish ci link unlink dedupe prune rebuild init create exec x dlx version set config login logout audit-fix',
)

function isDestructive(command: SimpleCommand, scene: Scene): boolean {
  if (command.name === 'kill' && hasOption(command, 'l0', '--list')) return false
  if (destructive.has(command.name) || /^mkfs/.test(command.name))
    return !command.args.every((arg) => arg === '--version' || arg === '--help') || command.args.length === 0
  if (command.name === 'find') return command.args.includes('-delete')
  if (command.name === 'git') return gitDestroys(command)
  return [...wipeRules, ...filesRules, ...deviceRules].some(
    (rule) => rule.verdict === 'deny' && rule.command?.(command, scene),
  )
}

function gitVerb(command: SimpleCommand): { verb: string; rest: string[] } {
  let at = 0
  while (command.args[at]?.startsWith('-'))
    at += /^(?:-C|-c|--git-dir|--work-tree|--namespace|--config-env)$/.test(command.args[at]!) ? 2 : 1
  return { verb: command.args[at] ?? '', rest: command.args.slice(at + 1) }
}

function gitDestroys(command: SimpleCommand): boolean {
  const { verb, rest } = gitVerb(command)
  if (verb === 'push')
    return rest.some((arg) => /^(?:-f|--force.*|--delete|-d|--mirror|--prune)$/.test(arg) || /^[+:]/.test(arg))
  return (
    verb === 'filter-branch' ||
    (verb === 'clean' && hasOption(command, 'f', '--force')) ||
    (verb === 'reset' && rest.includes('--hard'))
  )
}

function isWriting(command: SimpleCommand): boolean {
  const { name, args } = command
  if (readVerbs[name])
    return (
      writers.has(name) &&
      !readVerbs[name]!.test(args.find((arg) => !arg.startsWith('-')) ?? args[0] ?? '') &&
      !readVerbs[name]!.test(args[0] ?? '')
    )
  if (writers.has(name)) return true
  if (name === 'git') return gitWritesSomething(command)
  if (/^(?:npm|pnpm|yarn|bun)$/.test(name))
    return (
      packageWrites.has(args.find((arg) => !arg.startsWith('-')) ?? '') ||
      (name === 'yarn' && args.every((arg) => arg.startsWith('-')))
    )
  if (name === 'cargo')
    return /^(?:add|remove|install|uninstall|clean|publish|update|new|init|fix|yank)$/.test(
      args.find((arg) => !/^[-+]/.test(arg)) ?? '',
    )
  if (name === 'go') return /^(?:get|install|clean|mod|work)$/.test(args[0] ?? '')
  if (/^(?:uv|poetry|pipenv|pdm|conda|bundle|composer|helm|terraform|gh)$/.test(name))
    return args.some((arg) =>
      /^(?:add|install|remove|update|sync|publish|lock|apply|destroy|create|delete|merge|close|edit|release|upload)$/.test(
        arg,
      ),
    )
  if (/^g?sed$/.test(name))
    return hasOption(command, 'i', '--in-place') || /(?:^|[;{}\s\d/$])[wW]\s*\S/.test(command.code?.text ?? '')
  if (/^(?:sort|uniq|tree)$/.test(name)) return hasOption(command, 'o', '--output') && name !== 'uniq'
  if (name === 'find') return args.some((arg) => /^-f(?:print|ls)/.test(arg))
  return (
    /awk$/.test(name) && /\bprintf?\b[^;{}\n]*>/.test((command.code?.text ?? '').replace(/"(?:[^"\\]|\\.)*"/g, '""'))
  )
}

function gitWritesSomething(command: SimpleCommand): boolean {
  const { verb, rest } = gitVerb(command)
  if (verb === 'stash') return !/^(?:list|show)$/.test(rest[0] ?? '')
  if (verb === 'branch' || verb === 'tag')
    return (
      rest.some(
        (arg) => /^-[dDmMcCfau]|^--(?:delete|move|copy|force|set-upstream|unset|edit)/.test(arg) && !/^-a+$/.test(arg),
      ) ||
      (rest.some((arg) => !arg.startsWith('-')) &&
        !rest.some((arg) =>
          /^(?:-l|--list|--contains|--merged|--no-merged|--points-at|--sort.*|--format.*)$/.test(arg),
        ))
    )
  if (verb === 'remote') return /^(?:add|remove|rm|rename|set-.*|prune|update)$/.test(rest[0] ?? '')
  if (verb === 'config') return !rest.some((arg) => /^(?:--get.*|-l|--list|get|list)$/.test(arg))
  return gitWrites.has(verb) || (command.unknownArgs && verb === '')
}

const redirectsToFile = (command: SimpleCommand) =>
  command.redirections.some(
    (one) =>
      /^(?:>|>>|>\||<>|&>)$/.test(one.operator) &&
      !/^\/dev\/(?:null|stdout|stderr|tty|fd\/\d)$/.test(one.target?.literal ?? ''),
  )

export const riskRules: readonly Rule[] = [
  {
    ...high,
    name: 'destructive',
    reason: 'High risk: it deletes, changes the system or reaches other machines.',
    match: [
      'rm -rf build',
      'dd if=a of=b',
      'mkfs.ext4 x',
      'iptables -F',
      'kill 5',
      'sudo ls',
      'find . -delete',
      'env rm x',
      "sh -c 'rm x'",
      'git push --force',
      'git reset --hard',
      'git -C . push -f',
      'xargs rm',
      'reboot',
      'rm\t-rf\t/',
      '"rm" -rf /',
      'command rm x',
    ],
    notMatch: ['ls', 'echo rm', 'git status', 'kill -l', 'grep -r rm .', 'git rm x', "echo 'a; rm b'"],
    command: isDestructive,
  },
  {
    ...medium,
    name: 'file-write',
    reason: 'Medium risk: it changes files, packages or state.',
    match: [
      'touch test.txt',
      'mkdir x',
      'git add .',
      'git commit -m x',
      'npm install',
      'npm ci',
      'npm i x',
      'cp a b',
      'sed -i s/a/b/ f',
      'git -C . push',
      'git --no-pager push',
      'git branch x',
      'cargo add x',
      'tar xf a.tgz',
      'pm install x.apk',
    ],
    notMatch: [
      'ls -la',
      'cat x',
      'grep x f',
      'pwd',
      'echo hi',
      'git status --short',
      'git log',
      'git branch -a',
      'npm test',
      'sed -n 1p f',
      'tar tf a.tgz',
      'pm list packages',
      'find src -name x',
      'zig build',
      'uname -a',
      'sleep 120',
    ],
    command: isWriting,
  },
  {
    ...medium,
    name: 'redirect',
    reason: 'Medium risk: it writes to a file.',
    match: ['echo x > f', 'ls >> log', ': > f'],
    notMatch: ['ls 2>/dev/null', 'ls 2>&1', "echo 'a > b'", 'cat < f', 'ls > /dev/null 2>&1'],
    command: redirectsToFile,
  },
  {
    ...medium,
    name: 'network',
    reason: 'Medium risk: it reaches other machines.',
    match: ['curl https://example.com', 'wget x'],
    notMatch: ['ping -c 1 x', 'echo curl', 'curl --version'],
    command: (command) =>
      network.has(command.name) && !command.args.every((arg) => arg === '--version' || arg === '--help'),
  },
  {
    ...medium,
    name: 'runs-code',
    reason: 'Medium risk: it runs code or programs that stand in its arguments.',
    match: [
      "python3 -c 'print(1)'",
      "node -e '1'",
      'git -c core.pager=id log',
      'sh',
      'curl x | sh',
      'tar cf x --checkpoint-action=exec=id y',
    ],
    notMatch: ['python3 x.py', "awk '{print $1}' f", "sed 's/a/b/' f", 'node x.js', 'sh x.sh'],
    command: (command) =>
      (command.code !== null && !/^(?:awk|sed)$/.test(command.code.language)) ||
      (command.name !== 'find' && command.name !== 'curl' && runsOthersRiskily(command)) ||
      (isShell(command.name) && operands(command).length === 0),
  },
  {
    ...medium,
    name: 'opaque',
    reason: 'Medium risk: it cannot be known what it would run.',
    match: ['$X y', 'eval "$X"', "$'ls'"],
    notMatch: ['ls "$HOME"', 'cat *.txt'],
    script: (scene) => scene.script.opaque.length > 0,
  },
]

const runsOthersRiskily = (command: SimpleCommand) =>
  /^(?:git|tar|bsdtar|split|rg|fd|ssh|scp|rsync|zip|man|less|go|npm|sqlite3)$/.test(command.name) && runsOthers(command)
