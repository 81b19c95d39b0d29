/** Where the paths of a command lead: absolute, with symbolic links resolved by a function that the caller hands in. */
import { joinPath, parentOf } from '../script/places.ts'
import { matchesPattern } from '../shell/patterns.ts'
import type { SimpleCommand } from '../script/script.ts'
import type { GuardInput } from './rule.ts'

const folders =
  '/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /system/bin /system/xbin /vendor/bin /apex/com.android.runtime/bin'.split(
    ' ',
  )

/** Whether a path is that of a program of the system. */
export const isSystemProgram = (path: string, prefix: string): boolean =>
  parentOf(path) === `${prefix}/bin` || folders.includes(parentOf(path))

/** Everywhere that a path of this command can lead; empty where the command's own directory is unknown. */
export function located(given: string, { places }: SimpleCommand, scene: GuardInput): string[] {
  // many programs expand a tilde that the shell has left alone
  const path = given.startsWith('~') ? given.replace(/^~(?=\/|$)/, scene.home) : given
  const own = (places ?? []).flatMap((place) => (place === '' ? [scene.cwd] : locate(place, scene.cwd, scene)))
  const from = path.startsWith('/') ? ['/'] : own
  return [...new Set(from.flatMap((directory) => locate(path, directory, scene, own)))]
}

/**
 * Where a path leads from a directory: as written with `..` taken literally, and as the kernel walks it through links. `own`: where the
 * command works, which is what /proc/self/cwd is to it.
 */
export function locate(path: string, directory: string, scene: GuardInput, own = [directory], hops = 0): string[] {
  const given = path.startsWith('/') ? path : `${directory}/${path}`
  const through = (at: string) => (hops < MAX_HOPS ? throughProcess(at, own) : null)
  const again = (paths: string[]) => paths.flatMap((one) => locate(one, '/', scene, own, hops + 1))
  const inProcess = through(given)
  if (inProcess) return again(inProcess)
  const written = joinPath(directory, path)
  const real = scene.realpath(written) ?? written
  const climbs = path.includes('..') && /(?:^|\/)\.\.(?:\/|$)/.test(path)
  const followed = climbs ? follow(path.startsWith('/') ? '/' : directory, path, scene.realpath) : real
  return [...new Set([written, real, followed].flatMap((at) => [at, ...again(through(at) ?? [])]))]
}

const MAX_HOPS = 4
const ofProcess = /^\/proc\/+(self|thread-self|0)(?:\/+task\/+[^/]+)?\/+(cwd|root)(?=\/|$)/

// a link of the command's own process; `$$` is read as 0
function throughProcess(path: string, own: readonly string[]): string[] | null {
  const [link, , name] = ofProcess.exec(path.replace(/\/\.(?=\/)/g, '')) ?? []
  if (link === undefined) return null
  const rest = path.replace(/\/\.(?=\/)/g, '').slice(link.length)
  return name === 'root' ? [rest === '' ? '/' : rest] : own.map((directory) => directory + rest)
}

/** What stands behind a link to a directory that nothing tells: a descriptor's, or that of another process; null: it is no such path. */
export const behindUnknown = (path: string): string | null =>
  /^\/(?:dev\/fd\/[^/]+|proc\/[^/]+(?:\/task\/[^/]+)?\/(?:cwd|fd\/[^/]+))\/(.+)$/.exec(path)?.[1] ?? null

function follow(start: string, path: string, realpath: GuardInput['realpath']): string {
  let at = realpath(start) ?? start
  for (const part of path.split('/').slice(0, 256)) {
    if (part === '' || part === '.') continue
    const next = part === '..' ? parentOf(at) : joinPath(at, part)
    at = part === '..' ? next : (realpath(next) ?? next)
  }
  return at
}

/** Whether a path with shell patterns in it can stand for this one, component by component. */
export function canBe(pattern: string, path: string): boolean {
  const left = pattern.split('/')
  const right = path.split('/')
  return (
    left.length === right.length &&
    left.every((part, index) => part === right[index] || (/[*?[]/.test(part) && matchesPattern(part, right[index]!)))
  )
}

const ordinaryNames = ['Vacation 2024.jpg', 'k', '.profile', 'a.b']

/** Whether a file name pattern takes (nearly) everything in its directory: `*`, `.*`, `?*`, `*.*` … */
export function isWide(leaf: string): boolean {
  if (!/[*?[]/.test(leaf) || !/^\.?[*?[\]!^.\w-]*$/.test(leaf) || !/^[.*?]*$|\[[!^]/.test(leaf)) return false
  return ordinaryNames.some((name) => matchesPattern(leaf, name))
}
