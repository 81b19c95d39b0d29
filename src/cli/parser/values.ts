/** The values of an option. The parser refuses all others, the help names them, and completion offers those that are fixed. */
export interface Values {
  /** the end of `expected …` in a message */
  expected: string
  accepts(text: string): boolean
  /** fixed values */
  words?: readonly string[]
}

/** `a, b or c` */
export const listOf = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words.join('')

/** One of fixed words. */
export const oneOf = (...words: string[]): Values => ({
  expected: listOf(words),
  accepts: (text) => words.includes(text),
  words,
})

/** One of fixed words, or JSON. */
export const oneOfOrJson = (...words: string[]): Values => ({
  expected: `${words.join(', ')} or a JSON object`,
  accepts: (text) => words.includes(text) || text.trimStart().startsWith('{'),
  words,
})

/** A whole number within these limits. */
export const wholeNumber = (least: number, most: number): Values => ({
  expected: `a whole number from ${least} to ${most}`,
  accepts: (text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most,
})

/** A number greater than `above`. `what`: the unit. */
export const numberAbove = (above: number, what: string): Values => ({
  expected: `${what} greater than ${above}`,
  accepts: (text) => text.trim() !== '' && Number.isFinite(Number(text)) && Number(text) > above,
})

/** Byte offsets of stdout and stderr. */
export const byteOffsets: Values = {
  expected: 'bytes of stdout and of stderr such as 4096.120',
  accepts: (text) => /^\d{1,15}\.\d{1,15}$/.test(text),
}

/** A duration greater than 0, in seconds or with a unit: seconds, minutes, hours or days. */
export const duration: Values = {
  expected: 'a time such as 90s, 15m, 1h or 2d, or seconds',
  accepts: (text) => /^\d{1,9}(\.\d{1,3})?[smhd]?$/.test(text) && Number.parseFloat(text) > 0,
}
