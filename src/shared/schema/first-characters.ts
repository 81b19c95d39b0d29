/** The first `most` UTF-16 code units of a text, without half of a surrogate pair at the end. */
export const firstCharacters = (text: string, most: number): string =>
  text.length <= most ? text : text.slice(0, most).replace(/[\ud800-\udbff]$/, '')
