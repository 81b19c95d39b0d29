/** The hints about a part of the output that the page has read again, which load with that. */
export const partWords = {
  part: (stream: string, from: string, to: string) => `${stream}, bytes ${from} to ${to}`,
  both: 'Part of both streams',
} as const
