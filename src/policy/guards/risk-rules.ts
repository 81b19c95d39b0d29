/** Which commands are of medium or high risk. Everything else is low. */
import { operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { isShell } from '../shells.ts'
import { deviceRules } from './catastrophic-device.ts'
import { filesRules } from './catastrophic-files.ts'
import { wipeRules } from './catastrophic-wipe.ts'
import type { Rule } from './rule.ts'
import { runsOthers } from './runs-others.ts'
import { gitDestroys, isWriting } from './writes.ts'

const high = { guard: 'risk', verdict: 'setting', risk: 'high' } as const
const medium = { guard: 'risk', verdict: 'setting', risk: 'medium' } as const
const set = (names: string) => new Set(names.split(' '))

const destructive = set(
  'rm dd shutdown reboot halt poweroff sudo su tsu doas chmod chown chgrp chattr setfacl useradd userdel usermod groupadd groupdel passwd mount umount iptables ip6tables nft ufw firewall-cmd nc ncat netcat scp sftp ssh ftp telnet socat kill pkill killall shred fdisk sfdisk parted wipefs mkswap crontab setprop setenforce unlink truncate srm trash insmod rmmod modprobe sysctl swapon swapoff systemctl service del',
)
const network = /^(?:curl|wget|aria2c|http|rsync)$/

function isDestructive(command: SimpleCommand, scene: Scene): boolean {
  const { name, args } = command
  if (name === 'kill' && args.some((arg) => /^(?:-[0lL]|--list)$/.test(arg))) return false
  const informs =
    args.length > 0 && args.every((arg) => /^--(?:version|help)$/.test(arg) || (name === 'crontab' && arg === '-l'))
  if (destructive.has(name) || /^mkfs/.test(name)) return !informs
  if (name === 'find') return args.includes('-delete')
  if (name === 'git') return gitDestroys(command)
  const denying = [...wipeRules, ...filesRules, ...deviceRules].filter((rule) => rule.verdict === 'deny')
  return denying.some((rule) => rule.command?.(command, scene))
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
      network.test(command.name) && !command.args.every((arg) => arg === '--version' || arg === '--help'),
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
