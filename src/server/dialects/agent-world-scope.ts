import { isWithin } from '../../shared/schema/index.ts'
import type { DialectWorld } from './dialect.ts'
import { absolutePath, realPlace } from './shared.ts'

/** The trusted working directory, as the messages name it. */
export interface TrustedScope {
  root: string
  world: DialectWorld
}

/** Does the path, as the agent wrote it, lead out of the trusted directory once symlinks are followed? */
export const strays = (path: string, { root, world }: TrustedScope): boolean =>
  !isWithin({ path: realPlace(absolutePath(path, root, world.home), world), root: realPlace(root, world) })

/** The path that a parameter holds: the word itself, the value of `--flag=path` or of `-Ipath`. */
const pathIn = (token: string): string => /^(?:--?[\w-]+=|-[A-Za-z](?=[./~]))(.+)$/s.exec(token)?.[1] ?? token

/** The first path among the parameters that leads out of the trusted directory; undefined: none does. */
export const strayingPath = (parameters: string[], scope: TrustedScope): string | undefined =>
  parameters
    .map(pathIn)
    .find((path) => /^\.{1,2}$|\//.test(path) && !/^[a-z][a-z+.-]*:\/\//i.test(path) && strays(path, scope))

/** The text of every refusal for a place outside of the trusted directory. */
export const mismatch = (what: string, root: string, hint = ''): string =>
  `Working directory mismatch: ${what} is outside world working directory "${root}".${hint}`

/** The text of the refusal of program text in the arguments (`sh -c`). */
export const inlineRefusal = (inline: string, root: string): string =>
  `Working directory mismatch: inline script execution "${inline}" is not allowed. Commands must stay inside world working directory "${root}".`
