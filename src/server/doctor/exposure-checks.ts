import { isLoopback, type Token } from '../../shared/schema/index.ts'
import { type DoctorCheck, error, ok, warning } from './world.ts'

const UNUSED_DAYS = 30

/** Checks who may call the service, how, and with which rights. */
export const exposureChecks: DoctorCheck[] = [
  {
    name: 'tokens without expiry',
    needsSettings: true,
    inspect: ({ tokens, settings: { host } }) => {
      const endless = tokens().filter(({ expires_at }) => expires_at === null)
      if (endless.length === 0) return ok('every named token expires')
      const found = `${namesOf(endless)} ${endless.length === 1 ? 'never expires' : 'never expire'}`
      return isLoopback(host) ? ok(`${found}, but only this machine can use the service`) : warning(found)
    },
    why: 'Anyone who finds such a token in a backup or a log can use this machine forever.',
    fix: 'Revoke it (shellphone token revoke NAME), and create a token that expires: shellphone token create NAME --expires-in-days 90',
  },
  {
    name: 'unused tokens',
    inspect: ({ tokens, nowMs }) => {
      const isUnused = ({ last_used_at: used, created_at }: Token) =>
        nowMs - Date.parse(used ?? created_at) > UNUSED_DAYS * 86_400_000
      const unused = tokens().filter(isUnused)
      return unused.length === 0
        ? ok(`no token has been unused for ${UNUSED_DAYS} days`)
        : warning(`${unused.length} of ${tokens().length} tokens not used for ${UNUSED_DAYS} days: ${namesOf(unused)}`)
    },
    why: 'Nobody notices when an unused token is stolen.',
    fix: `Revoke them with shellphone token revoke --unused-days ${UNUSED_DAYS}. To revoke only one, run shellphone token revoke NAME.`,
  },
  {
    name: 'encryption',
    needsSettings: true,
    inspect: ({ isEncrypted, settings: { host } }) => {
      if (isLoopback(host)) return ok('listens on this machine only')
      return isEncrypted
        ? ok('other machines connect with TLS')
        : warning(`${host} is plain HTTP: the connection is not encrypted`)
    },
    why: 'Anyone on the network can read the token.',
    fix: 'Set tls: auto. Or use a trusted network, a VPN, or shellphone setup --local with ssh -p 8022 -L 8029:127.0.0.1:8029 PHONE.',
  },
  {
    name: 'policy',
    needsSettings: true,
    inspect: ({ settings: { host, policy } }) =>
      policy === 'open' && !isLoopback(host) ? error(`open, at ${host}`) : ok(policy),
    why: 'With policy: open, the service checks no command, not even from other machines.',
    fix: 'Set policy: guarded, or run shellphone setup --local',
  },
  {
    name: 'origins',
    needsSettings: true,
    inspect: ({ settings: { allowed_origins: origins } }) =>
      origins.includes('*')
        ? error('allowed_origins contains *')
        : ok(`${origins.length} other origins may call the service`),
    why: 'The service compares * literally, so it allows no origin, although it was probably meant to allow all.',
    fix: 'List the origins by name (https://app.example), or leave the list empty.',
  },
]

const namesOf = (tokens: Token[]) => tokens.map(({ name }) => name).join(', ')
