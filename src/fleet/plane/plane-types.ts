/** Logs facts as fields, with a sentence. Neither may contain a token or a command's output. */
export type Log = (facts: object, sentence: string) => void

/** The roles of tokens, weakest first. An agent runs commands and reads its own runs, a person also reads everything and answers approval requests, and an admin also manages phones and tokens. */
export const planeRoles = ['agent', 'person', 'admin'] as const
export type PlaneRole = (typeof planeRoles)[number]
