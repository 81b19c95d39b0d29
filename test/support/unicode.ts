import fc from 'fast-check'

/** Strings of any code points, including lone surrogates. `fc.string` would first spend seconds on a table of all of them. */
export const unicode = (maxLength: number) =>
  fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints))
