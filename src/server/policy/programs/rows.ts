/** The rows of all programs, by name. */
import { android } from './android.ts'
import { archives } from './archives.ts'
import { builders } from './builders.ts'
import { containers } from './containers.ts'
import { disks } from './disks.ts'
import { fileSystems } from './file-systems.ts'
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
  ...[git, find, text, fileTools, fileSystems, disks, archives, shells, interpreters],
  ...[wrappers, privilege, packages, builders, network, containers, processes, android, phone],
].flat()

/** Returns every row with its names. */
export const rows = () => families.map(({ names, program }) => [names.join(' '), program()] as const)

/** The reader of every row by each of its names; `NAME*` matches any version. */
export const byName = new Map(families.flatMap(({ names, program }) => names.map((name) => [name, program] as const)))
const unmistakable = new Set(families.flatMap(({ unmistakable }) => unmistakable))

/** Returns whether a word is an unmistakable name of a program, or the path of a file in a bin directory. */
export const isCommand = (text: string): boolean => unmistakable.has(text) || /^\/(?:[\w.]+\/)*s?bin\/\w+$/.test(text)
