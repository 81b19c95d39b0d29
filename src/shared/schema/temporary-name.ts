/** A random name for an incomplete file, which cannot collide with a file of the user. */
export function temporaryName(): string {
  const random = crypto.getRandomValues(new Uint8Array(8))
  return `.shellphone-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}.part`
}

/** Whether this is the name of one of our incomplete files. */
export const isTemporaryName = (name: string): boolean => /^\.shellphone-[0-9a-f]{16}\.part$/.test(name)
