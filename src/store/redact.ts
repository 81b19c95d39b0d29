import type { RunSummary } from '../schema/index.ts'
/** One known shape of a secret. The first group, where there is one, is what stays readable. */
export interface RedactionRule {
  name: string
  pattern: RegExp
  /** text → what is stored of it */
  examples: [string, string][]
  notMatch: string[]
}

const GONE = '[redacted]'

/** Shapes of secrets that people put into commands. To add one: a row, with its examples. Each pattern runs in linear time. */
export const redactionRules: RedactionRule[] = [
  {
    name: 'authorization-header',
    pattern:
      /(\b(?:authorization|proxy-authorization)["']?\s*[:=]\s*["']?(?:bearer|basic|token|digest)?\s*)[^\s"'\\]{6,}/gi,
    examples: [["curl -H 'Authorization: Bearer abc.def-123' x", `curl -H 'Authorization: Bearer ${GONE}' x`]],
    notMatch: ['grep authorization README.md'],
  },
  {
    name: 'named-secret',
    pattern:
      /(\b[a-z0-9_-]{0,40}(?:password|passwd|passphrase|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key|credentials?)["']?\s*(?:=|:\s)\s*["']?)[^\s"'&;|<>)$`]{3,}/gi,
    examples: [
      ['GITHUB_TOKEN=abc123def git push', `GITHUB_TOKEN=${GONE} git push`],
      [`curl -d '{"password": "hunter22"}' x`, `curl -d '{"password": "${GONE}"}' x`],
      ['mysql --password=hunter22 db', `mysql --password=${GONE} db`],
      ['curl "https://x/y?api_key=abcdef&z=1"', `curl "https://x/y?api_key=${GONE}&z=1"`],
    ],
    notMatch: ['TOKEN=$(cat file) run', 'TOKEN="$OTHER" run', 'cat secret.txt', 'passwd root'],
  },
  {
    name: 'secret-flag',
    pattern: /((?:^|\s)--?(?:password|passwd|pass|token|secret|api-key|access-token)\s+["']?)[^\s"'$`-][^\s"'$`]{2,}/gi,
    examples: [['tool --password hunter22 go', `tool --password ${GONE} go`]],
    notMatch: ['tool --token --verbose', 'tool --password "$P"'],
  },
  {
    name: 'user-and-password-flag',
    pattern: /((?:^|\s)(?:-u|--user|--proxy-user)[\s=]*["']?[^\s:"'/]{1,100}:)[^\s"'$`]{3,}/g,
    examples: [['curl -u me:hunter22 https://x', `curl -u me:${GONE} https://x`]],
    notMatch: ['docker run -u 1000:10 x'],
  },
  {
    name: 'password-in-url',
    pattern: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{0,100}:)[^\s/@"'$`]{1,200}(?=@)/gi,
    examples: [['git clone https://me:hunter22@host/x', `git clone https://me:${GONE}@host/x`]],
    notMatch: ['curl http://localhost:8029/@x', 'ssh://me@host:22/'],
  },
  {
    name: 'known-prefix',
    pattern:
      /\b(?:sk-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|AKIA[A-Z0-9]{16}|ASIA[A-Z0-9]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|pypi-[\w-]{30,}|ya29\.[\w.-]{20,}|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[a-f0-9]{40,}|\d{8,10}:AA[\w-]{30,})/g,
    examples: [
      ['export K=sk-proj-abcdefghijklmnop1234', `export K=${GONE}`],
      ['echo ghp_abcdefghijklmnopqrstuvwxyz012345 | gh', `echo ${GONE} | gh`],
      ['aws AKIAIOSFODNN7EXAMPLE', `aws ${GONE}`],
    ],
    notMatch: ['ls sk-short', 'git log ghp_x'],
  },
  {
    name: 'json-web-token',
    pattern: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g,
    examples: [['x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_123 y', `x ${GONE} y`]],
    notMatch: ['eyJhbGci'],
  },
  {
    name: 'private-key',
    pattern: /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)[^-]*/g,
    examples: [
      [
        'echo "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"',
        `echo "-----BEGIN RSA PRIVATE KEY-----${GONE}-----END RSA PRIVATE KEY-----"`,
      ],
    ],
    notMatch: ['-----BEGIN CERTIFICATE-----\nMIIE\n'],
  },
]

/** Cheap look before the patterns: none of them can match without one of these. */
const SUSPICIOUS =
  /authorization|pass|secret|token|key|credential|user|\s-u|:\/\/|sk-|gh[pousr]_|glpat|xox|A[KS]IA|AIza|npm_|hf_|pypi-|ya29|[sr]k_|SG\.|dop_v1|:AA|eyJ/i

/** The text with every known shape of a secret replaced by `[redacted]`. Hygiene for what is stored, not a promise: unknown shapes stay. */
export const redact = (text: string): string =>
  SUSPICIOUS.test(text)
    ? redactionRules.reduce((rest, { pattern }) => rest.replace(pattern, (_, kept) => keptText(kept) + GONE), text)
    : text

const keptText = (group: unknown): string => (typeof group === 'string' ? group : '')

/** A record as it is stored: commands, notes and reasons without secrets. */
export function redacted<T extends RunSummary>(record: T): T {
  const { decision } = record
  const command = redact(record.command)
  const reason = decision.reason && redact(decision.reason)
  const rules = decision.rules?.map((one) => ({ ...one, reason: one.reason && redact(one.reason) }))
  if (record.notes.length === 0 && !rules && command === record.command && reason === decision.reason) return record
  const told = { ...decision, reason, ...(rules && { rules }) }
  return { ...record, command, notes: record.notes.map(redact), decision: told }
}
