/**
 * Rejects phrases that a reader would have to learn, in documents, comments, strings and names. Prints the file, the line and what to write
 * instead, and exits with 1. To allow a phrase in a file, add the file to the third element of its row. To reject another phrase, add a row.
 *
 *     node scripts/test/words.mjs
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** [phrase, what to write, files in which it is allowed] */
const phrases = [
  [/\bwhoever\b/i, '"anyone who", or name the caller'],
  [/\btold\b/i, '"reported", "received", "notified"'],
  [/\btells?\b/i, '"reports", "shows", "says"'],
  [/\bhears?\b|\bheard\b/i, '"receives"'],
  [/\bto be had\b/i, '"available"'],
  [/\bsilence is\b/i, '"no answer means deny"'],
  [/\bso (?:long|many)\b/i, '"this long", "that many", "while"'],
  [/\bby itself\b/i, '"on its own", "automatically"'],
  [/\banew\b/i, '"again"'],
  [/\bmay everything\b/i, '"has full access"'],
  [/\bgo(?:es|ing)? on\b/i, '"continues", "resumes"'],
  [/\bmend(?:s|ed|ing)?\b/i, '"fix", except for the field of GET /doctor', /doctor|openapi|docs\.html|setup/],
  [/(?<!type |view |bounding )\bbox(?:es|ed)?\b|\bunboxed\b/i, '"sandbox", "sandboxed"', /launcher/],
  [/\btroubles?\b/i, '"error", "warning", except for the field of GET /health', /fleet|openapi|docs\.html/],
  [/\btwins?\b/i, '"duplicate identity"'],
  [/\bseats?\b/i, '"membership"'],
  [/\bknock(?:s|ed|ing)?\b/i, '"connect", "unauthenticated connection"'],
  [/\blobby\b/i, '"pending list"'],
  [/\bhush(?:ed)?\b/i, '"mute"', /policy\/programs/],
  [/\bfence[sd]?\b/i, '"enforce the sandbox"'],
  [/\bwish(?:es|ed)?\b/i, '"options", "requested limits"', /policy\/programs/],
  [/\bbeats?\b/i, '"heartbeat"'],
]

/** Lines and files that are exempt: fixed by the specification of a dialect, data of tests, generated, or the list above. */
const skipped = /^test\/fixtures\/|dialects\/|\/slow\/mcp\/|openapi\.d\.ts$|scripts\/test\/words\.mjs$/
const kinds = ['*.md', '*.ts', '*.tsx', '*.mjs', '*.c', '*.h', '*.sh', '*.yaml', '*.html']
const files = execFileSync('git', ['ls-files', ...kinds], { encoding: 'utf8' })
  .trim()
  .split('\n')

for (const file of files.filter((name) => !skipped.test(name))) {
  for (const [index, line] of `${file}\n${readFileSync(file, 'utf8')}`.split('\n').entries()) {
    const words = line.replace(/([a-z])(?=[A-Z])/g, '$1 ') // splits names into words
    for (const [phrase, instead, allowed] of phrases) {
      if (!phrase.test(words) || allowed?.test(file)) continue
      console.error(`${file}:${Math.max(index, 1)}: "${phrase.exec(words)[0]}": write ${instead}`)
      process.exitCode = 1
    }
  }
}
