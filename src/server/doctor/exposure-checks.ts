import { isLoopback, type Token } from '../../shared/schema/index.ts'
import { type Check, error, ok, warning } from './world.ts'

const UNUSED_MS = 90 * 86_400_000

/** Who may call, over what, and what they may. */
export const exposureChecks: Check[] = [
  {
    name: 'tokens without an end',
    look: ({ tokens, settings: { host } }) => {
      const endless = tokens().filter(({ expires_at }) => expires_at === null)
      if (endless.length === 0) return ok('every named token expires')
      const found = `${namesOf(endless)} never expire`
      return isLoopback(host) ? ok(found) : warning(found)
    },
    why: 'Who finds one in a backup or a log commands this machine for ever.',
    mend: 'Revoke it (shellphone token revoke NAME), and make another: shellphone token create NAME --expires-in-days 90',
  },
  {
    name: 'unused tokens',
    look: ({ tokens, nowMs }) => {
      const isUnused = ({ last_used_at: used, created_at }: Token) => nowMs - Date.parse(used ?? created_at) > UNUSED_MS
      const unused = tokens().filter(isUnused)
      return unused.length === 0 ? ok('none has rested for 90 days') : warning(`${namesOf(unused)} unused for 90 days`)
    },
    why: 'What nobody uses nobody misses when it is stolen.',
    mend: 'Revoke it: shellphone token revoke NAME',
  },
  {
    name: 'encryption',
    look: ({ isEncrypted, settings: { host } }) => {
      if (isLoopback(host)) return ok('only this machine is listened to')
      return isEncrypted
        ? ok('TLS for other machines')
        : warning(`${host} is plain HTTP: the connection is not encrypted`)
    },
    why: 'Whoever reads along in the network can read the token.',
    mend: 'tls: auto; or a network that you trust, a VPN, or shellphone setup --local and ssh -p 8022 -L 8029:127.0.0.1:8029 PHONE.',
  },
  {
    name: 'policy',
    look: ({ settings: { host, policy } }) =>
      policy === 'open' && !isLoopback(host) ? error(`open, at ${host}`) : ok(policy),
    why: 'With policy: open nothing is checked, whoever of the network holds a token.',
    mend: 'policy: guarded, or shellphone setup --local',
  },
  {
    name: 'origins',
    look: ({ settings: { allowed_origins: origins } }) =>
      origins.includes('*') ? error('allowed_origins holds *') : ok(`${origins.length} foreign origins may call`),
    why: 'It is compared as it stands: it lets nobody in, and its writer meant to let every web page in.',
    mend: 'List the origins by name (https://app.example), or none.',
  },
]

const namesOf = (tokens: Token[]) => tokens.map(({ name }) => name).join(', ')
