/** The digits of a run id, in ascending order. */
export const RUN_ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
export const RUN_ID_LENGTH = 26

/** Whether the text has the form of a run id, the only form that may become part of a path. */
export const isRunId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)

/** The time at which a run id was created, in ms since 1970. */
export function runIdMs(id: string): number {
  let ms = 0
  for (const digit of id.slice(0, 10)) ms = ms * 32 + RUN_ID_DIGITS.indexOf(digit)
  return ms
}
