import { Type } from '@sinclair/typebox'
import { firstError, type TextFile, SavedRule, ShellphoneError } from '../../shared/schema/index.ts'
import { reasonOf } from './make-folder.ts'
import { newName } from './ids.ts'
import type { Log } from './warnings.ts'

/** A saved rule with the digest of what it approves; only the digest decides. */
export interface StoredRule extends SavedRule {
  digest: string
}

interface SavedRulesOptions {
  /** null: only in memory */
  file: RulesFile | null
  /** beyond this number the rule that expires first is dropped */
  maxRules: number
  now(): number
  log: Log
}

const StoredRuleSchema = Type.Composite([SavedRule, Type.Object({ digest: Type.String() })])

/** The file of saved rules. `remove` throws if the disk refuses. */
export type RulesFile = TextFile & { remove(): void }

/** A rule with missing fields was saved by another version, whose digest covers less or more than this one's. */
const isStoredRule = (value: unknown): value is StoredRule =>
  firstError(StoredRuleSchema, value) === null && Number.isFinite(Date.parse((value as StoredRule).expires_at))

/** Reads the saved rules; unreadable rules approve nothing. */
function readRules({ file, log }: SavedRulesOptions): StoredRule[] {
  try {
    const rules: unknown = JSON.parse(file?.read() ?? '{}').rules
    return Array.isArray(rules) ? rules.filter(isStoredRule) : []
  } catch (error) {
    log({ reason: reasonOf(error) }, 'approvals.json cannot be read: no saved approval is in force')
    return []
  }
}

/** Saved rules in one small file (0600), which is replaced atomically. */
export class SavedRules {
  #rules: StoredRule[]

  constructor(private readonly options: SavedRulesOptions) {
    this.#rules = readRules(options)
  }

  list(): StoredRule[] {
    return this.#rules.filter(({ expires_at }) => Date.parse(expires_at) > this.options.now())
  }

  find(digest: string): StoredRule | null {
    return this.list().find((rule) => rule.digest === digest) ?? null
  }

  /** Adds a rule. If the disk refuses, the rule is in force until the service stops. */
  add(draft: Omit<StoredRule, 'id'>): StoredRule {
    const rule = { id: newName(), ...draft }
    const others = this.list().filter(({ digest }) => digest !== draft.digest)
    const newestFirst = [rule, ...others].sort((a, b) => Date.parse(b.expires_at) - Date.parse(a.expires_at))
    this.#rules = newestFirst.slice(0, this.options.maxRules)
    if (!this.#save())
      this.options.log({ id: rule.id }, 'a saved approval cannot be written: it is in force until the service stops')
    return rule
  }

  /** Revokes a rule. Throws NOT_FOUND: no such rule; EXECUTION_ERROR: the disk refused. */
  revoke(id: string): void {
    const left = this.#rules.filter((rule) => rule.id !== id)
    if (left.length === this.#rules.length) throw new ShellphoneError('NOT_FOUND', `No saved approval has the id ${id}`)
    this.#rules = left
    const { file } = this.options
    // if the shorter list cannot be written, having no saved rules is better than keeping a revoked one
    if (file === null || this.#save() || this.#succeeds(() => file.remove())) return
    throw new ShellphoneError(
      'EXECUTION_ERROR',
      'The rule is revoked only until the next restart, because the disk refused to store the change',
    )
  }

  #save(): boolean {
    const { file } = this.options
    return file !== null && this.#succeeds(() => file.write(`${JSON.stringify({ rules: this.#rules }, null, 2)}\n`))
  }

  #succeeds(work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      this.options.log({ reason: reasonOf(error) }, 'saved approvals cannot be written')
      return false
    }
  }
}
