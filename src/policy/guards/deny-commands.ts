/** The deny list's categories that are programs. */
import { hasOption, operands } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { isShell } from '../shells.ts'
import { isDisk, isForkBomb } from './catastrophic-files.ts'
import type { Rule } from './rule.ts'

const base = { guard: 'deny-patterns', verdict: 'deny', risk: 'high' } as const
const is = (command: SimpleCommand, ...names: string[]) => names.includes(command.name)
const verb = (command: SimpleCommand, ...verbs: string[]) => command.args.some((arg) => verbs.includes(arg))
const firstVerb = (command: SimpleCommand, ...verbs: string[]) =>
  verbs.includes(operands(command).find((word) => word.literal !== null)?.literal ?? '')

function killsHard(command: SimpleCommand): boolean {
  if (is(command, 'pkill', 'killall', 'killall5', 'skill')) return true
  if (!is(command, 'kill')) return false
  return (
    command.args.some(
      (arg, index) =>
        /^-(?:[1-9]\d*|s?(?:SIG)?KILL|n?9)$/i.test(arg) &&
        index < command.args.length - (/^-\d+$/.test(arg) && index > 0 ? 1 : 0),
    ) ||
    (/^-[sn]$|^--signal$/.test(command.args[0] ?? '') && /^(?:9|(?:SIG)?KILL)$/i.test(command.args[1] ?? '')) ||
    command.args.some((arg) => /^--signal=(?:9|(?:SIG)?KILL)$/i.test(arg))
  )
}

function installsWide(command: SimpleCommand): boolean {
  const installing = verb(
    command,
    'install',
    'i',
    'add',
    'in',
    'ins',
    'isntall',
    'update',
    'uninstall',
    'remove',
    'link',
    'ci',
  )
  if (is(command, 'npm', 'pnpm', 'yarn', 'bun'))
    return (
      (installing &&
        (hasOption(command, '', '--global') ||
          command.args.some((arg) => /^-[a-zA-Z]*g/.test(arg) || arg === '--location=global'))) ||
      (is(command, 'yarn') && firstVerb(command, 'global'))
    )
  const pip =
    is(command, 'pip', 'pip3', 'pipx') ||
    /^pip\d/.test(command.name) ||
    (/^python/.test(command.name) &&
      command.args.some((arg, index) => arg === '-mpip' || (arg === '-m' && command.args[index + 1] === 'pip')))
  if (pip) return verb(command, 'install', 'uninstall') && hasOption(command, '', '--user')
  return false
}

function pushes(command: SimpleCommand): boolean {
  if (!is(command, 'git')) return false
  const words = command.args
  let at = 0
  while (at < words.length && words[at]!.startsWith('-'))
    at += /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(words[at]!) ? 2 : 1
  return (
    words[at] === 'push' ||
    words[at] === 'force' ||
    words[at] === 'send-pack' ||
    (words[at] === 'subtree' && words[at + 1] === 'push') ||
    (command.unknownArgs && words[at] === undefined)
  )
}

const containers = ['docker', 'podman', 'nerdctl', 'docker-compose', 'lxc', 'udocker']

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
    command: (command) =>
      (is(command, 'rm') && hasOption(command, 'rRf', '--recursive', '--force')) ||
      (is(command, 'rm') && command.wrappers.includes('find')) ||
      is(command, 'shred', 'srm') ||
      (is(command, 'find') && verb(command, '-delete')),
  },
  {
    ...base,
    name: 'windows-delete',
    reason: 'Forced deletion is refused.',
    match: ['del /f x', 'rmdir /s x', 'del /Q /F x'],
    notMatch: ['rmdir x', 'model /f', 'rmdir /sdcard/x'],
    command: (command) =>
      (is(command, 'del', 'erase') && command.args.some((arg) => /^\/[fqs]$/i.test(arg))) ||
      (is(command, 'rmdir', 'rd') && command.args.some((arg) => /^\/[sq]$/i.test(arg))),
  },
  {
    ...base,
    name: 'disk-format',
    reason: 'Formatting disks is refused.',
    match: ['mkfs.ext4 /dev/sda', 'mkfs x', 'format c:', 'diskpart'],
    notMatch: ['npm run format src', 'git log --format=%H', 'man mkfs', 'format'],
    command: (command) =>
      /^(?:mkfs(?:\..*)?|mke2fs|diskpart)$/.test(command.name) || (is(command, 'format') && command.args.length > 0),
  },
  {
    ...base,
    name: 'disk-image',
    reason: 'dd is refused: use cp, head or your file tool.',
    match: ['dd if=a of=b', 'dd of=b if=a', 'busybox dd if=/dev/zero of=x'],
    notMatch: ['echo dd if=a', 'git add if=x', 'dd --help'],
    command: (command) => is(command, 'dd') && command.words.some((word) => /^(?:if|of)=/.test(word.prefix)),
  },
  {
    ...base,
    name: 'block-device',
    reason: 'Writing to a device is refused.',
    match: ['echo x > /dev/sda', 'cat x | tee /dev/sdb', 'cp x /dev/mmcblk0', 'echo x >> /dev/block/dm-0'],
    notMatch: ['echo x > /dev/null', 'ls 2>/dev/stderr', 'cat < /dev/urandom'],
    command: (command) =>
      command.redirections.some((one) => /^(?:>|&>|<>)/.test(one.operator) && isDisk(one.target?.prefix ?? '')) ||
      (is(command, 'tee', 'cp', 'mv', 'install', 'truncate') && command.args.some(isDisk)),
  },
  {
    ...base,
    name: 'power',
    reason: 'Shutting the device down is refused.',
    match: ['shutdown now', 'reboot', 'poweroff', 'halt', 'sudo reboot', 'init 0'],
    notMatch: ['echo reboot', 'git log --grep=shutdown', 'cat reboot.txt', 'init x'],
    command: (command) =>
      is(command, 'shutdown', 'reboot', 'poweroff', 'halt') ||
      (is(command, 'init', 'telinit') && verb(command, '0', '6')) ||
      (is(command, 'systemctl', 'svc') && verb(command, 'poweroff', 'reboot', 'halt', 'shutdown')),
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
    command: (command) =>
      is(command, 'sudo', 'su', 'tsu', 'tsudo', 'doas', 'runuser', 'pkexec', 'run-as', 'sudoedit', 'visudo'),
  },
  {
    ...base,
    name: 'permissions',
    reason: 'Changing permissions or owners is refused.',
    match: ['chmod 777 x', 'chown me x', 'chmod +x run.sh', 'find . -exec chmod 644 {} +'],
    notMatch: ['echo chmod', 'ls -l', 'git update-index --chmod=+x f'],
    command: (command) => is(command, 'chmod', 'chown', 'chgrp', 'setfacl', 'chattr'),
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
      is(command, 'ssh', 'mosh', 'telnet', 'rsh', 'rlogin', 'sshpass', 'autossh', 'dbclient') &&
      operands(command).length > 0,
  },
  {
    ...base,
    name: 'eval',
    reason: 'eval is refused: write the command out.',
    match: ['eval ls', 'eval "$x"', 'command eval ls'],
    notMatch: ['python eval.py', 'echo eval', 'npm run eval'],
    command: (command) => is(command, 'eval'),
  },
  {
    ...base,
    name: 'source',
    reason: 'Sourcing a script is refused.',
    match: ['source x.sh', '. ./x.sh', '. a.sh'],
    notMatch: ['ls .', 'echo source', 'git add .', 'bash x.sh'],
    command: (command) => is(command, 'source') || command.path === '.',
  },
  {
    ...base,
    name: 'npm-global',
    reason: 'Installing for the whole system or user is refused: install inside the project.',
    match: [
      'npm install -g x',
      'npm i -g x',
      'npm install --global x',
      'pip install --user x',
      'python3 -m pip install --user x',
      'yarn global add x',
      'pnpm add -g x',
    ],
    notMatch: ['npm install x', 'pip install x', 'npm ls -g', 'npm run x -- -g'],
    command: installsWide,
  },
  {
    ...base,
    name: 'system-packages',
    reason: 'Changing system packages is refused.',
    match: [
      'apt install vim',
      'apt-get remove x',
      'yum install x',
      'dnf remove x',
      'pkg install x',
      'apt -y purge x',
      'apk add x',
      'pacman -S x',
    ],
    notMatch: ['apt list', 'apt-cache search x', 'pkg list-installed', 'apt show vim', 'yum info x', 'npm install x'],
    command: (command) =>
      (is(
        command,
        'apt',
        'apt-get',
        'aptitude',
        'nala',
        'yum',
        'dnf',
        'zypper',
        'pkg',
        'apk',
        'brew',
        'snap',
        'port',
        'opkg',
      ) &&
        (verb(
          command,
          'install',
          'remove',
          'purge',
          'add',
          'del',
          'uninstall',
          'upgrade',
          'dist-upgrade',
          'full-upgrade',
          'autoremove',
          'reinstall',
          'in',
          'un',
          'erase',
          'localinstall',
        ) ||
          (command.unknownArgs && operands(command)[0]?.literal == null))) ||
      (is(command, 'pacman') && command.args.some((arg) => /^-[SRU]/.test(arg))) ||
      (is(command, 'dpkg', 'rpm') && command.args.some((arg) => /^(?:-[iUreP]|--install|--remove|--purge)/.test(arg))),
  },
  {
    ...base,
    name: 'containers',
    reason: 'Running containers is refused.',
    match: [
      'docker run x',
      'docker exec -it x sh',
      'docker --context c run x',
      'podman run x',
      'docker container run x',
      'docker compose run x',
    ],
    notMatch: ['docker ps', 'docker images', 'docker logs run', 'echo docker run'],
    command: (command) =>
      containers.includes(command.name) &&
      command.args
        .slice(0, 6)
        .some(
          (arg, index, all) =>
            (arg === 'run' || arg === 'exec') &&
            !all.slice(0, index).some((before) => /^(?:logs|ps|inspect|stop|start|rm|pull|images|tag)$/.test(before)),
        ),
  },
  {
    ...base,
    name: 'git-push',
    reason: 'git push is refused: ask the user to push.',
    match: ['git push', 'git -C x push origin main', 'git --no-pager push', 'git -c a=b push --force', 'git force x'],
    notMatch: [
      'git commit -m "push it"',
      'git log push',
      'git stash push',
      'echo git push',
      'git config push.default simple',
    ],
    command: pushes,
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
