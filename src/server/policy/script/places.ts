/** Paths as texts; and where a command can run, as `cd` after `cd` leads there. */

/** Every place possible at one point of a script, relative to its directory ('' is itself) or absolute; null: unknown. */
export type Places = string[] | null

/** One point of a script. */
export interface ScriptPoint {
  places: Places // none: nothing leads here
  set: ReadonlySet<string> // variables that have been given a value by now for certain, and options of the shell, like -e
}

/** The point behind a statement that succeeded, and behind one that failed. */
export interface Flow {
  ok: ScriptPoint
  fail: ScriptPoint
}

export const nowhere: ScriptPoint = { places: [], set: new Set() }
const MAX_PLACES = 16

/** Where two ways meet; more than 16 places are unknown. */
export function union(left: ScriptPoint, right: ScriptPoint): ScriptPoint {
  if (left.places?.length === 0) return right
  if (right.places?.length === 0 || left === right) return left
  const set = new Set([...left.set].filter((name) => right.set.has(name)))
  return { places: left.places && right.places && bounded([...left.places, ...right.places]), set }
}

function bounded(places: readonly string[]): Places {
  const all = [...new Set(places)]
  return all.length > MAX_PLACES ? null : all
}

/** The point behind a statement, whatever came of it. */
export const either = ({ ok, fail }: Flow): ScriptPoint => union(ok, fail)
/** A statement that leads nowhere else. */
export const staying = (here: ScriptPoint): Flow => ({ ok: here, fail: here })

/** The same point, in a place that is not known. */
export const lost = ({ set }: ScriptPoint): ScriptPoint => ({ places: null, set })

/** The same point, with more variables or options set. */
export const setting = ({ places, set }: ScriptPoint, ...names: readonly string[]): ScriptPoint => ({
  places,
  set: new Set([...set, ...names]),
})

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

/** Where a `cd` with these possible targets leads. */
export const change = ({ places, set }: ScriptPoint, to: readonly string[] | null): ScriptPoint => ({
  places: to && places && bounded(places.flatMap((place) => to.map((path) => joinPath(place, path)))),
  set,
})

/** The last component; '' for the root. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The directory of a path. */
export const parentOf = (path: string): string => path.replace(/\/[^/]*$/, '') || '/'
