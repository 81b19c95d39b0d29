/** Where one path word of a command leads, and what the workspace guard says of it. */
import type { PathWord } from '../path-words.ts'
import { leafOf, parentOf } from '../paths.ts'
import { matchesPattern } from '../patterns.ts'
import { located, type Scene } from '../scene.ts'
import type { SimpleCommand } from '../script.ts'
import type { Rule } from './rule.ts'
import { outside, traversal, unknownPath } from './workspace-rules.ts'

/** Devices that are no files. */
export const harmless = /^\/dev\/(?:null|zero|u?random|stdin|stdout|stderr|tty|full|fd(?:\/\d+)?)$/

export type IsInside = (path: string) => boolean

/** The rule that a path word breaks, or null. */
export function judge(path: PathWord, command: SimpleCommand, scene: Scene, isInside: IsInside): Rule | null {
  if (path.values === null) return judgeUnknown(path, command, scene, isInside)
  for (const value of path.values) {
    const rule = judgeValue(value, path, command, scene, isInside)
    if (rule) return rule
  }
  return null
}

function judgeValue(
  value: string,
  path: PathWord,
  command: SimpleCommand,
  scene: Scene,
  isInside: IsInside,
): Rule | null {
  // many programs expand a tilde that the shell has left alone
  const tidy = value.replace(/\/+/g, '/').replace(/^~(?=\/|$)/, scene.home)
  if (harmless.test(tidy) || isProgram(tidy, path, command, scene)) return null
  if (!path.certain && !looksLikePath(tidy) && !leadsAway(tidy, command, scene, isInside)) return null
  if (path.glob && climbs(tidy)) return traversal
  const places = located(fixedPart(tidy, path.glob), command, scene)
  if (command.places === null && !tidy.startsWith('/')) return unknownPath
  if (places.every(isInside)) return null
  return /(?:^|\/)\.\.(?:\/|$)/.test(tidy) && !tidy.startsWith('/') ? traversal : outside
}

function judgeUnknown(path: PathWord, command: SimpleCommand, scene: Scene, isInside: IsInside): Rule | null {
  const known = path.prefix.replace(/[^/]*$/, '')
  if (known.startsWith('/') && !located(known, command, scene).every(isInside)) return outside
  return path.certain || path.prefix.includes('/') || path.prefix === '' ? unknownPath : null
}

const looksLikePath = (text: string) =>
  text.startsWith('/') || text.startsWith('~') || /(?:^|\/)\.\.(?:\/|$)/.test(text)
const leadsAway = (text: string, command: SimpleCommand, scene: Scene, isInside: IsInside) =>
  text.length < 256 && !text.startsWith('-') && !located(text, command, scene).every(isInside)

// a program of the system may be named by its path
function isProgram(value: string, path: PathWord, command: SimpleCommand, scene: Scene): boolean {
  if (path.source !== command.words[0]?.source || value !== command.path) return false
  return (
    [
      `${scene.prefix}/bin`,
      '/bin',
      '/sbin',
      '/usr/bin',
      '/usr/sbin',
      '/usr/local/bin',
      '/system/bin',
      '/system/xbin',
      '/vendor/bin',
    ].includes(parentOf(value)) || leafOf(value) === value
  )
}

// what stands before the first pattern is where the names come from
function fixedPart(value: string, glob: boolean): string {
  if (!glob) return value
  const at = value.search(/[*?[]/)
  if (at < 0) return value
  return value.slice(0, value.lastIndexOf('/', at) + 1) || '.'
}

// `.*` matches `..` in older shells, and `*/..` climbs out of a linked directory
function climbs(value: string): boolean {
  const parts = value.split('/')
  const firstGlob = parts.findIndex((part) => /[*?[]/.test(part))
  const dots = parts.some((part) => part.startsWith('.') && /[*?[]/.test(part) && matchesPattern(part, '..'))
  return dots || (firstGlob >= 0 && parts.slice(firstGlob).includes('..'))
}
