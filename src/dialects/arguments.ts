import { dirname, isAbsolute, join, normalize } from 'node:path/posix'
import type { Static, TObject } from '@sinclair/typebox'
import { argumentsOfModel, firstError } from '../schema/index.ts'
import type { World } from './dialect.ts'

/** A tool's arguments, checked and completed by the defaults of their schema; or why not. `noCommand`: the tool's own words for that, also for a blank one. */
export function readArguments<Schema extends TObject>(
  schema: Schema,
  given: unknown,
  noCommand: string,
): { values: Static<Schema> } | { refusal: string } {
  const values = argumentsOfModel(schema, given)
  const { command } = values
  const fault = firstError(schema, values)
  if (fault) return { refusal: command === undefined ? noCommand : fault.message }
  const isBlank = typeof command === 'string' && command.trim() === ''
  return isBlank ? { refusal: noCommand } : { values: values as Static<Schema> }
}

/** The absolute form of a path as a request writes it: `~` is the home, relative paths start at `base`. */
export function absolutePath(path: string, base: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return normalize(join(home, path.slice(1)))
  const whole = normalize(isAbsolute(path) ? path : join(base, path))
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

/** Longer than any path that the kernel takes (PATH_MAX). */
const MAX_PATH_LENGTH = 4096

/** Where a path really lies: symlinks of its deepest existing ancestor are followed, what does not exist yet is kept. */
export function realPlace(path: string, world: Pick<World, 'realpath'>): string {
  if (path.length > MAX_PATH_LENGTH) return path
  let ancestor = path
  while (ancestor !== '/' && world.realpath(ancestor) === null) ancestor = dirname(ancestor)
  return normalize(join(world.realpath(ancestor) ?? ancestor, path.slice(ancestor.length)))
}
