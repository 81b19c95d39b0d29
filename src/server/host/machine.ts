import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isLoopback, SettingError } from '../../shared/schema/index.ts'

/** $HOME; where that is empty or relative, which would mean the folder that the service was started in, the system's word for it. */
export function homeFolder({ HOME = '' }: NodeJS.ProcessEnv): string {
  if (isAbsolute(HOME)) return HOME
  try {
    return userInfo().homedir
  } catch {
    return '/' // a user without an entry
  }
}

/** $PREFIX, where it is Termux's: elsewhere people use the name for other things, and there is no shell in it. */
export const termuxPrefix = ({ PREFIX = '' }: NodeJS.ProcessEnv): string | undefined =>
  existsSync(`${PREFIX}/bin/sh`) && PREFIX !== '' ? PREFIX : undefined

/** Throws SettingError where every command would fail: the shell cannot be run, or the usual directory cannot be entered. */
export function checkPlaces(shell: string, workingDirectory: string): void {
  must('shell', 'a program that can be run', shell, () => {
    accessSync(shell, constants.X_OK)
    if (!statSync(shell).isFile()) throw new Error('it is no file')
  })
  must('working_directory', 'a folder that can be entered', workingDirectory, () =>
    accessSync(`${workingDirectory}/.`, constants.X_OK),
  )
}

function must(setting: string, wanted: string, path: string, look: () => void): void {
  try {
    look()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new SettingError(`setting ${setting}: expected ${wanted}, got ${JSON.stringify(path)} (${code ?? message})`)
  }
}

/** The shell that the owner types into: $SHELL, what chsh has set on Termux, the bash beside the shell that runs commands, else that one. */
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

/** termux-exec's library, newest name first (termux-tools, login.in); null off Android or where it is not installed. */
export function preloadLibrary(platform: NodeJS.Platform, prefix: string | undefined): string | null {
  if (platform !== 'android' || !prefix) return null
  const names = ['libtermux-exec-ld-preload.so', 'libtermux-exec.so']
  return names.map((name) => `${prefix}/lib/${name}`).find((path) => existsSync(path)) ?? null
}

/** What the owner should know of this machine, in plain words, for /health and the log. */
export function warnings(platform: NodeJS.Platform, env: NodeJS.ProcessEnv, host: string): string[] {
  const isOpen = !isLoopback(host)
  const found: string[] = []
  if (/^googleplay\./.test(env.TERMUX_VERSION ?? '') && isOpen) {
    found.push(
      "Termux from Google Play: Android 17 lets it accept no connections from the LAN; install F-Droid's Termux",
    )
  }
  if (platform === 'android') {
    found.push(
      'Nothing on a stock phone separates this service from the commands it runs: they have its user and its files',
    )
    found.push(
      'Android kills processes beyond 32 of all apps together, oldest first: switch on "Disable child process restrictions"',
    )
  }
  return found
}
