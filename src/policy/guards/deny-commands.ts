/** The deny list's categories that are programs: destruction, power, privileges, processes, remote shells, code. */
import { hasOption, operands } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { isShell } from '../shells.ts'
import { isDisk, isForkBomb } from './catastrophic-files.ts'
import type { Rule } from './rule.ts'

const base = { guard: 'deny-patterns', verdict: 'deny', risk: 'high' } as const
const is = (command: SimpleCommand, names: RegExp) => names.test(command.name)
const has = (command: SimpleCommand, argument: RegExp) => command.args.some((arg) => argument.test(arg))

function deletes(command: SimpleCommand): boolean {
  if (is(command, /^(?:shred|srm)$/)) return true
  if (command.name === 'find') return has(command, /^-delete$/)
  if (command.name !== 'rm') return false
  return hasOption(command, 'rRf', '--recursive', '--force') || command.wrappers.includes('find')
}

function writesDevice(command: SimpleCommand): boolean {
  if (command.redirections.some((one) => /^(?:>|&>|<>)/.test(one.operator) && isDisk(one.target?.prefix ?? ''))) {
    return true
  }
  return is(command, /^(?:tee|cp|mv|install|truncate)$/) && command.args.some(isDisk)
}

function powersOff(command: SimpleCommand): boolean {
  if (is(command, /^(?:shutdown|reboot|poweroff|halt)$/)) return true
  if (is(command, /^(?:tel)?init$/)) return has(command, /^[06]$/)
  return is(command, /^(?:systemctl|svc)$/) && has(command, /^(?:poweroff|reboot|halt|shutdown)$/)
}

// any signal by number, and KILL by name: a plain `kill PID` passes
function killsHard(command: SimpleCommand): boolean {
  if (is(command, /^(?:pkill|killall5?|skill)$/)) return true
  if (command.name !== 'kill') return false
  const [first = '', second = ''] = command.args
  if (/^(?:-[sn]|--signal)$/.test(first)) return /^(?:9|(?:SIG)?KILL)$/i.test(second)
  return /^-(?:[1-9]\d*|s?(?:SIG)?KILL|n9)$|^--signal=(?:9|(?:SIG)?KILL)$/i.test(first)
}

export const denyCommandRules: readonly Rule[] = [
  {
    ...base,
    name: 'recursive-delete',
    reason: 'Recursive or forced deletion is refused: delete single files by name.',
    match: [
      'rm -rf build',
      'rm -f x',
      'rm --recursive --force x',
      'rm -rfv x',
      'ls && rm -r x',
      'find . -delete',
      'find . | xargs rm -f',
      'find . -exec rm {} +',
    ],
    notMatch: ['rm x', "echo 'rm -rf x'", 'git rm x', 'ls -rf', 'npm run rm -rf'],
    command: deletes,
  },
  {
    ...base,
    name: 'windows-delete',
    reason: 'Forced deletion is refused.',
    match: ['del /f x', 'rmdir /s x', 'del /Q /F x'],
    notMatch: ['rmdir x', 'model /f', 'rmdir /sdcard/x'],
    command: (command) =>
      (is(command, /^(?:del|erase)$/) && has(command, /^\/[fqs]$/i)) ||
      (is(command, /^(?:rmdir|rd)$/) && has(command, /^\/[sq]$/i)),
  },
  {
    ...base,
    name: 'disk-format',
    reason: 'Formatting disks is refused.',
    match: ['mkfs.ext4 /dev/sda', 'mkfs x', 'format c:', 'diskpart'],
    notMatch: ['npm run format src', 'git log --format=%H', 'man mkfs', 'format'],
    command: (command) =>
      is(command, /^(?:mkfs(?:\..*)?|mke2fs|diskpart)$/) || (command.name === 'format' && command.args.length > 0),
  },
  {
    ...base,
    name: 'disk-image',
    reason: 'dd is refused: use cp, head or your file tool.',
    match: ['dd if=a of=b', 'dd of=b if=a', 'busybox dd if=/dev/zero of=x'],
    notMatch: ['echo dd if=a', 'git add if=x', 'dd --help'],
    command: (command) => command.name === 'dd' && command.words.some((word) => /^(?:if|of)=/.test(word.prefix)),
  },
  {
    ...base,
    name: 'block-device',
    reason: 'Writing to a device is refused.',
    match: ['echo x > /dev/sda', 'cat x | tee /dev/sdb', 'cp x /dev/mmcblk0', 'echo x >> /dev/block/dm-0'],
    notMatch: ['echo x > /dev/null', 'ls 2>/dev/stderr', 'cat < /dev/urandom'],
    command: writesDevice,
  },
  {
    ...base,
    name: 'power',
    reason: 'Shutting the device down is refused.',
    match: ['shutdown now', 'reboot', 'poweroff', 'halt', 'sudo reboot', 'init 0'],
    notMatch: ['echo reboot', 'git log --grep=shutdown', 'cat reboot.txt', 'init x'],
    command: powersOff,
  },
  {
    ...base,
    name: 'fork-bomb',
    reason: 'A fork bomb is refused.',
    match: [':(){ :|:& };:', 'b(){ b|b& };b'],
    notMatch: ['f() { ls; }; f', "echo ':(){ :|:& };:'"],
    command: isForkBomb,
  },
  {
    ...base,
    name: 'sudo',
    reason: 'Running as another user is refused.',
    match: ['sudo ls', 'su -c id', 'tsu', 'doas ls', 'env sudo ls', 'run-as com.x ls'],
    notMatch: ['echo sudo', 'man sudo', 'which sudo', 'git commit -m "no sudo"'],
    command: (command) => is(command, /^(?:t?sudo|t?su|doas|runuser|pkexec|run-as|sudoedit|visudo)$/),
  },
  {
    ...base,
    name: 'permissions',
    reason: 'Changing permissions or owners is refused.',
    match: ['chmod 777 x', 'chown me x', 'chmod +x run.sh', 'find . -exec chmod 644 {} +'],
    notMatch: ['echo chmod', 'ls -l', 'git update-index --chmod=+x f'],
    command: (command) => is(command, /^(?:chmod|chown|chgrp|setfacl|chattr)$/),
  },
  {
    ...base,
    name: 'kill',
    reason: 'Killing processes by force or by name is refused: end your own with kill PID.',
    match: ['pkill x', 'killall node', 'kill -9 123', 'kill -s KILL 5', 'kill -SIGKILL 5', 'kill -15 4'],
    notMatch: ['kill 123', "git commit -m 'kill switch'", 'kill -0 5', 'kill -l', 'pgrep x', 'kill -TERM 5'],
    command: killsHard,
  },
  {
    ...base,
    name: 'ssh',
    reason: 'Remote shells are refused.',
    match: ['ssh user@host', 'ssh -p 22 host ls', 'telnet host', 'mosh host'],
    notMatch: ['echo ssh://git@host', 'ssh-keygen -l -f k', 'git clone ssh://git@host/x', 'ssh -V'],
    command: (command) =>
      is(command, /^(?:ssh|mosh|telnet|rsh|rlogin|sshpass|autossh|dbclient)$/) && operands(command).length > 0,
  },
  {
    ...base,
    name: 'eval',
    reason: 'eval is refused: write the command out.',
    match: ['eval ls', 'eval "$x"', 'command eval ls'],
    notMatch: ['python eval.py', 'echo eval', 'npm run eval'],
    command: (command) => command.name === 'eval',
  },
  {
    ...base,
    name: 'source',
    reason: 'Sourcing a script is refused.',
    match: ['source x.sh', '. ./x.sh', '. a.sh'],
    notMatch: ['ls .', 'echo source', 'git add .', 'bash x.sh'],
    command: (command) => command.name === 'source' || command.path === '.',
  },
  {
    ...base,
    name: 'download-to-shell',
    reason: 'Downloading code and running it in one go is refused.',
    match: ['curl x | sh', 'wget -qO- x | bash', 'sh -c "curl x | sh"', 'curl x | sudo sh'],
    notMatch: ['curl x | jq .', 'curl -o i.sh x', 'wget x | cat'],
    command: (command) =>
      isShell(command.name) && /^(?:curl|wget|aria2c|fetch|http)$/.test(command.pipedFrom?.name ?? ''),
  },
]
