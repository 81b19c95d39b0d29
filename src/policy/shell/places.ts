/** Paths as texts; and where a command can run, as `cd` after `cd` leads there. */

/** Every place possible at one point of a script, relative to its directory ('' is itself) or absolute; null: unknown. */
export type Places = string[] | null

/** The places after a statement that succeeded, and after one that failed. */
export interface Flow {
  ok: Places
  fail: Places
}

const MAX_PLACES = 16

/** Both sets together; more than 16 places are unknown. */
export function union(left: Places, right: Places): Places {
  if (left === null || right === null) return null
  const all = [...new Set([...left, ...right])]
  return all.length > MAX_PLACES ? null : all
}

/** Joins and tidies a path: `a/../b` is `b`, as `cd` does it; a relative result keeps the `..` that leave its start. */
export function joinPath(base: string, path: string): string {
  const whole = path.startsWith('/') || base === '' ? path : `${base}/${path}`
  if (!/\/[/.]|\/$|^\./.test(whole)) return whole
  const absolute = whole.startsWith('/')
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (!absolute) parts.push('..')
  }
  return (absolute ? '/' : '') + parts.join('/')
}

/** The places that a `cd` with these possible targets leads to. */
export function change(places: Places, targets: readonly string[] | null): Places {
  if (places === null || targets === null) return null
  const all = [...new Set(places.flatMap((place) => targets.map((target) => joinPath(place, target))))]
  return all.length > MAX_PLACES ? null : all
}

/** The last component; '' for the root. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The directory of a path. */
export const parentOf = (path: string): string => path.replace(/\/[^/]*$/, '') || '/'
