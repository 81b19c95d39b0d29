/** Escapes the characters that mean something in a regular expression, with and without the flag u, which forbids to escape others. */
export const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** A pattern that matches this text literally, ignoring case. The service and the page search with it, so that they find the same. */
export const textPattern = (text: string): RegExp => new RegExp(escapePattern(text), 'giu')
