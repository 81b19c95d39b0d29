/** Facts as fields, the sentence last; never a token, never output. */
export type Log = (facts: object, sentence: string) => void

/** What a token of a plane is for: an agent runs and reads, a person answers too, an admin lets phones and tokens in and out. */
export const planeRoles = ['agent', 'person', 'admin'] as const
export type PlaneRole = (typeof planeRoles)[number]
