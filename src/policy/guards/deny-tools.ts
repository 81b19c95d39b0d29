/** The deny list's categories that are tools with verbs: packages, containers, version control. */
import { operands } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import type { Rule } from './rule.ts'

const base = { guard: 'deny-patterns', verdict: 'deny', risk: 'high' } as const
const is = (command: SimpleCommand, names: RegExp) => names.test(command.name)
const has = (command: SimpleCommand, argument: RegExp) => command.args.some((arg) => argument.test(arg))

function installsWide(command: SimpleCommand): boolean {
  if (is(command, /^(?:npm|pnpm|yarn|bun)$/)) {
    if (command.name === 'yarn' && operands(command)[0]?.literal === 'global') return true
    const wide = has(command, /^-[a-zA-Z]*g[a-zA-Z]*$|^--(?:global|location=global)$/)
    return wide && has(command, /^(?:install|i|in|ins|isntall|add|ci|update|up|uninstall|un|remove|rm|link)$/)
  }
  const module = command.args.some((arg, at) => arg === '-mpip' || (arg === '-m' && command.args[at + 1] === 'pip'))
  const pip = is(command, /^(?:pip[\d.]*|pipx|uv)$/) || (/^python/.test(command.name) && module)
  return pip && has(command, /^(?:un)?install$/) && has(command, /^--user(?:=|$)/)
}

const packagers = /^(?:apt|apt-get|aptitude|nala|yum|dnf|zypper|apk|brew|snap|port|opkg)$/
const changing =
  /^(?:install|reinstall|remove|purge|add|del|uninstall|upgrade|dist-upgrade|full-upgrade|autoremove|erase|localinstall|in|rm)$/

function changesSystem(command: SimpleCommand): boolean {
  if (packagers.test(command.name)) {
    return has(command, changing) || (command.unknownArgs && !operands(command)[0]?.literal)
  }
  // Termux's pkg takes any beginning of its verbs
  if (command.name === 'pkg') {
    return /^(?:i(?:n.*)?|add|rei.*|un.*|rem.*|rm|del.*|up.*|autoc.*|purge)$/.test(
      operands(command)[0]?.literal ?? 'un',
    )
  }
  if (command.name === 'pacman') return has(command, /^-[SRU]/)
  return is(command, /^(?:dpkg|rpm)$/) && has(command, /^(?:-[iUreP]|--install|--remove|--purge)/)
}

const looking = /^(?:logs|ps|inspect|stop|start|rm|pull|images|tag)$/

function runsContainer(command: SimpleCommand): boolean {
  if (!is(command, /^(?:docker|docker-compose|podman|nerdctl|udocker|lxc)$/)) return false
  const at = command.args.slice(0, 6).findIndex((arg) => arg === 'run' || arg === 'exec')
  return at >= 0 && !command.args.slice(0, at).some((arg) => looking.test(arg))
}

function pushes(command: SimpleCommand): boolean {
  if (command.name !== 'git') return false
  const { args } = command
  let at = 0
  while (args[at]?.startsWith('-')) {
    at += /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/.test(args[at]!) ? 2 : 1
  }
  const verb = args[at]
  if (verb === undefined) return command.unknownArgs
  return /^(?:push|force|send-pack)$/.test(verb) || (verb === 'subtree' && args[at + 1] === 'push')
}

export const denyToolRules: readonly Rule[] = [
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
      'pkg i x',
      'apt -y purge x',
      'apk add x',
      'pacman -S x',
    ],
    notMatch: [
      'apt list',
      'apt-cache search x',
      'pkg list-installed',
      'pkg search x',
      'apt show vim',
      'yum info x',
      'npm install x',
    ],
    command: changesSystem,
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
    command: runsContainer,
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
]
