import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isLoopback, UsageError } from '../../shared/schema/index.ts'

/** Returns $HOME if it is absolute; otherwise the user's home according to the system. A relative path would depend on the directory. */
export function homeFolder({ HOME = '' }: NodeJS.ProcessEnv): string {
  if (isAbsolute(HOME)) return HOME
  try {
    return userInfo().homedir
  } catch {
    return '/' // the user has no passwd entry
  }
}

/** Returns $PREFIX if it is Termux's. On other systems the name has other uses, and the directory contains no shell. */
export const termuxPrefix = ({ PREFIX = '' }: NodeJS.ProcessEnv): string | undefined =>
  existsSync(`${PREFIX}/bin/sh`) && PREFIX !== '' ? PREFIX : undefined

/** Throws UsageError if every command would fail, because the shell cannot run or the default directory cannot be entered. */
export function checkCommandPaths(shell: string, workingDirectory: string): void {
  requireUsable('shell', 'a program that can be run', shell, () => {
    accessSync(shell, constants.X_OK)
    if (!statSync(shell).isFile()) throw new Error('it is not a file')
  })
  requireUsable('working_directory', 'a directory that can be entered', workingDirectory, () =>
    accessSync(`${workingDirectory}/.`, constants.X_OK),
  )
}

function requireUsable(setting: string, wanted: string, path: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`setting ${setting}: expected ${wanted}, got ${JSON.stringify(path)} (${code ?? message})`)
  }
}

/** Returns the owner's interactive shell: $SHELL, the shell set by chsh on Termux, bash next to the commands' shell, or that shell. */
export function ownersShell({ SHELL = '', HOME = '' }: NodeJS.ProcessEnv, shell: string): string {
  return [SHELL, join(HOME, '.termux/shell'), join(dirname(shell), 'bash')].find(isProgram) ?? shell
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return isAbsolute(path) && statSync(path).isFile()
  } catch {
    return false
  }
}

/** Returns termux-exec's library, by its newest name first (termux-tools, login.in); null if it is missing or this is not Android. */
export function preloadLibrary(platform: NodeJS.Platform, prefix: string | undefined): string | null {
  if (platform !== 'android' || !prefix) return null
  const names = ['libtermux-exec-ld-preload.so', 'libtermux-exec.so']
  return names.map((name) => `${prefix}/lib/${name}`).find((path) => existsSync(path)) ?? null
}

/** Returns warnings about this machine, which /health and the log show. */
export function warnings(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, host: string): string[] {
  const isBeyondLoopback = !isLoopback(host)
  const found: string[] = []
  if (/^googleplay\./.test(env.TERMUX_VERSION ?? '') && isBeyondLoopback) {
    found.push('Termux from Google Play: Android 17 blocks its connections from the LAN; install Termux from F-Droid')
  }
  if (platform === 'android') {
    found.push(
      'On a stock phone nothing isolates this service from the commands it runs: they run as the same user and can access its files',
    )
    found.push(
      'Android allows 32 processes for all apps together and kills the oldest ones beyond that: turn on "Disable child process restrictions"',
    )
  }
  return found
}
