import { Type } from '@sinclair/typebox'
import { firstError, type TextFile, SavedRule, ShellphoneError } from '../../shared/schema/index.ts'
import { reasonOf } from './make-folder.ts'
import { newName } from './ids.ts'
import type { Log } from './warnings.ts'

/** A saved answer, and the digest of what it approves, which alone decides. */
export interface StoredRule extends SavedRule {
  digest: string
}

interface SavedRulesOptions {
  /** null: in memory alone */
  file: StoredRules | null
  /** the rule that would expire first goes when there are more */
  maxRules: number
  now(): number
  log: Log
}

const Stored = Type.Composite([SavedRule, Type.Object({ digest: Type.String() })])

/** `remove` throws where the disk refuses. */
export type StoredRules = TextFile & { remove(): void }

/** What has not every field was saved by another version: its digest covers less, or more, than one of ours. */
const isStoredRule = (value: unknown): value is StoredRule =>
  firstError(Stored, value) === null && Number.isFinite(Date.parse((value as StoredRule).expires_at))

/** What cannot be read approves nothing. */
function readRules({ file, log }: SavedRulesOptions): StoredRule[] {
  try {
    const rules: unknown = JSON.parse(file?.read() ?? '{}').rules
    return Array.isArray(rules) ? rules.filter(isStoredRule) : []
  } catch (error) {
    log({ reason: reasonOf(error) }, 'saved approvals cannot be read: none holds')
    return []
  }
}

/** Saved approvals in one small file (0600), replaced at once or not at all. */
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

  /** Where the disk refuses it holds until the service stops. */
  add(draft: Omit<StoredRule, 'id'>): StoredRule {
    const rule = { id: newName(), ...draft }
    const others = this.list().filter(({ digest }) => digest !== draft.digest)
    const newestFirst = [rule, ...others].sort((a, b) => Date.parse(b.expires_at) - Date.parse(a.expires_at))
    this.#rules = newestFirst.slice(0, this.options.maxRules)
    if (!this.#save()) this.options.log({ id: rule.id }, 'a saved approval holds until the service stops')
    return rule
  }

  /** NOT_FOUND: there is no such rule; EXECUTION_ERROR: the disk refused. */
  revoke(id: string): void {
    const left = this.#rules.filter((rule) => rule.id !== id)
    if (left.length === this.#rules.length) throw new ShellphoneError('NOT_FOUND', `No saved approval has the id ${id}`)
    this.#rules = left
    const { file } = this.options
    // no room for a shorter list: rather no saved approval than one that was revoked
    if (file === null || this.#save() || this.#tries(() => file.remove())) return
    throw new ShellphoneError(
      'EXECUTION_ERROR',
      'The rule is revoked, but the disk refused to store that: it returns after a restart',
    )
  }

  #save(): boolean {
    const { file } = this.options
    return file !== null && this.#tries(() => file.write(`${JSON.stringify({ rules: this.#rules }, null, 2)}\n`))
  }

  #tries(work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      this.options.log({ reason: reasonOf(error) }, 'saved approvals are not written')
      return false
    }
  }
}
