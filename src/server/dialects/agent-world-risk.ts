import { basename } from 'node:path/posix'
import type { Argv } from './agent-world-argv.ts'

/** How agent-world classes a command: `block` never runs, `ask` needs a person's yes. */
interface Tier {
  verdict: 'ask' | 'block'
  reason: string
  matches(command: string, parameters: string[]): boolean
}

const deletes = new Set(['rm', 'rmdir', 'unlink', 'del', 'erase'])
const systemFolder = /^\/(?:etc|usr|bin|sbin|lib|opt|var|system|library|private|proc|sys|dev)(?:\/|$)/i
const criticalTarget = /^(?:\/+\*?|~\/?\*?|\/root\/?|[a-z]:[\\/]?)$/i

const hasOption = (parameters: string[], letter: string, long: string) =>
  parameters.some((token) => token === long || new RegExp(`^-[a-z]*${letter}`, 'i').test(token))

const isCatastrophicDelete = (command: string, parameters: string[]) =>
  deletes.has(command) &&
  (parameters.includes('--no-preserve-root') ||
    (hasOption(parameters, 'r', '--recursive') &&
      hasOption(parameters, 'f', '--force') &&
      parameters.some((token) => criticalTarget.test(token) || systemFolder.test(token))))

/** In order: the first that matches speaks. */
const tiers: Tier[] = [
  { verdict: 'block', reason: 'catastrophic_delete_target', matches: isCatastrophicDelete },
  {
    verdict: 'block',
    reason: 'catastrophic_disk_operation',
    matches: (command) => /^(?:mkfs(?:\..+)?|fdisk|sfdisk|parted)$/.test(command),
  },
  {
    verdict: 'block',
    reason: 'catastrophic_disk_write',
    matches: (command, parameters) => command === 'dd' && parameters.some((token) => token.startsWith('of=/dev/')),
  },
  {
    verdict: 'ask',
    reason: 'destructive_delete_wildcard',
    matches: (command, parameters) => deletes.has(command) && parameters.some((token) => /[*?]/.test(token)),
  },
  { verdict: 'ask', reason: 'destructive_delete', matches: (command) => deletes.has(command) },
  {
    verdict: 'ask',
    reason: 'recursive_permission_change',
    matches: (command, parameters) =>
      /^(?:chmod|chown|chgrp)$/.test(command) && parameters.some((token) => /^-[a-zA-Z]*R|^--recursive$/.test(token)),
  },
  {
    verdict: 'ask',
    reason: 'destructive_git_clean',
    matches: (command, parameters) =>
      command === 'git' &&
      parameters.includes('clean') &&
      parameters.some((token) => /^-[a-zA-Z]*[fdx]|^--force$/.test(token)),
  },
  {
    verdict: 'ask',
    reason: 'remote_download',
    matches: (command, parameters) =>
      /^(?:curl|wget)$/.test(command) &&
      parameters.some((token) => /^[a-z]+:\/\//i.test(token)) &&
      parameters.some((token) => /^-[a-zA-Z]*[oO]|^--(?:output|output-document|remote-name)\b/.test(token)),
  },
]

/** The tier of a command, or null for low risk. */
export const tierOf = ({ command, parameters }: Argv): Tier | null =>
  tiers.find((tier) => tier.matches(basename(command).toLowerCase(), parameters)) ?? null
