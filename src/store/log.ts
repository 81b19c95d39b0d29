/** Facts as fields, the sentence last; never output, never a token. */
export type Log = (fields: Record<string, unknown>, message: string) => void
