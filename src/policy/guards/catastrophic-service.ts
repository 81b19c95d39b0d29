/** Reading or writing the service's own files ($SHELLPHONE_HOME: tokens, keys, history) and memory. */
import { pathsOf } from '../path-words.ts'
import { canBe, isWithin, leafOf } from '../paths.ts'
import { located, operands, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import { valuesOf } from '../script.ts'
import type { Rule } from './rule.ts'

const base = { guard: 'catastrophic', verdict: 'deny', risk: 'high' } as const

function touchesHome(command: SimpleCommand, scene: Scene): boolean {
  if (/\$\{?SHELLPHONE_/.test(command.source) || mentions(command, scene)) return true
  const homes = () => new Set([scene.serviceHome, scene.realpath(scene.serviceHome) ?? scene.serviceHome])
  const inside = (at: string) => [...homes()].some((home) => isWithin(at, home) || reaches(at, home, command))
  const values = pathsOf(command).flatMap((path) => path.values ?? [path.prefix])
  return values.some((value) => value !== '' && located(value, command, scene).some(inside)) || copies(command, scene)
}

// relative to a directory that only the program knows (tar -C), or in the middle of code: a hidden name like ours is no accident
function mentions(command: SimpleCommand, scene: Scene): boolean {
  const leaf = leafOf(scene.serviceHome)
  if (!leaf.startsWith('.') || command.name === 'echo' || command.name === 'printf') return false
  const found = (text: string) => text.split(/[^\w.-]+/).includes(leaf)
  return found(command.code?.text ?? '') || command.args.some((arg) => arg === leaf || arg.startsWith(`${leaf}/`))
}

// a copy of the whole home has our tokens in it
function copies(command: SimpleCommand, scene: Scene): boolean {
  const { name, args } = command
  const recursive =
    (/^(?:cp|scp)$/.test(name) && args.some((arg) => /^-\w*[rRa]|^--(?:recursive|archive)/.test(arg))) ||
    /^(?:rsync|7z|7za|adb)$/.test(name) ||
    (name === 'zip' && args.some((arg) => /^-\w*r/.test(arg))) ||
    (/^(?:bsd)?tar$/.test(name) &&
      args.some((arg, index) => (index === 0 ? /^-?\w*[cru]/ : /^-\w*[cru]|^--create/).test(arg)))
  if (!recursive || args.some((arg) => arg.startsWith('--exclude'))) return false
  const sources = operands(command)
    .filter((word) => command.words[command.words.indexOf(word) - 1]?.literal !== '-C')
    .slice(0, /^(?:cp|scp|rsync)$/.test(name) ? -1 : undefined)
  return sources.some((word) =>
    (valuesOf(word) ?? []).some((value) =>
      located(value, command, scene).some((at) => isWithin(scene.serviceHome, at) && isWithin(at, scene.home)),
    ),
  )
}

// a pattern that matches the directory; tools that only list names may
function reaches(pattern: string, home: string, command: SimpleCommand): boolean {
  if (!/[*?[]/.test(pattern)) return false
  const depth = home.split('/').length
  const head = pattern.split('/').slice(0, depth).join('/')
  if (!canBe(head, home) || !leafOf(head).startsWith('.')) return false
  return pattern.split('/').length > depth || !/^(?:ls|du|stat|echo|file|printf|test|\[)$/.test(command.name)
}

function spies(command: SimpleCommand, scene: Scene): boolean {
  return pathsOf(command).some((path) =>
    (path.values ?? []).some((value) => {
      const match = /^\/proc\/([^/]+)\/(?:task\/[^/]+\/)?(?:environ|mem|fd|root|cwd|auxv|maps)(?:\/|$)/.exec(
        value.replace(/\/+/g, '/'),
      )
      return match !== null && (match[1] === String(scene.servicePid) || /[*?[]/.test(match[1]!))
    }),
  )
}

// `shellphone approvals`, also by the path of its main.js; a run's mark stops it as well, but a command can take that off
function answersItself({ name, args }: SimpleCommand): boolean {
  const after = (program: RegExp) => args.slice(args.findIndex((arg) => program.test(arg)) + 1 || args.length)
  const ours =
    name === 'shellphone'
      ? args
      : /^(?:node|nodejs|bun|deno|tsx)$/.test(name)
        ? after(/(?:^|\/)main\.js$/)
        : /^(?:npx|pnpx|bunx)$/.test(name)
          ? after(/^shellphone(?:@|$)/)
          : []
  return ours.some((arg) => /^approv(?:e|als?)$/.test(arg))
}

export const serviceRules: readonly Rule[] = [
  {
    ...base,
    name: 'answers-itself',
    reason: 'Only a person may answer what is asked about a command: no command may.',
    match: [
      'shellphone approvals approve 01k',
      'shellphone --token x approvals',
      'node dist/main.js approvals',
      'env -u EXEC_MARK node --no-warnings ~/shellphone/dist/main.js approvals approve 01k',
      'npx shellphone approvals',
    ],
    notMatch: [
      'shellphone check "ls"',
      'node dist/main.js',
      'node main.js stop',
      'npx approvals',
      'echo shellphone approvals',
    ],
    command: answersItself,
  },
  {
    ...base,
    name: 'service-home',
    reason:
      "The service's own directory holds its tokens, settings and history: commands may not read, write or copy it.",
    match: [
      'cat ~/.shellphone/config.yaml',
      'ls $SHELLPHONE_HOME',
      'echo x > ~/.shellphone/tokens',
      'cat ~/.shell*/tokens',
      'cd ~/.shellphone && cat tokens',
      'tar czf x.tgz ~/.shellphone',
      'tar cf - -C ~ .shellphone',
      'cp -r ~ /sdcard/backup',
      'python3 -c "print(open(\'/home/u/.shellphone/config.yaml\').read())"',
    ],
    notMatch: [
      'ls ~',
      'ls -d ~/.*',
      'echo shellphone',
      'cat ~/.shellphonerc',
      'grep -rn shellphone src',
      'cp -r src /sdcard/x',
      'tar xzf a.tgz -C ~',
      'tar czf a.tgz .',
      'rsync -a src/ host:x',
    ],
    command: touchesHome,
    script: (scene) => isWithin(scene.cwd, scene.serviceHome),
  },
  {
    ...base,
    name: 'service-memory',
    reason: "This would read the service's own environment or memory.",
    match: ['cat /proc/4242/environ', 'strings /proc/*/environ'],
    notMatch: ['cat /proc/meminfo', 'cat /proc/self/status', 'ls /proc'],
    command: spies,
  },
]
