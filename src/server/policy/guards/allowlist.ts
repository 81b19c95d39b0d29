/** NullClaw's `allowed_commands`: every command that can run must be on the list, and none may start unlisted programs. */
import { callOf, effectsOf, isSteering, runsLater } from '../programs/index.ts'
import type { SimpleCommand } from '../script/script.ts'
import { leafOf } from '../script/directories.ts'
import { isSystemProgram } from './located-paths.ts'
import { type Rule, rulesOf, type GuardInput } from './rule.ts'
import { runsOthers } from './runs-others.ts'

function isListed({ path }: SimpleCommand, { settings, prefix }: GuardInput): boolean {
  if (path === '') return true
  if (path === null) return false
  const leaf = leafOf(path)
  const isSystem = !path.includes('/') || isSystemProgram(path, prefix)
  return settings.allowed_commands!.some((given) => {
    const entry = given.trim()
    return entry === path || (isSystem && !entry.includes('/') && entry === leaf)
  })
}

// a transparent wrapper does not need to be listed if it runs a command
const isTransparent = (command: SimpleCommand) =>
  command.path?.includes('/') === false &&
  effectsOf(command).some((effect) => effect.does === 'runs' && effect.what === 'words' && effect.transparent)

// what may run unlisted, unless the owner wants only what is listed
const isExempt = (command: SimpleCommand) => isSteering(command) || isTransparent(command)

// a listed program that searches directories (find) may list files, but not run commands, delete or write
const walksAndChanges = (command: SimpleCommand) =>
  callOf(command).program?.spans !== undefined &&
  (callOf(command).commands.length > 0 ||
    effectsOf(command).some((effect) => effect.does === 'deletes' || (effect.does === 'writes' && !effect.redirect)))

const common = { guard: 'allowlist', verdict: 'deny', risk: 'medium' } as const

export const allowlistRules: readonly Rule[] = rulesOf(common, {
  'not-listed': {
    reason: 'Command not allowed: it is not on the list of allowed commands.',
    command: (command, scene) => !isListed(command, scene) && (scene.settings.strict_allowlist || !isExempt(command)),
  },
  'runs-others': {
    reason: 'Command not allowed: its arguments make it start other programs.',
    on: { writes: ({ redirect, path }) => redirect === true && (runsLater.test(path.prefix) || path.values === null) },
    command: (command) => runsOthers(command) || walksAndChanges(command),
  },
  'code-variable': {
    reason: 'Command not allowed: this variable decides which programs run.',
    on: { steers: true },
  },
  'inline-code': {
    reason: 'Command not allowed: it runs code that the list cannot judge.',
    on: {
      runs: (effect) =>
        effect.what === 'input' || (effect.what === 'source' && (!effect.data || effect.hidden === true)),
    },
  },
  opaque: { reason: 'Command not allowed: it is unclear what it would run.', doubts: 'all' },
  function: { reason: 'Command not allowed: a function can change what a command name means.', syntax: ['function'] },
})

/** Returns whether the list allows every command: ["*"]. */
export const allowsAll = (entries: readonly string[]): boolean => entries.some((entry) => entry.trim() === '*')
