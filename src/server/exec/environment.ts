import type { EnvironmentOptions } from '../dialects/index.ts'
import { isWithin, invalid } from '../../shared/schema/index.ts'
import { looksSecret } from './secret-names.ts'

type EnvironmentMode = 'filtered' | 'minimal' | 'full'

/** The source of the commands' environment, read once at start. */
export interface EnvironmentSource {
  mode: EnvironmentMode
  /** the service's own environment */
  service: Record<string, string | undefined>
  /** names that the filter always lets through */
  keep: string[]
  /** termux-exec's library, if it exists and is enabled (Android); otherwise null */
  preload: string | null
}

/** The names that programs need, on Termux and elsewhere. */
const minimal =
  /^(HOME|PATH|PREFIX|TMPDIR|LANG|LC_.*|TZ|TERM|COLORTERM|SHELL|USER|LOGNAME|PWD|LD_PRELOAD|LD_LIBRARY_PATH|BOOTCLASSPATH|DEX2OATBOOTCLASSPATH|SYSTEMSERVERCLASSPATH|EXTERNAL_STORAGE|ASEC_MOUNTPOINT|LOOP_MOUNTPOINT|SVDIR|LOGDIR|ANDROID_.*|TERMUX_.*)$/

/** Variables that no mode passes on: the service's own settings and token, the mark of a run, and variables that npm adds. */
const never = /^(SHELLPHONE_|EXEC_MARK$|npm_)/

/** Variables that keep programs from waiting for input, because commands have neither a terminal nor a person. */
const hints = { GIT_TERMINAL_PROMPT: '0', PAGER: 'cat', DEBIAN_FRONTEND: 'noninteractive' }

/** Computes the environment that every command starts from. Drops empty values and Android's literal "null". */
export function baseEnvironment({ mode, service, keep, preload }: EnvironmentSource): Record<string, string> {
  const base: Record<string, string> = {}
  for (const [name, value] of Object.entries(service)) {
    if (!value || value === 'null' || never.test(name)) continue
    if (keep.includes(name) || passes(mode, name)) base[name] = value
  }
  if (preload && !base.LD_PRELOAD) base.LD_PRELOAD = preload
  return { TERM: 'dumb', ...base, ...hints }
}

function passes(mode: EnvironmentMode, name: string): boolean {
  if (mode === 'full') return true
  if (looksSecret(name)) return false
  return mode === 'filtered' || minimal.test(name)
}

export interface EnvironmentParts {
  /** the environment that every command starts from */
  baseEnvironment: Record<string, string>
  /** the service's own environment, from which a dialect may select names */
  serviceEnvironment: Record<string, string | undefined>
  /** resolves symbolic links; null if the path does not exist */
  realpath(path: string): string | null
}

/** Returns the environment of a request whose dialect lists the names that it needs (NullClaw). */
export function environmentOf(
  options: EnvironmentOptions & { mode: 'only' },
  parts: EnvironmentParts,
): Record<string, string> {
  // a `#!/usr/bin/env` script only starts with termux-exec's library
  const named = pick(parts.baseEnvironment, [...options.names, 'LD_PRELOAD'])
  const pathNames = options.pathNames.filter((name) => !never.test(name))
  const inside = (path: string) => {
    const real = path.startsWith('/') ? parts.realpath(path) : null
    return real !== null && options.pathRoots.some((root) => root === '*' || isWithin({ path: real, root }))
  }
  const paths = Object.entries(pick(parts.serviceEnvironment, pathNames))
  return { ...named, ...Object.fromEntries(paths.filter(([, value]) => value.split(':').every(inside))) }
}

function pick(from: Record<string, string | undefined>, names: string[]): Record<string, string> {
  return Object.fromEntries(names.filter((name) => from[name]).map((name) => [name, from[name]!]))
}

/** Names of variables that can hijack the shell, the loader or an interpreter before the command starts. */
const hijacks =
  /^(LD_.*|DYLD_.*|TERMUX_EXEC__.*|PREFIX|TERMUX__PREFIX|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|PS4|IFS|NODE_OPTIONS|PERL5OPT|PERL5LIB|PYTHONSTARTUP|RUBYOPT|JAVA_TOOL_OPTIONS|GCONV_PATH|EXEC_MARK|SHELLPHONE_.*)$/

/** Whether a request may not set this name. */
export const isRefused = (name: string): boolean => hijacks.test(name)

/** A string in argv or environ has at most 128 KiB (execve(2), MAX_ARG_STRLEN); all additions together have at most 512 KiB. */
const MAX_VALUE_BYTES = 131_000
const MAX_ADDITIONS_BYTES = 524_288

/** Rejects additions that could hijack the shell or that would prevent the process from starting. Throws VALIDATION_ERROR. */
export function checkAdditions(additions: Record<string, string>): void {
  let bytes = 0
  for (const [name, value] of Object.entries(additions)) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 2
    const problem = problemWith(name, value)
    if (problem) throw invalid(`env.${name}: ${problem}`, `env.${name}`)
  }
  if (bytes > MAX_ADDITIONS_BYTES) {
    throw invalid(`env: expected at most ${MAX_ADDITIONS_BYTES} bytes in total, got ${bytes}`, 'env')
  }
}

function problemWith(name: string, value: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    return 'expected a name of letters, digits and _ that does not start with a digit'
  }
  if (isRefused(name)) return 'refused: this name can hijack the shell or the loader'
  if (value.includes('\0')) return 'expected no NUL character'
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `expected at most ${MAX_VALUE_BYTES} bytes`
  return null
}
