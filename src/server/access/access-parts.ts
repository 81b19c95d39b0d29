/** Logs a sentence with these fields; neither may contain a token. */
export type Log = (facts: object, sentence: string) => void
