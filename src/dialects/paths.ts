import { dirname, isAbsolute, join, normalize } from 'node:path/posix'
import type { World } from './dialect.ts'

/** The absolute form of a path as an agent writes it: `~` is the home, relative paths start at `base`. */
export const absolutePath = (path: string, base: string, home: string): string => {
  if (path === '~' || path.startsWith('~/')) return normalize(join(home, path.slice(1)))
  const whole = normalize(isAbsolute(path) ? path : join(base, path))
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

/** Longer than any path that the kernel takes (PATH_MAX). */
const MAX_PATH_LENGTH = 4096

/** Where a path really lies: symlinks of its deepest existing ancestor are followed, what does not exist yet is kept. */
export const realPlace = (path: string, world: Pick<World, 'realpath'>): string => {
  if (path.length > MAX_PATH_LENGTH) return path
  let ancestor = path
  while (ancestor !== '/' && world.realpath(ancestor) === null) ancestor = dirname(ancestor)
  return normalize(join(world.realpath(ancestor) ?? ancestor, path.slice(ancestor.length)))
}
