import fc from 'fast-check'

/** Strings of any code points, lone surrogates too; `fc.string` prepares a table of all of them for seconds. */
export const unicode = (maxLength: number) =>
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints))
