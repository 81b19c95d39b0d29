/** What a command passes on to the next one of its session: its directory, and its variables as a difference to the base environment. */
export interface SessionState {
  /** null: the default directory */
  cwd: string | null
  /** variables that the base environment lacks or has with another value */
  set: Record<string, string>
  /** names in the base environment that the session has unset, sorted */
  unset: string[]
}

export const newState = (): SessionState => ({ cwd: null, set: {}, unset: [] })

/** The environment of a session's next command. */
export function environmentIn({ set, unset }: SessionState, base: Record<string, string>): Record<string, string> {
  const env = { ...base, ...set }
  for (const name of unset) if (!Object.hasOwn(set, name)) delete env[name]
  return env
}

/** The directory and the exported variables of a shell. */
interface ShellState {
  cwd: string
  env: Record<string, string>
}

/** Names that shells set on their own, and the mark of a run. */
const own = new Set(['_', 'SHLVL', 'PWD', 'OLDPWD', 'EXEC_MARK'])
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Limits on the state: of one value, and of all names and values together. */
const MAX_VALUE_BYTES = 131_000
const MAX_BYTES = 262_144

/** What a shell has written (see launcher/session.c), and the names that cannot be stored. */
interface CapturedState extends ShellState {
  dropped: string[]
}

/** Decodes what a shell has written. A string: why nothing can be stored. */
export function readCaptured(bytes: Buffer): CapturedState | 'too_large' | 'not_utf8' {
  if (bytes.length === 0) return 'too_large'
  const [path, ...variables] = entriesOf(bytes)
  const env: Record<string, string> = {}
  const dropped: string[] = []
  for (const bytes of variables) {
    const text = textOf(bytes)
    const [name, value] = split(text ?? bytes.toString())
    if (own.has(name)) continue
    if (text !== null && NAME.test(name)) env[name] = value
    else dropped.push(name)
  }
  const cwd = path === undefined ? null : textOf(path)
  if (cwd === null) return 'not_utf8'
  return { cwd: cwd === '' ? deletedDirectory(variables) : cwd, env, dropped }
}

/** The name of a directory that no longer exists: the next command is refused, instead of running in another directory. */
function deletedDirectory(variables: Buffer[]): string {
  const pwd = variables.map(textOf).find((text) => text?.startsWith('PWD=/'))
  return pwd?.slice('PWD='.length) ?? '/nonexistent (deleted)'
}

function entriesOf(bytes: Buffer): Buffer[] {
  const entries: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at)
    entries.push(bytes.subarray(at, end < 0 ? bytes.length : end))
    at = end < 0 ? bytes.length : end + 1
  }
  return entries
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Buffer): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null // not UTF-8
  }
}

function split(text: string): [name: string, value: string] {
  const at = text.indexOf('=', 1) // the system allows "=x", which has no name
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

interface Started {
  /** the environment that every command starts from */
  base: Record<string, string>
  /** the environment of this command, with the variables of its session and of its request */
  env: Record<string, string>
  /** what its shell was started with; differs from `env` in what the service has set for this run, such as TMPDIR */
  given: Record<string, string>
  /** whether a request may not set this name */
  refuses(name: string): boolean
}

/** Returns the state after a command, with the names that cannot be stored, or why nothing can be stored. */
export function stateAfter(
  captured: CapturedState,
  { base, env, given, refuses }: Started,
): { state: SessionState; dropped: string[] } | 'too_large' {
  const state: SessionState = { cwd: captured.cwd, set: {}, unset: [] }
  // an invalid name that the shell was started with has only been passed on, but a value that is not UTF-8 is new
  const dropped = captured.dropped.filter((name) => !(name in given) || NAME.test(name))
  for (const [name, value] of Object.entries(captured.env)) {
    const kept = given[name] === value ? env[name] : value
    if (refuses(name)) {
      if (given[name] !== value) dropped.push(name)
    } else if (kept !== undefined && base[name] !== kept) state.set[name] = kept
  }
  for (const name of Object.keys(base)) {
    if (name in captured.env || own.has(name) || !NAME.test(name) || dropped.includes(name)) continue
    if (refuses(name)) dropped.push(name)
    else state.unset.push(name)
  }
  state.unset.sort()
  return isTooLarge(state) ? 'too_large' : { state, dropped: dropped.sort() }
}

function isTooLarge({ set, unset }: SessionState): boolean {
  let bytes = 0
  for (const [name, value] of [...Object.entries(set), ...unset.map((name) => [name, ''] as const)]) {
    const size = Buffer.byteLength(value)
    bytes += Buffer.byteLength(name) + size + 2
    if (size > MAX_VALUE_BYTES) return true
  }
  return bytes > MAX_BYTES
}

/** Returns the names that a command has set, and those that it has unset, sorted. */
export function changesOf(before: Record<string, string>, after: Record<string, string>) {
  const set = Object.keys(after).filter((name) => before[name] !== after[name])
  const unset = Object.keys(before).filter((name) => !(name in after))
  return { set: set.sort(), unset: unset.sort() }
}

/** Whether this is a state, for a file that something else may have written. */
export function isState(value: unknown): value is SessionState {
  const { cwd, set, unset } = (value ?? {}) as Partial<SessionState>
  if (cwd !== null && !(typeof cwd === 'string' && cwd.startsWith('/') && !cwd.includes('\0'))) return false
  if (!Array.isArray(unset) || !unset.every((name) => typeof name === 'string' && NAME.test(name))) return false
  if (typeof set !== 'object' || set === null || Array.isArray(set)) return false
  const isValid = ([name, text]: [string, unknown]) =>
    NAME.test(name) && !own.has(name) && typeof text === 'string' && !text.includes('\0')
  return Object.entries(set).every(isValid) && !isTooLarge({ cwd, set, unset })
}
