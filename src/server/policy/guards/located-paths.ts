/** Resolves the paths in a command to absolute paths. The caller supplies the function that resolves symbolic links. */
import { joinPath, parentOf } from '../script/directories.ts'
import { matchesPattern } from '../shell/patterns.ts'
import type { SimpleCommand } from '../script/script.ts'
import type { GuardInput } from './rule.ts'

const folders =
  '/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /system/bin /system/xbin /vendor/bin /apex/com.android.runtime/bin'.split(
    ' ',
  )

/** Returns whether a path names a system program. */
export const isSystemProgram = (path: string, prefix: string): boolean =>
  parentOf(path) === `${prefix}/bin` || folders.includes(parentOf(path))

/** Returns all absolute paths that a path in this command can mean; empty if the command's directory is unknown. */
export function located(given: string, { directories }: SimpleCommand, scene: GuardInput): string[] {
  // many programs expand a tilde that the shell did not expand
  const path = given.startsWith('~') ? given.replace(/^~(?=\/|$)/, scene.home) : given
  const own = (directories ?? []).flatMap((directory) =>
    directory === '' ? [scene.cwd] : locate(directory, scene.cwd, scene),
  )
  const from = path.startsWith('/') ? ['/'] : own
  return [...new Set(from.flatMap((directory) => locate(path, directory, scene, own)))]
}

/**
 * Returns the absolute paths to which a path can lead from a directory: with each `..` removed textually, and as the kernel resolves it
 * through symbolic links. `own`: the command's working directories, to which /proc/self/cwd leads.
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

// resolves /proc/self/cwd and /proc/self/root; the parser represents `$$` as 0
function throughProcess(path: string, own: readonly string[]): string[] | null {
  const [link, , name] = ofProcess.exec(path.replace(/\/\.(?=\/)/g, '')) ?? []
  if (link === undefined) return null
  const rest = path.replace(/\/\.(?=\/)/g, '').slice(link.length)
  return name === 'root' ? [rest === '' ? '/' : rest] : own.map((directory) => directory + rest)
}

/** Returns the part of a path after a link to an unknown directory, such as /dev/fd/3 or /proc/PID/cwd; null without such a link. */
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

/** Returns whether a path that contains shell patterns can match another path, component by component. */
export function canBe(pattern: string, path: string): boolean {
  const left = pattern.split('/')
  const right = path.split('/')
  return (
    left.length === right.length &&
    left.every((part, index) => part === right[index] || (/[*?[]/.test(part) && matchesPattern(part, right[index]!)))
  )
}

const ordinaryNames = ['Vacation 2024.jpg', 'k', '.profile', 'a.b']

/** Returns whether a file name pattern matches (nearly) everything in its directory: `*`, `.*`, `?*`, `*.*` … */
export function isWide(leaf: string): boolean {
  if (!/[*?[]/.test(leaf) || !/^\.?[*?[\]!^.\w-]*$/.test(leaf) || !/^[.*?]*$|\[[!^]/.test(leaf)) return false
  return ordinaryNames.some((name) => matchesPattern(leaf, name))
}
