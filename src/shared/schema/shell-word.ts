/** A text as one word of a shell command. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** A path in a shell command, quoted if needed; `~/` in front stays unquoted, because the shell would not expand a quoted tilde. */
export function pathWord(path: string): string {
  const [home = ''] = /^~(?:\/|$)/.exec(path) ?? []
  const rest = path.slice(home.length)
  return home + (/^[\w./-]*$/.test(rest) ? rest : shellWord(rest))
}
