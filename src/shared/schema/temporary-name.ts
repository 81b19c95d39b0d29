/** A name for what is not whole yet, which no file of the user's has. */
export function temporaryName(): string {
  const random = crypto.getRandomValues(new Uint8Array(8))
  return `.shellphone-${Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')}.part`
}

/** Is it the name of a file of ours that is not whole? */
export const isTemporaryName = (name: string): boolean => /^\.shellphone-[0-9a-f]{16}\.part$/.test(name)
