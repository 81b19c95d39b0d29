/** Every program's row by its names. */
import { android } from './android.ts'
import { archives } from './archives.ts'
import { builders } from './builders.ts'
import { containers } from './containers.ts'
import { fileTools } from './files.ts'
import { find } from './find.ts'
import { git } from './git.ts'
import { interpreters } from './interpreters.ts'
import { network } from './network.ts'
import { packages } from './packages.ts'
import { phone } from './phone.ts'
import { privilege } from './privilege.ts'
import { processes } from './processes.ts'
import { shells } from './shells.ts'
import { text } from './text.ts'
import { wrappers } from './wrappers.ts'

const families = [
  ...[git, find, text, fileTools, archives, shells, interpreters],
  ...[wrappers, privilege, packages, builders, network, containers, processes, android, phone],
].flat()

/** Every row with its names. */
export const rows = families.map(({ names, program }) => [names.join(' '), program] as const)

/** The same by each name alone; `NAME*`: whatever version stands behind it. */
export const byName = new Map(families.flatMap(({ names, program }) => names.map((name) => [name, program] as const)))
const unmistakable = new Set(families.flatMap(({ unmistakable }) => unmistakable))

/** Whether a word is the name of a program that nobody uses as a verb, or a path where programs lie. */
export const isCommand = (text: string): boolean => unmistakable.has(text) || /^\/(?:[\w.]+\/)*s?bin\/\w+$/.test(text)
