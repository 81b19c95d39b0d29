import { join } from 'node:path'
import type { RunHelper } from '../exec/index.ts'
import type { Preselect } from '../files/index.ts'
import { findProgram } from '../spawn/index.ts'
import { elapsedClock } from '../../shared/async/index.ts'

/** How long all calls of ripgrep that fail may take in one search. */
const MAX_LOST_MS = 3000
/** Limit for the names that ripgrep prints; a batch of paths is shorter. */
const MAX_OUTPUT_BYTES = 262_144
/** The name that ripgrep prints for its stdin, which contains a NUL and so matches: without this name, ripgrep has failed. */
const STDIN_NAME = '<stdin>'
const MATCHING_STDIN = Buffer.from('\0')

/** Finds ripgrep as a shell does, and on Termux also if PATH lacks the directory of its programs. null: not installed. */
export function findRipgrep({ PATH = '', PREFIX }: NodeJS.ProcessEnv): string | null {
  const program = findProgram('rg', PREFIX ? `${PATH}:${join(PREFIX, 'bin')}` : PATH)
  return program?.startsWith('/') ? program : null
}

/** The preselection of one search. */
interface Preselection {
  preselect: Preselect
  /** milliseconds of calls that failed, which do not count for the time limit of the search */
  lostMs(): number
}

/** Lets ripgrep select the files in `directory` that contain a match of `pattern`, a pattern of bytes, or a NUL. */
export function createPreselection(
  pattern: string,
  directory: string,
  ripgrep: string,
  runHelper: RunHelper,
): Preselection {
  let lostMs = 0
  return {
    lostMs: () => lostMs,
    async preselect(paths) {
      const timeoutMs = MAX_LOST_MS - lostMs
      if (timeoutMs <= 0) return null
      const began = elapsedClock.now()
      const stdout = await runHelper({
        argv: [ripgrep, ...OPTIONS, `(?-u)(?:${pattern})|\\x00`, '--', ...paths.map((path) => `./${path}`), '-'],
        cwd: directory,
        stdin: MATCHING_STDIN,
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      })
      const named = stdout && namesIn(stdout.toString(), paths)
      if (named === null) lostMs += elapsedClock.now() - began
      return named
    },
  }
}

const OPTIONS = [
  ...['--no-config', '--no-messages', '--no-ignore', '--hidden', '--no-mmap', '--text'],
  // otherwise ripgrep would decode a file that begins with the BOM of UTF-16
  ...['--encoding', 'none'],
  ...['--threads', '2', '--files-with-matches', '--null', '--regexp'],
]

/** The names in ripgrep's output; null: it is not complete, or not ripgrep's. */
function namesIn(output: string, paths: string[]): ReadonlySet<string> | null {
  const offered = new Set(paths)
  const names = output.split('\0')
  const isLastEmpty = names.pop() === ''
  const files = names.filter((name) => name !== STDIN_NAME)
  const isComplete = isLastEmpty && files.length === names.length - 1
  if (!isComplete || files.some((name) => !name.startsWith('./') || !offered.has(name.slice(2)))) return null
  return new Set(files.map((name) => name.slice(2)))
}
