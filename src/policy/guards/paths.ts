/** Paths as the guards compare them: absolute, tidied, with symbolic links resolved by a function that the caller hands in. */
import { matchesPattern } from '../shell/patterns.ts'
import { joinPath } from '../shell/places.ts'

/** Resolves links in the longest part of an absolute path that exists; null where even that fails. */
export type RealPath = (path: string) => string | null

/** The last component; '' for the root. */
export const leafOf = (path: string): string => path.replace(/^.*\//s, '')

/** The directory of a path. */
export const parentOf = (path: string): string => path.replace(/\/[^/]*$/, '') || '/'

/** Where the programs of the system lie. */
export function programFolders(prefix: string): string[] {
  const folders =
    '/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin /system/bin /system/xbin /vendor/bin /apex/com.android.runtime/bin'
  return [`${prefix}/bin`, ...folders.split(' ')]
}

/** Where a path leads from a directory: as written with `..` taken literally, and as the kernel walks it through links. */
export function locate(path: string, directory: string, realpath: RealPath): string[] {
  const written = joinPath(directory, path)
  const found = new Set([written, realpath(written) ?? written])
  if (/(?:^|\/)\.\.(?:\/|$)/.test(path)) found.add(follow(path.startsWith('/') ? '/' : directory, path, realpath))
  return [...found]
}

function follow(start: string, path: string, realpath: RealPath): string {
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

/** Whether a file name pattern takes (nearly) everything in its directory: `*`, `.*`, `?*`, `*.*` … */
export function isWide(leaf: string): boolean {
  return (
    /[*?[]/.test(leaf) &&
    ['Vacation 2024.jpg', 'k', '.profile', 'a.b'].some(
      (name) => /^\.?[*?[\]!^.\w-]*$/.test(leaf) && matchesPattern(leaf, name),
    ) &&
    /^[.*?]*$|\[[!^]/.test(leaf)
  )
}
