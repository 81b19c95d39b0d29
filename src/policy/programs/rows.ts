/** Every program's row by its names, and what the names alone tell. */
import { android } from './android.ts'
import { archives } from './archives.ts'
import { containers } from './containers.ts'
import { fileTools } from './files.ts'
import { find } from './find.ts'
import { git } from './git.ts'
import { interpreters } from './interpreters.ts'
import { network } from './network.ts'
import { packages } from './packages.ts'
import { processes } from './processes.ts'
import type { Program } from './program.ts'
import { shells } from './shells.ts'
import { text } from './text.ts'
import { wrappers } from './wrappers.ts'

const families = [
  ...[git, find, text, fileTools, archives, shells, interpreters],
  ...[wrappers, packages, network, containers, processes, android],
].flat()

/** Every row with its names. */
export const rows = families.map(({ names, program }) => [names.join(' '), program] as const)

const byName = new Map(families.flatMap(({ names, program }) => names.map((name) => [name, program] as const)))
const unmistakable = new Set(families.flatMap(({ unmistakable }) => unmistakable))

/** The row for a program's name; null where there is none. */
export function programOf(name: string): Program | null {
  const plain = /^ld(?:-linux.*|-musl.*)?\.so/.test(name) ? 'ld.so' : name
  return byName.get(plain) ?? byName.get(`${plain.replace(/[-.\d].*$/, '')}*`) ?? null
}

/** Whether a word is the name of a program that nobody uses as a verb, or a path where programs lie. */
export const isCommand = (text: string): boolean => unmistakable.has(text) || /^\/(?:[\w.]+\/)*s?bin\/\w+$/.test(text)

/** Whether a word names a shell or an interpreter. */
export function isInterpreter(text: string): boolean {
  if (text.length < 3 && text !== 'sh') return false
  const row = programOf(text.replace(/^.*\//s, ''))
  return row?.shell === true || /^(?:python|javascript|perl|ruby|php|lua|other)$/.test(row?.language ?? '')
}
