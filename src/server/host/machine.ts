import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isLoopback, SettingError } from '../../shared/schema/index.ts'

/** $HOME. If it is empty or relative, which would depend on the directory that the service was started in, the home that the system knows. */
export function homeFolder({ HOME = '' }: NodeJS.ProcessEnv): string {
  if (isAbsolute(HOME)) return HOME
  try {
    return userInfo().homedir
  } catch {
    return '/' // the user has no entry in the system's list
  }
}

/** $PREFIX if it is Termux's: elsewhere the name has other uses, and there is no shell in it. */
export const termuxPrefix = ({ PREFIX = '' }: NodeJS.ProcessEnv): string | undefined =>
  existsSync(`${PREFIX}/bin/sh`) && PREFIX !== '' ? PREFIX : undefined

/** Throws SettingError if every command would fail: the shell cannot be run, or the default directory cannot be entered. */
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
    throw new SettingError(`setting ${setting}: expected ${wanted}, got ${JSON.stringify(path)} (${code ?? message})`)
  }
}

/** The owner's interactive shell: $SHELL, the one that chsh has set on Termux, the bash beside the shell that runs commands, or that shell. */
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

/** termux-exec's library, newest name first (termux-tools, login.in); null if it is not installed or this is not Android. */
export function preloadLibrary(platform: NodeJS.Platform, prefix: string | undefined): string | null {
  if (platform !== 'android' || !prefix) return null
  const names = ['libtermux-exec-ld-preload.so', 'libtermux-exec.so']
  return names.map((name) => `${prefix}/lib/${name}`).find((path) => existsSync(path)) ?? null
}

/** What the owner should know about this machine, for /health and the log. */
export function warnings(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, host: string): string[] {
  const isBeyondLoopback = !isLoopback(host)
  const found: string[] = []
  if (/^googleplay\./.test(env.TERMUX_VERSION ?? '') && isBeyondLoopback) {
    found.push("Termux from Google Play: Android 17 blocks its connections from the LAN; install F-Droid's Termux")
  }
  if (platform === 'android') {
    found.push(
      'Nothing on a stock phone separates this service from the commands it runs: they run as the same user, with access to its files',
    )
    found.push(
      'Android allows 32 processes of all apps together and kills the oldest beyond that: switch on "Disable child process restrictions"',
    )
  }
  return found
}
