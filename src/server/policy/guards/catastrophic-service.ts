/** Detects commands that kill the service, or access its memory or its files ($SHELLPHONE_HOME: tokens, keys, history). */
import { isWithin } from '../../../shared/schema/index.ts'
import { callOf, type Effect, effectsOf, isPrinter, type Target } from '../programs/index.ts'
import { type SimpleCommand, valuesOf } from '../script/script.ts'
import { matchesPattern } from '../shell/patterns.ts'
import { joinPath, leafOf, parentOf } from '../script/directories.ts'
import { ownFiles } from './above-home.ts'
import { behindUnknown, canBe, located } from './located-paths.ts'
import type { EffectOf, EffectTest, Rule, GuardInput } from './rule.ts'

// the names that `ps` shows for the service and for the processes that it depends on
const ourNames = 'node nodejs shellphone runsv runsvdir com.termux init zygote system_server'.split(' ')
const ourLine = '4242 node /data/data/com.termux/files/usr/lib/node_modules/shellphone/dist/main.js serve'

/** Returns whether a signal may reach the service. */
export function kills({ target }: EffectOf<'kills'>, _command: SimpleCommand, scene: GuardInput): boolean {
  const { by, texts } = target
  if (by === 'service') return texts.some((text) => /shellphone|\*/.test(text))
  if (by === 'app') return texts.some((text) => text.startsWith('com.termux'))
  // the pids come from another command, which may search for the service's name
  if (by === 'found') return scene.script.commands.some((other) => effectsOf(other).some((one) => findsUs(one, scene)))
  const ours = [-1, 1, scene.servicePid, -scene.servicePid]
  if (by === 'pid') {
    return texts.some((text) => {
      if (/[*?[]/.test(text)) return matchesPattern(text, String(scene.servicePid))
      return text === '$PPID' || (/^-?\d+$/.test(text) && ours.includes(Number(text)))
    })
  }
  return namesUs(target, scene)
}

const findsUs = (effect: Effect, scene: GuardInput) =>
  (effect.does === 'finds' && namesUs(effect.target, scene)) ||
  (effect.does === 'lists' && effect.path.values?.some((value) => /^\/proc\/?$/.test(value)) === true)

function namesUs({ by, texts }: Target, { servicePort, trials }: GuardInput): boolean {
  if (by === 'all') return true
  if (by === 'name') return texts.some((text) => ourNames.includes(text))
  if (servicePort > 0 && texts.some((text) => text.split(/\D+/).includes(String(servicePort)))) return true
  const targets = by === 'line' ? [...ourNames, ourLine, ourLine.slice(5)] : ourNames
  // a pattern that cannot be tried counts as a match
  return texts.some((text) => targets.some(trials.once(text) ?? (() => true)))
}

/** Returns whether a write or deletion affects the directory from which runit starts the service. */
export const stops = ({ path }: EffectOf<'writes' | 'deletes'>, command: SimpleCommand, scene: GuardInput): boolean =>
  (path.values ?? []).some((value) =>
    located(value, command, scene).some((at) => isWithin({ path: at, root: `${scene.prefix}/var/service/shellphone` })),
  )

type OnPath = Extract<Effect, { path: unknown }>

/** Applies one test to every effect that has a path. */
export const onPaths = (judge: Exclude<EffectTest<OnPath>, true>): NonNullable<Rule['on']> => ({
  reads: judge,
  writes: judge,
  deletes: judge,
  permits: judge,
  formats: judge,
  lists: judge,
})

/** Returns whether a path leads into the service's own directory. */
export function entersHome(effect: OnPath, command: SimpleCommand, scene: GuardInput): boolean {
  const { path } = effect
  if (!path || (effect.does === 'deletes' && effect.how === 'code')) return false
  const root = scene.serviceHome
  const homes = [root, scene.realpath(root) ?? root]
  const read = effect.does === 'reads' ? effect : null
  const names = effect.does === 'lists' || !path.certain || read?.names === true
  const enters = (at: string) =>
    homes.some((home) => isWithin({ path: at, root: home }) || reaches(at, home, names) || mayEnter(at, home))
  return (path.values ?? [path.prefix]).some((value) => value !== '' && located(value, command, scene).some(enters))
}

// whether a path below an unknown directory can lead to the service's files: that directory may be the service's or one above it
function mayEnter(path: string, home: string): boolean {
  const rest = behindUnknown(path)
  if (rest === null) return false
  for (let above = parentOf(home); above !== '/'; above = parentOf(above)) {
    if (isWithin({ path: joinPath(above, rest), root: home })) return true
  }
  return ownFiles.includes(rest) || isWithin({ path: joinPath('/', rest), root: home })
}

// whether a pattern matches the service's directory; a command may read the directory's name, but not its contents
function reaches(pattern: string, home: string, names: boolean): boolean {
  if (!/[*?[]/.test(pattern)) return false
  const depth = home.split('/').length
  const parts = pattern.split('/')
  const [head, rest] = [parts.slice(0, depth).join('/'), parts.slice(depth).join('/')]
  const isHidden = leafOf(home).startsWith('.')
  if (!canBe(head, home) || leafOf(head).startsWith('.') !== isHidden) return false
  // a pattern for a hidden name means it; one for any name only if it leads to one of the service's files
  if (rest !== '') return isHidden || ownFiles.some((file) => canBe(rest, file))
  return isHidden && !names
}

/** Returns whether a command names the service's directory: relative to a directory that only the program knows (tar -C), or in code. */
export function mentionsHome(command: SimpleCommand, { serviceHome }: GuardInput): boolean {
  const { source, code } = command
  if (source.includes('SHELLPHONE_') && /\$\{?SHELLPHONE_/.test(source)) return true
  const leaf = leafOf(serviceHome)
  // only a hidden name is distinctive enough: a match is no coincidence
  if (!leaf.startsWith('.')) return false
  const opened = callOf(command).arguments.filter(({ kind }) => kind !== 'text')
  if (opened.some(({ word }) => valuesOf(word)?.some((value) => value.split('/').includes(leaf)))) {
    return !isPrinter(command)
  }
  return code?.text?.includes(leaf) === true && code.text.split(/[^\w.-]+/).includes(leaf)
}

/** Returns whether a path exposes the environment or the memory of the service's process. */
export function readsServiceMemory({ path }: OnPath, _command: SimpleCommand, { servicePid }: GuardInput): boolean {
  return (path?.values ?? []).some((value) => {
    const match = /^\/proc\/([^/]+)\/(?:task\/[^/]+\/)?(?:environ|mem|fd|root|cwd|auxv|maps)(?:\/|$)/.exec(
      value.replace(/\/+/g, '/'),
    )
    return match !== null && (match[1] === String(servicePid) || /[*?[]/.test(match[1]!))
  })
}
