import { type ExecRecord, type RunSummary, type CollectedOutput, withoutTexts } from '../../shared/schema/index.ts'

const REPLACEMENT = '[redacted]'

/**
 * Patterns of secrets in commands. The first group, if any, stays readable. To add a pattern, write a row here and examples in
 * test/server/store/secrets.ts. Each pattern runs in linear time.
 */
export const redactionRules: Record<string, RegExp> = {
  'authorization-header':
    /(\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest)?\s*)[^\s"'\\]{6,}/gi,
  'named-secret':
    /(\b[a-z0-9_-]{0,40}(?:password|passwd|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credentials?)["']?\s*(?:=|:\s)\s*["']?)[^\s"'&;|<>)$`]{3,}/gi,
  'secret-flag':
    /((?:^|\s)--?(?:password|passwd|pass|token|secret|api-key|access-token)\s+["']?)[^\s"'$`-][^\s"'$`]{2,}/gi,
  'user-and-password-flag': /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]*["']?[^\s:"'/]{1,100}:)[^\s"'$`]{3,}/g,
  // mysql -pSECRET: only for these clients, because -p means a port or a path in others
  'password-glued-to-flag':
    /((?:\b(?:mysql\w*|mariadb[\w-]*|mycli|7z[ar]?|(?:un)?rar)\b[^\n;|&]{0,500}?\s-p|\bsshpass\s+-p\s*)["']?)[^\s"'$`;|&]+/g,
  'password-in-url': /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{0,100}:)[^\s/@"'$`]{1,200}(?=@)/gi,
  'known-prefix':
    /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|pypi-[\w-]{30,}|ya29\.[\w.-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[a-f0-9]{40,}|\d{8,10}:AA[\w-]{30,})/g,
  'json-web-token': /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
  'private-key': /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]*/g,
}

/** A cheap test before the patterns: none of them can match without one of these. */
const SUSPICIOUS =
  /authorization|pass|secret|token|key|credential|user|\s-[up]|:\/\/|sk-|gh[pousr]_|glpat|xox|A[KS]IA|AIza|npm_|hf_|pypi-|ya29|[sr]k_|SG\.|dop_v1|:AA|eyJ/i

/** The text with every known form of a secret replaced by `[redacted]`. This is not a guarantee: unknown forms remain. */
export const redact = (text: string): string =>
  SUSPICIOUS.test(text) ? Object.values(redactionRules).reduce(hide, text) : text

const hide = (text: string, pattern: RegExp): string =>
  text.replace(pattern, (_, readable) => (typeof readable === 'string' ? readable : '') + REPLACEMENT)

/** A record in the form that is stored: without the texts of its reply, and with its command, notes and reasons redacted. */
export function toStored(record: ExecRecord, isRedacted: boolean): RunSummary {
  const stored = withoutTexts(record)
  if (!isRedacted) return stored
  const { command, notes, decision } = stored
  const reason = decision.reason && redact(decision.reason)
  const rules = decision.rules?.map((one) => ({ ...one, reason: one.reason && redact(one.reason) }))
  const storedDecision = { ...decision, reason, ...(rules && { rules }) }
  return {
    ...stored,
    command: redact(command),
    notes: notes.map(({ code, text }) => ({ code, text: redact(text) })),
    decision: storedDecision,
  }
}

/** The output of a reply in the form that is stored: findings are redacted, the output itself is not. */
export function toStoredShown(shown: CollectedOutput, isRedacted: boolean): CollectedOutput {
  const hidden = (text: string | null) => text && redact(text)
  const guards = shown.guards.map((one) => ({ ...one, command: hidden(one.command), reason: hidden(one.reason) }))
  return isRedacted ? { ...shown, guards } : shown
}
