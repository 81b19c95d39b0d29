/** A fault that the tests must detect: in `file`, `find` (which occurs exactly once) becomes `replace`, and the test `by` fails. */
export interface Mutant {
  what: string
  file: string
  find: string
  replace: string
  /** `SUITE > TEST > …`: the suite SUITE.test.ts, and the first words of the titles of the test and its subtests */
  by: string
}

/** The faults of one file, each as [what, find, replace, by]. */
export const mutantsOf = (file: string, faults: [string, string, string, string][]): Mutant[] =>
  faults.map(([what, find, replace, by]) => ({ what, file, find, replace, by }))

/** Returns the source with the fault. Throws unless `find` occurs in `text` exactly once. */
export function withFault(text: string, { what, file, find, replace }: Mutant): string {
  const parts = text.split(find)
  if (parts.length !== 2) throw new Error(`${file}: ${what}: found ${parts.length - 1} times: ${find}`)
  return parts.join(replace)
}
