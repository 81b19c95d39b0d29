import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const COUNTER_LIMIT = 32 ** 3
const pool = Buffer.alloc(1300)
let poolUsed = pool.length
let lastMs = 0
let counter = 0

const encode = (value: number, digits: number): string => {
  let text = ''
  for (let rest = value; text.length < digits; rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text
  return text
}

const randomDigits = (digits: number): string => {
  if (poolUsed + digits > pool.length) {
    randomFillSync(pool)
    poolUsed = 0
  }
  let text = ''
  for (const end = poolUsed + digits; poolUsed < end; poolUsed++) text += ALPHABET[pool[poolUsed]! & 31]
  return text
}

/** A run's name: 26 characters, 10 of time (ms), 3 of counter, 13 (65 bits) random. Later ones of a process always sort after earlier ones. */
export const newRunId = (nowMs: number): string => {
  const ms = Math.max(Math.floor(nowMs), lastMs)
  counter = ms === lastMs ? counter + 1 : 0
  lastMs = counter < COUNTER_LIMIT ? ms : ms + 1
  if (counter === COUNTER_LIMIT) counter = 0
  return encode(lastMs, 10) + encode(counter, 3) + randomDigits(13)
}

/** The only shape from which a path is ever built. */
export const isRunId = (text: unknown): text is string =>
  typeof text === 'string' && /^[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)

/** When a run was named, in ms since 1970. */
export const runIdMs = (id: string): number => {
  let ms = 0
  for (const digit of id.slice(0, 10)) ms = ms * 32 + ALPHABET.indexOf(digit)
  return ms
}

/** A name of 16 random characters (80 bits), for what a person may have to type: it begins with no dash. */
export const newName = (): string => randomDigits(16)
