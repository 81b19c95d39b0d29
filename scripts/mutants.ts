/** A fault that the tests must notice: in `file`, `find` (there exactly once) becomes `replace`, and one of `suites` fails. */
export interface Mutant {
  what: string
  file: string
  find: string
  replace: string
  /** test/SUITE.test.ts, run one after the other until one fails */
  suites: string[]
}

/** The faults of one file, each as [what, find, replace]. */
export const mutantsOf = (file: string, suites: string[], faults: [string, string, string][]): Mutant[] =>
  faults.map(([what, find, replace]) => ({ what, file, find, replace, suites }))
