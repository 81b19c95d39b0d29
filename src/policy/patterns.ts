/** The shell's patterns (* ? [ ]) as regular expressions, and what the # and % expansions leave of a value. */

/** Translates one shell pattern; `*` and `?` do not cross a slash unless `wide`. */
export function toRegExp(pattern: string, wide: boolean): RegExp {
  const any = wide ? '[\\s\\S]' : '[^/]'
  let source = ''
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!
    if (character === '*') {
      while (pattern[at + 1] === '*') at += 1
      source += `${any}*`
    } else if (character === '?') source += any
    else if (character === '[') {
      const set = /^\[(!|\^)?(\]?[^\]]*)\]/.exec(pattern.slice(at))
      source += set ? `[${set[1] ? '^' : ''}${set[2]!.replace(/[\\\]^[]/g, '\\$&')}]` : '\\['
      if (set) at += set[0].length - 1
    } else source += character.replace(/[.+^${}()|\\/\]]/g, '\\$&')
  }
  try {
    return new RegExp(`^${source}$`)
  } catch {
    return new RegExp(`^${any}*$`) /* a range out of order, like [z-a]: matches anything, to be safe */
  }
}

/** `${value#pattern}`, `##`, `%`, `%%`: the value without its shortest or longest matching head or tail. */
export function affixPattern(value: string, pattern: string, operator: string): string {
  if (value.length > 512 || pattern.length > 64) return value
  const matcher = toRegExp(pattern, true)
  const lengths = Array.from({ length: value.length + 1 }, (_, length) => length)
  if (operator.length === 2) lengths.reverse()
  for (const length of lengths) {
    const cut = operator.startsWith('#') ? value.slice(0, length) : value.slice(value.length - length)
    if (matcher.test(cut)) return operator.startsWith('#') ? value.slice(length) : value.slice(0, value.length - length)
  }
  return value
}
