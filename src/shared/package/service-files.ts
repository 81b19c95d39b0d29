import { join } from 'node:path'

type Environment = Record<string, string | undefined>

/** The directory of the runit service (Termux). */
export const serviceFolder = (prefix: string) => join(prefix, 'var/service/shellphone')

/** A user; an empty variable counts as unset, as in the XDG Base Directory Specification. */
interface User {
  env: Environment
  home: string
}

const configFolder = ({ env, home }: User) => env.XDG_CONFIG_HOME || join(home, '.config')

/** The path of the systemd user unit. */
export const unitFile = (user: User) => join(configFolder(user), 'systemd/user/shellphone.service')

/** The file of paired phones. */
export const remotesFileOf = (user: User) => join(configFolder(user), 'shellphone/remotes.json')

/** The file of run ids that this machine has seen. Completion scripts read it. */
export const seenRunsOf = ({ env, home }: User) => join(env.XDG_CACHE_HOME || join(home, '.cache'), 'shellphone/runs')
