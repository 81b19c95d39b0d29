/** Paths as strings, and the directories in which a command can run after each `cd`. */

/** Every possible directory at one point of a script: absolute, or relative to the start directory (''); null: unknown. */
export type Directories = string[] | null

/** One point of a script. */
export interface ScriptPoint {
  directories: Directories // empty: this point cannot be reached
  set: ReadonlySet<string> // variables that certainly have a value at this point, and shell options such as -e
}

/** The points after a statement: if it succeeded, and if it failed. */
export interface Flow {
  ok: ScriptPoint
  fail: ScriptPoint
}

export const unreachable: ScriptPoint = { directories: [], set: new Set() }
const MAX_DIRECTORIES = 16

/** Returns the point where two paths of execution meet. More than 16 possible directories count as unknown. */
export function union(left: ScriptPoint, right: ScriptPoint): ScriptPoint {
  if (left.directories?.length === 0) return right
  if (right.directories?.length === 0 || left === right) return left
  const set = new Set([...left.set].filter((name) => right.set.has(name)))
  return {
    directories: left.directories && right.directories && bounded([...left.directories, ...right.directories]),
    set,
  }
}

function bounded(directories: readonly string[]): Directories {
  const all = [...new Set(directories)]
  return all.length > MAX_DIRECTORIES ? null : all
}

/** Returns the point after a statement, whether it succeeded or failed. */
export const afterEither = ({ ok, fail }: Flow): ScriptPoint => union(ok, fail)
/** Returns the flow of a statement that changes nothing. */
export const unchanged = (here: ScriptPoint): Flow => ({ ok: here, fail: here })

/** Returns the same point, in an unknown directory. */
export const inUnknownDirectory = ({ set }: ScriptPoint): ScriptPoint => ({ directories: null, set })

/** Returns the same point, with more variables or options set. */
export const withNamesSet = ({ directories, set }: ScriptPoint, ...names: readonly string[]): ScriptPoint => ({
  directories,
  set: new Set([...set, ...names]),
})

/** Joins and normalises a path as `cd` does: `a/../b` becomes `b`. A relative result keeps each leading `..`. */
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

/** Returns the point after a `cd` with these possible targets. `to` null: unknown. */
export const changeDirectory = ({ directories, set }: ScriptPoint, to: readonly string[] | null): ScriptPoint => ({
  directories: to && directories && bounded(directories.flatMap((place) => to.map((path) => joinPath(place, path)))),
  set,
})

/** Returns the last component of a path; '' for the root. */
export const leafOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Returns the parent directory of a path. */
export const parentOf = (path: string): string => path.replace(/\/[^/]*$/, '') || '/'
