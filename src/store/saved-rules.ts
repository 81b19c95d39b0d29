import fs from 'node:fs'
import path from 'node:path'
import { Type } from '@sinclair/typebox'
import { firstError, SavedRule } from '../schema/index.ts'
import { makeFolder, reasonOf, replaceFile } from './folder.ts'
import { newName } from './ids.ts'
import type { Log } from './log.ts'

/** A saved answer, and the digest of what it approves, which alone decides. */
export interface StoredRule extends SavedRule {
  digest: string
}

export interface SavedRules {
  list(): StoredRule[]
  find(digest: string): StoredRule | null
  /** false: the disk refused, and the rule holds until the service stops */
  add(rule: Omit<StoredRule, 'id'>): { rule: StoredRule; durable: boolean }
  /** null: there is no such rule */
  revoke(id: string): { durable: boolean } | null
}

export interface SavedRulesOptions {
  /** null: in memory alone */
  file: string | null
  /** the rule that would expire first goes when there are more */
  maxRules: number
  now(): number
  log: Log
}

const Stored = Type.Composite([SavedRule, Type.Object({ digest: Type.String() })])

/** What has not every field was saved by another version: its digest covers less, or more, than one of ours. */
const isStoredRule = (value: unknown): value is StoredRule =>
  firstError(Stored, value) === null && Number.isFinite(Date.parse((value as StoredRule).expires_at))

/** What cannot be read approves nothing. */
const readRules = ({ file, log }: SavedRulesOptions): StoredRule[] => {
  if (file === null || !fs.existsSync(file)) return []
  try {
    const rules: unknown = JSON.parse(fs.readFileSync(file, 'utf8')).rules
    return Array.isArray(rules) ? rules.filter(isStoredRule) : []
  } catch (error) {
    log({ reason: reasonOf(error) }, 'saved approvals cannot be read: none holds')
    return []
  }
}

/** Saved approvals in one small file (0600), replaced at once or not at all. */
export const createSavedRules = (options: SavedRulesOptions): SavedRules => {
  const { file, maxRules, now, log } = options
  let rules = readRules(options)

  const holds = ({ expires_at }: SavedRule): boolean => Date.parse(expires_at) > now()

  const save = (): boolean => {
    if (file === null) return false
    try {
      makeFolder(path.dirname(file))
      replaceFile(file, `${JSON.stringify({ rules }, null, 2)}\n`)
      return true
    } catch (error) {
      log({ reason: reasonOf(error) }, 'saved approvals are not written')
      return false
    }
  }

  /** No room for a shorter list: rather no saved approval than one that was revoked. */
  const removeAll = (target: string): boolean => {
    try {
      fs.rmSync(target, { force: true })
      return true
    } catch {
      return false
    }
  }

  const keepNewest = (): void => {
    rules = rules.filter(holds)
    rules.sort((a, b) => Date.parse(b.expires_at) - Date.parse(a.expires_at))
    rules.length = Math.min(rules.length, maxRules)
  }

  return {
    list: () => rules.filter(holds),
    find: (digest) => rules.find((rule) => rule.digest === digest && holds(rule)) ?? null,
    add: (draft) => {
      const rule = { id: newName(), ...draft }
      rules = [rule, ...rules.filter(({ digest }) => digest !== draft.digest)]
      keepNewest()
      return { rule, durable: save() }
    },
    revoke: (id) => {
      const left = rules.filter((rule) => rule.id !== id)
      if (left.length === rules.length) return null
      rules = left
      return { durable: file === null || save() || removeAll(file) }
    },
  }
}
