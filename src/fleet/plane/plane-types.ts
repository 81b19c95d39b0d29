/** Logs facts as fields, then a sentence. Neither may contain a token or a command's output. */
export type Log = (facts: object, sentence: string) => void

/** The roles of tokens, weakest first. An agent runs and reads, a person also answers approvals, an admin also manages phones and tokens. */
export const planeRoles = ['agent', 'person', 'admin'] as const
export type PlaneRole = (typeof planeRoles)[number]
