/** Ending the service itself, reading or writing its own files ($SHELLPHONE_HOME: tokens, keys, history) and memory, answering for its owner. */
import { isWithin } from '../../schema/index.ts'
import { located, type Scene } from '../context.ts'
import { type Effect, effectsOf, isPrinter, type PathWord, type Target } from '../programs/index.ts'
import type { SimpleCommand } from '../shell/script.ts'
import { toMatcher } from '../patterns.ts'
import { canBe, leafOf } from './paths.ts'
import type { Rule } from './rule.ts'

const base = { guard: 'catastrophic', verdict: 'deny', risk: 'high', suspects: true } as const

// what `ps` shows of the service and of what it stands on
const ourNames = 'node nodejs shellphone runsv runsvdir com.termux init zygote system_server'.split(' ')
const ourLine = 'node /data/data/com.termux/files/usr/lib/node_modules/shellphone/dist/main.js'
// a filter of awk's or sed's
const ourMention = /(?:^|[^\w-])(?:\[?n\]?ode|shellphone|termux)(?:[^\w.-]|$)/
const MAX_PATTERN = 200

function kills(effect: Effect, _command: SimpleCommand, scene: Scene): boolean {
  if (effect.does !== 'kills') return false
  const { by, texts } = effect.target
  if (by === 'all') return true
  if (by === 'service') return texts.some((text) => /shellphone|\*/.test(text))
  if (by === 'app') return texts.some((text) => text.startsWith('com.termux'))
  // the pids come from somewhere: from a search for our own name?
  if (by === 'found') return scene.script.commands.some((other) => effectsOf(other).some(findsUs))
  const ours = [-1, 1, scene.servicePid, -scene.servicePid]
  if (by === 'pid') {
    return texts.some((text) => text === '$PPID' || (/^-?\d+$/.test(text) && ours.includes(Number(text))))
  }
  return namesUs(effect.target)
}

const findsUs = (effect: Effect) => effect.does === 'finds' && namesUs(effect.target)

function namesUs({ by, texts }: Target): boolean {
  if (by === 'all') return true
  if (by === 'name') return texts.some((text) => ourNames.includes(text))
  if (by === 'filter') return texts.some((text) => ourMention.test(text))
  return texts.some((text) => matches(text, by === 'line' ? [...ourNames, ourLine] : ourNames))
}

function matches(pattern: string, targets: readonly string[]): boolean {
  const matcher = pattern.length > MAX_PATTERN ? null : toMatcher(pattern)
  return targets.some((target) => (matcher ? matcher(target) : target.includes(pattern)))
}

function touchesHome(command: SimpleCommand, scene: Scene): boolean {
  if (/\$\{?SHELLPHONE_/.test(command.source) || mentions(command, scene)) return true
  const root = scene.serviceHome
  const homes = [root, scene.realpath(root) ?? root]
  const inside = (at: string, names: boolean) =>
    homes.some((home) => isWithin({ path: at, root: home }) || reaches(at, home, names))
  const whole = (at: string) => isWithin({ path: root, root: at }) && isWithin({ path: at, root: scene.home })
  return effectsOf(command).some((effect) => {
    const path = pathOf(effect)
    if (!path || (effect.does === 'deletes' && effect.how === 'code')) return false
    const values = (path.values ?? [path.prefix]).filter((value) => value !== '')
    const recursive = effect.does === 'reads' && effect.recursive === true
    const names = effect.does === 'lists' || !path.certain || (effect.does === 'reads' && effect.names === true)
    return values.some((value) =>
      // a copy of the whole home has our tokens in it
      located(value, command, scene).some((at) => inside(at, names) || (recursive && whole(at))),
    )
  })
}

const pathOf = (effect: Effect): PathWord | null => ('path' in effect ? effect.path : null)

// relative to a directory that only the program knows (tar -C), or in the middle of code: a hidden name like ours is no accident
function mentions(command: SimpleCommand, scene: Scene): boolean {
  const leaf = leafOf(scene.serviceHome)
  if (!leaf.startsWith('.') || isPrinter(command)) return false
  const found = (text: string) => text.split(/[^\w.-]+/).includes(leaf)
  return found(command.code?.text ?? '') || command.args.some((arg) => arg === leaf || arg.startsWith(`${leaf}/`))
}

// a pattern that matches the directory; only its name may be looked at
function reaches(pattern: string, home: string, names: boolean): boolean {
  if (!/[*?[]/.test(pattern)) return false
  const depth = home.split('/').length
  const head = pattern.split('/').slice(0, depth).join('/')
  if (!canBe(head, home) || !leafOf(head).startsWith('.')) return false
  return pattern.split('/').length > depth || !names
}

function spies(effect: Effect, _command: SimpleCommand, scene: Scene): boolean {
  return (pathOf(effect)?.values ?? []).some((value) => {
    const match = /^\/proc\/([^/]+)\/(?:task\/[^/]+\/)?(?:environ|mem|fd|root|cwd|auxv|maps)(?:\/|$)/.exec(
      value.replace(/\/+/g, '/'),
    )
    return match !== null && (match[1] === String(scene.servicePid) || /[*?[]/.test(match[1]!))
  })
}

export const serviceRules: readonly Rule[] = [
  {
    ...base,
    name: 'service-kill',
    reason:
      'This would end the service that runs your commands (it is a node process). End your own processes by their pid.',
    match: ['pkill node', 'kill -9 -1', 'kill $(pgrep node)', 'killall -u me', 'kill $(lsof -t -c node)'],
    notMatch: ['kill 12345', 'pkill -f "vite --port 5173"', 'kill $(lsof -t -i:3000)'],
    effect: kills,
  },
  {
    ...base,
    name: 'answers-itself',
    reason: 'Only a person may answer what is asked about a command: no command may.',
    match: ['shellphone approvals approve 01k', 'node dist/main.js approvals'],
    notMatch: ['shellphone check "ls"', 'node dist/main.js', 'npx approvals'],
    effect: ({ does }) => does === 'answers',
  },
  {
    ...base,
    name: 'service-home',
    reason:
      "The service's own directory holds its tokens, settings and history: commands may not read, write or copy it.",
    match: ['cat ~/.shellphone/config.yaml', 'tar cf - -C ~ .shellphone', 'cp -r ~ /sdcard/backup'],
    notMatch: ['ls ~', 'ls -d ~/.*', 'tar czf a.tgz .'],
    command: touchesHome,
    script: (scene) => isWithin({ path: scene.cwd, root: scene.serviceHome }),
  },
  {
    ...base,
    name: 'service-memory',
    reason: "This would read the service's own environment or memory.",
    match: ['cat /proc/4242/environ', 'strings /proc/*/environ'],
    notMatch: ['cat /proc/meminfo', 'cat /proc/self/status'],
    effect: spies,
  },
]
