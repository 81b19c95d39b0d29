import { isWithin } from '../../shared/schema/index.ts'
import type { DialectWorld } from './dialect.ts'
import { absolutePath, realPlace } from './shared.ts'

/** The trusted working directory, in the form in which messages show it. */
export interface TrustedScope {
  root: string
  world: DialectWorld
}

/** Returns whether a path from the agent leads out of the trusted directory once symbolic links are resolved. */
export const strays = (path: string, { root, world }: TrustedScope): boolean =>
  !isWithin({ path: realPlace(absolutePath(path, root, world.home), world), root: realPlace(root, world) })

/** Returns the path in a parameter: the word itself, or the value of `--flag=path` or `-Ipath`. */
const pathIn = (token: string): string => /^(?:--?[\w-]+=|-[A-Za-z](?=[./~]))(.+)$/s.exec(token)?.[1] ?? token

/** Returns the first path among the parameters that leads out of the trusted directory; undefined if no path does. */
export const strayingPath = (parameters: string[], scope: TrustedScope): string | undefined =>
  parameters
    .map(pathIn)
    .find((path) => /^\.{1,2}$|\//.test(path) && !/^[a-z][a-z+.-]*:\/\//i.test(path) && strays(path, scope))

/** Returns the text of a refusal because of a path outside the trusted directory. */
export const mismatch = (what: string, root: string, hint = ''): string =>
  `Working directory mismatch: ${what} is outside world working directory "${root}".${hint}`

/** Returns the text of a refusal because of program text in the arguments (`sh -c`). */
export const inlineRefusal = (inline: string, root: string): string =>
  `Working directory mismatch: inline script execution "${inline}" is not allowed. Commands must stay inside world working directory "${root}".`
