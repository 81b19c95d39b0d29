/** A name for an incomplete file, which no file of the user has. */
export function temporaryName(): string {
  const random = crypto.getRandomValues(new Uint8Array(8))
  return `.shellphone-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}.part`
}

/** Whether it is the name of an incomplete file of ours. */
export const isTemporaryName = (name: string): boolean => /^\.shellphone-[0-9a-f]{16}\.part$/.test(name)
