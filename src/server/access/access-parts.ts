/** Facts as fields, the sentence last; never a token. */
export type Log = (facts: object, sentence: string) => void
