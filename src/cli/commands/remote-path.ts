import type { ServiceLocation } from './connect-service.ts'

/** Finds the service of a phone: '' is the default one, otherwise a remote or FLEET/PHONE. */
export type LocatePhone = (name: string) => Promise<ServiceLocation>

/** A path on this machine (`remote` is null) or on a phone (`remote` is '' for the default phone). A local path with a colon needs a slash before it: `./a:b`. */
export interface RemotePath {
  remote: string | null
  path: string
}

/** Parses a path as scp does: a name before the first colon is a phone unless it contains a slash. FLEET/PHONE names a phone of a fleet. */
export function parseRemotePath(text: string): RemotePath {
  const [, remote, path] = /^([^/:]*|[\w-]+\/[a-z0-9][a-z0-9-]{0,39}):(.*)$/s.exec(text) ?? []
  return remote === undefined ? { remote: null, path: text } : { remote, path: path! }
}

/** A remote path for the request. Relative paths start at the phone's home directory. */
export const toWire = (path: string) => (/^[/~]/.test(path) ? path : path === '' ? '~' : `~/${path}`)
