import { accessSync, constants, realpathSync } from 'node:fs'
import { absolutePath, type DialectRequest, plainRequest } from '../dialects/index.ts'
import {
  CANONICAL_DIALECT,
  COMMAND_REQUIRED,
  type ExecRequest,
  invalid,
  type Limits,
  MAX_COMMAND_BYTES,
  note,
  type Note,
  type RequestLimits,
  type Sandbox,
  type SandboxName,
  ShellphoneError,
} from '../../shared/schema/index.ts'
import type { AnyRequest, Command, CommandContext, SandboxParts } from './command.ts'
import { checkAdditions, environmentOf } from './environment.ts'
import { sessionDirectory, sessionNotes, sessionVariables } from './in-session.ts'
import type { Reach } from './reach.ts'
import { checkTyped, TERMINAL_SECONDS, terminalEnvironment } from './terminal-request.ts'

/**
 * Converts a request to a command: fills in defaults, clamps values with a note, and resolves the directory. Throws VALIDATION_ERROR or
 * TOO_LARGE.
 */
export function toCommand(request: AnyRequest, context: CommandContext): Command {
  const { settings } = context
  const options = request.policy === undefined ? plainRequest : (request as DialectRequest)
  checkScript(request.command)
  if (request.env) checkAdditions(request.env)
  const tty = request.tty ?? null
  if (tty) checkTyped(request)
  const stdin = tty ? 'open' : request.stdin
  const plain =
    options.environment.mode === 'service' ? context.baseEnvironment : environmentOf(options.environment, context)
  const base = tty ? terminalEnvironment(plain) : plain
  const cwd = sessionDirectory(request, () => realDirectory(request.working_directory, context))
  const notes = sessionNotes(request)
  return {
    script: request.command,
    dialect: request.dialect ?? CANONICAL_DIALECT,
    cwd,
    ...sessionVariables(request, base),
    timeoutMs: options.timeoutMs ?? timeout(request, settings, notes),
    maxLength: clamp(notes, 'max_length', request.max_length ?? settings.max_length, settings.max_length_limit),
    encoding: request.encoding ?? 'utf8',
    stdin: stdin === undefined || stdin === 'open' ? (stdin ?? null) : Buffer.from(stdin),
    tty,
    background: tty !== null || (request.background ?? false),
    waitsForReader: request.when_full === 'wait',
    leaseMs: request.lease_seconds === undefined ? null : leaseOf(request),
    artifactPaths: request.artifact_paths ?? [],
    sandbox: sandboxFor(request, cwd, context, notes),
    limits: limitsFor(request.limits, context),
    dialectOptions: options,
    transfer: request.transfer ?? null,
    notes: request.transfer ? [...notes, note('TRANSFER')] : notes,
  }
}

/** Returns the lease in milliseconds. */
function leaseOf({ lease_seconds: seconds = 0, background }: AnyRequest): number {
  if (background) return seconds * 1000
  throw invalid('lease_seconds: expected together with "background": true', 'lease_seconds')
}

/** Returns the timeout in milliseconds. */
function timeout(request: AnyRequest, settings: CommandContext['settings'], notes: Note[]): number {
  const { background, tty, timeout_seconds: requested } = request
  const most = background ? settings.max_background_seconds : settings.max_timeout_seconds
  const limit = tty ? TERMINAL_SECONDS : most
  const usual = background || tty ? limit : Math.min(settings.timeout_seconds, limit)
  return clamp(notes, 'timeout_seconds', requested ?? usual, limit) * 1000
}

/** Returns the owner's limits or the requested ones, whichever are stricter. */
function limitsFor(requested: RequestLimits | undefined, { settings, hasLauncher }: CommandContext): Limits {
  if (requested?.processes !== undefined && !hasLauncher) {
    throw invalid('limits.processes: this limit needs the launcher, which does not run here', 'limits.processes')
  }
  const own: Limits = {
    cpuSeconds: settings.limit_cpu_seconds,
    addressSpaceBytes: settings.limit_address_space_bytes,
    processes: hasLauncher ? settings.limit_processes : null,
    openFiles: settings.limit_open_files,
    fileSizeBytes: settings.limit_file_size_bytes,
    nice: settings.limit_nice,
    oomScoreAdj: hasLauncher ? settings.limit_oom_score_adj : null,
  }
  return requested ? stricter(own, requested) : own
}

/** Returns the lower value of each limit, or the only one that is set. For nice, the higher value is stricter. */
function stricter(own: Limits, requested: RequestLimits): Limits {
  const lower = (one: number | null, other = one) => (one === null || other === null ? other : Math.min(one, other))
  return {
    cpuSeconds: lower(own.cpuSeconds, requested.cpu_seconds),
    addressSpaceBytes: lower(own.addressSpaceBytes, requested.address_space_bytes),
    processes: lower(own.processes, requested.processes),
    openFiles: lower(own.openFiles, requested.open_files),
    fileSizeBytes: lower(own.fileSizeBytes, requested.file_size_bytes),
    nice: requested.nice === undefined ? own.nice : Math.max(own.nice ?? 0, requested.nice),
    oomScoreAdj: own.oomScoreAdj,
  }
}

function checkScript(script: string): void {
  if (script.trim() === '') throw invalid(COMMAND_REQUIRED, 'command')
  if (script.includes('\0')) throw invalid('command: expected no NUL character', 'command')
  const bytes = Buffer.byteLength(script)
  if (bytes > MAX_COMMAND_BYTES) {
    throw new ShellphoneError('TOO_LARGE', `command: expected at most ${MAX_COMMAND_BYTES} bytes, got ${bytes}`, {
      field: 'command',
    })
  }
}

function clamp(notes: Note[], field: string, value: number, limit: number): number {
  if (value <= limit) return value
  notes.push(note('LOWERED', field, value, limit))
  return limit
}

/**
 * Returns the real path of the working directory. The service judges, shows, uses and records this path, so that a link that changes later
 * has no effect. `~` stands for the home, and a relative path starts at the default directory. A missing directory gets FEAT-029's text.
 */
function realDirectory(requested: string | undefined, context: CommandContext): string {
  const field = 'working_directory'
  const path = requestedDirectory(requested, context)
  if (path === null)
    throw requested === '' ? noDirectory(requested) : invalid(`${field}: expected no NUL character`, field)
  try {
    accessSync(`${path}/.`, constants.X_OK) // the dot fails for anything but a directory
    return realpathSync.native(path)
  } catch (error) {
    // a missing path, a file, a loop of links and a name that is too long all get the same error
    const isBarred = (error as NodeJS.ErrnoException).code === 'EACCES'
    throw isBarred
      ? invalid(`Cannot enter the working directory (permission denied): ${path}`, field)
      : noDirectory(requested ?? path, path)
  }
}

const noDirectory = (requested: string, path = requested) =>
  new ShellphoneError('NO_DIRECTORY', `Working directory does not exist: ${path}`, {
    field: 'working_directory',
    about: requested,
  })

/** Returns an error for a working directory on a hung file system, which would block the service; null if it responds. */
export async function unreachableError(
  { working_directory: requested }: AnyRequest,
  { commandContext, reach }: { commandContext: CommandContext; reach: Reach },
): Promise<ShellphoneError | null> {
  const path = requestedDirectory(requested, commandContext)
  if (path === null || (await reach(path))) return null
  return invalid(`Working directory does not respond (its file system hangs): ${path}`, 'working_directory')
}

/** Returns the absolute path; null if the path is invalid. */
function requestedDirectory(requested: string | undefined, { settings, home }: CommandContext): string | null {
  const usual = settings.working_directory
  if (requested === '' || requested?.includes('\0')) return null
  return requested === undefined ? usual : absolutePath(requested, usual, home)
}

/** From the loosest to the strictest. */
const sandboxOrder: SandboxName[] = ['none', 'workspace-write', 'read-only']

/** Returns the sandbox of a command that runs in `cwd`. Throws SANDBOX_UNAVAILABLE or VALIDATION_ERROR before any approval request. */
export function sandboxFor(
  { sandbox, network }: Pick<ExecRequest, 'sandbox' | 'network'>,
  cwd: string,
  { settings, sandboxes, policy, hidden }: SandboxParts,
  notes: Note[],
): Sandbox {
  const name = sandbox ?? settings.sandbox
  if (settings.sandbox_floor) checkFloor(name, network, settings)
  if (name !== 'none' && !sandboxes.available.includes(name)) {
    throw new ShellphoneError('SANDBOX_UNAVAILABLE', `sandbox: ${name} is not available here: ${sandboxes.reason}`, {
      field: 'sandbox',
    })
  }
  if (name === 'none' && network === false) {
    throw invalid('network: false needs a sandbox (read-only or workspace-write)', 'network')
  }
  const hasNetwork = network ?? settings['sandbox.network']
  if (name === 'read-only' && !hasNetwork && sandboxes.by === 'external') {
    const source = network === undefined ? ' from the setting sandbox.network' : ''
    const reason = 'the program in the setting sandbox.command may not deny network access'
    throw invalid(`network: expected true in read-only, got false${source}: ${reason}`, 'network')
  }
  const usual = settings.sandbox_floor ? settings.working_directory : cwd
  const writable = name === 'workspace-write' ? [policy.workspace_dir ?? usual] : []
  for (const folder of writable) {
    // Landlock allows all of a folder or nothing, so it cannot allow new names in a folder that contains a hidden one
    const within = hidden.filter((one) => isBeneath(one, folder))
    notes.push(...within.map((one) => note('HIDDEN_FOLDER_WITHIN', folder, one)))
  }
  return { name, network: hasNetwork, writable, hidden: name === 'none' ? [] : hidden }
}

/** Throws VALIDATION_ERROR for a sandbox below the floor: with a floor, the owner's sandbox settings are the minimum for every caller. */
function checkFloor(name: SandboxName, network: boolean | undefined, settings: SandboxParts['settings']): void {
  const least = settings.sandbox
  if (sandboxOrder.indexOf(name) < sandboxOrder.indexOf(least)) {
    const allowed = sandboxOrder.slice(sandboxOrder.indexOf(least)).join(' or ')
    const floor = 'the setting sandbox_floor requires at least this sandbox'
    throw invalid(`sandbox: expected ${allowed}, got ${name}: ${floor}`, 'sandbox')
  }
  if (network === true && !settings['sandbox.network']) {
    throw invalid('network: expected false, got true: the setting sandbox_floor forbids network access', 'network')
  }
}

const isBeneath = (path: string, folder: string) => path.startsWith(folder === '/' ? '/' : `${folder}/`)
