import { join } from 'node:path'

type Environment = Record<string, string | undefined>

/** The directory of the runit service (Termux). */
export const serviceFolder = (prefix: string) => join(prefix, 'var/service/shellphone')

/** The path of the systemd user unit. An empty XDG_CONFIG_HOME counts as unset, as in the XDG Base Directory Specification. */
export const unitFile = ({ env, home }: { env: Environment; home: string }) =>
  join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd/user/shellphone.service')
