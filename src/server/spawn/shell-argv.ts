/** Linux refuses an argv string of 128 KiB (MAX_ARG_STRLEN) or more; a piece stays below that with a margin. */
const MAX_PIECE_BYTES = 120_000

/** Cuts text into pieces of fewer than `maxBytes` UTF-8 bytes, never inside a character. */
export function cutText(text: string, maxBytes: number): string[] {
  const bytes = Buffer.from(text, 'utf8')
  const pieces: string[] = []
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + maxBytes - 1, bytes.length)
    // 10xxxxxx continues a character
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--
    pieces.push(bytes.toString('utf8', start, end))
    start = end
  }
  return pieces
}

/**
 * The arguments that make a POSIX shell run `script`, up to about 2 MiB. A script that is too long for one argv string is passed in pieces. The double-quoted
 * text is expanded before eval runs it, so its first line, `set --`, hides the pieces from the script. `--`: a script that begins with a dash is not an option.
 */
export function shellArgv(shell: string, script: string): string[] {
  if (Buffer.byteLength(script) < MAX_PIECE_BYTES) return ['-c', '--', script]
  const pieces = cutText(script, MAX_PIECE_BYTES)
  const names = pieces.map((_, index) => `\${${index + 1}}`).join('')
  return ['-c', '--', `eval "set --\n${names}"`, shell, ...pieces]
}
