import { lstatSync, realpathSync, statSync } from 'node:fs'
import { basename, join, posix, resolve } from 'node:path'
import { type Archives, type NodePhone, PhoneError } from '../../sdk/client-node.ts'
import { furthest, packFolder, unpackInto } from '../../server/files/index.ts'
import { createProgress } from './cp-progress.ts'
import { ClientError, connect, type ServiceLocation, toClientError } from './connect-service.ts'
import { codeOfSignal } from './exit-code.ts'

/** Something was left out, or could not be compared. */
const INCOMPLETE = 1
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** What was cut is tried again until so long has brought nothing. */
const PATIENCE_MS = 300_000
/** One look at what has a name; a person who is asked may take two minutes. */
const LOOK_MS = 150_000

const archives: Archives = {
  pack(path, after) {
    const { packed, pieces } = packFolder(path, { after, hides: () => false })
    return { pieces, notes: () => packed.notes.map(({ text }) => text) }
  },
  unpack: (path, unpacking) => unpackInto(path, { ...unpacking, maxBytes: null, hides: () => false }),
  furthest,
}

/** Where a path is: on this machine (`remote` null; `./a/b:c`, where there is a colon in it), or on a phone; '': on the one that is meant without a name. */
interface CopyPath {
  remote: string | null
  path: string
}

/**
 * `shellphone cp [-r] FROM TO`: one of the two is NAME:path, FLEET/PHONE:path, or :path. A file, or with `r` a directory with all in it; what a lost connection
 * cuts goes on. Returns the exit code: 1 where something was left out, or could not be compared. Throws ClientError.
 */
export async function cp(
  placeOf: (name: string) => Promise<ServiceLocation>,
  operands: string[],
  options: ReadonlyMap<string, string>,
): Promise<number> {
  const [from, to] = operands.map(spotOf)
  if (
    from === undefined ||
    to === undefined ||
    operands.length > 2 ||
    (from.remote === null) === (to.remote === null)
  ) {
    throw new ClientError('cp: expected FROM TO, one of them on a phone: NAME:path, FLEET/PHONE:path, or :path')
  }
  const client = connect(await placeOf(from.remote ?? to.remote!), { reconnectMs: PATIENCE_MS })
  const { files } = client.phone
  const progress = createProgress(process.stderr, options.has('quiet'))
  const isWhole = options.has('recursive')
  // what is not whole goes as the process exits
  const stop = (signal: NodeJS.Signals) => process.exit(codeOfSignal(signal))
  for (const signal of endings) process.once(signal, stop)
  let notes: Set<string>
  try {
    const copied = from.remote === null ? bring(from.path, to.path, isWhole) : fetchTo(from.path, to.path, isWhole)
    notes = new Set(await copied)
  } catch (error) {
    throw toClientError(error, client.url)
  } finally {
    progress.end()
    for (const signal of endings) process.off(signal, stop)
    client.end()
  }
  for (const note of notes) console.error(`shellphone: ${note}`)
  return notes.size === 0 ? 0 : INCOMPLETE

  async function bring(path: string, wish: string, isRecursive: boolean): Promise<string[]> {
    const isDirectory = statOf(path).isDirectory()
    if (isDirectory && !isRecursive) throw new ClientError(`${path} is a directory; copy it with shellphone cp -r`)
    const inside = wish.endsWith('/') || (await kindOf(client.phone, toWire(wish))) === 'directory'
    const target = toWire(inside ? join(wish, basename(resolve(path))) : wish)
    if (isDirectory) return files.uploadFolder(realpathSync(path), target, archives, progress)
    await files.upload(path, target, progress)
    return []
  }

  async function fetchTo(path: string, wish: string, isRecursive: boolean): Promise<string[]> {
    const kind = await kindOf(client.phone, toWire(path))
    if (kind === null) throw new ClientError(`${path}: no such file`)
    if (kind === 'directory' && !isRecursive) {
      throw new ClientError(`${path} is a directory; copy it with shellphone cp -r`)
    }
    const isInside =
      wish.endsWith('/') || lstatSync(wish, { throwIfNoEntry: false }) !== undefined ? isFolder(wish) : false
    const target = isInside ? join(wish, nameOf(path)) : wish
    return kind === 'directory'
      ? files.downloadFolder(toWire(path), target, archives, progress)
      : files.download(toWire(path), target, progress)
  }
}

/** What is there; null: nothing. */
async function kindOf(phone: NodePhone, path: string): Promise<'file' | 'directory' | null> {
  try {
    const headers = { range: 'bytes=0-0' }
    const asked = { query: { path, limit: 1 }, headers, signal: AbortSignal.timeout(LOOK_MS) }
    const answer = await phone.request('/files', asked)
    await answer.arrayBuffer() // the connection is free again
    return answer.headers.get('content-type')?.startsWith('application/json') ? 'directory' : 'file'
  } catch (error) {
    const type = error instanceof PhoneError ? error.type : null
    if (type === 'out_of_range') return 'file' // an empty one
    if (type === 'not_found') return null
    throw error
  }
}

/** What is copied from there is called so here; what its path does not name is the home, or lies above it. */
function nameOf(path: string): string {
  if (basename(path) === '.') return '.' // what is in it
  const name = basename(posix.normalize(path))
  return ['', '.', '..', '~'].includes(name) ? 'home' : name
}

/** As scp: what stands before the first colon is a phone, unless a slash comes first; of a fleet it is FLEET/PHONE. */
function spotOf(text: string): CopyPath {
  const [, remote, path] = /^([^/:]*|[\w-]+\/[a-z0-9][a-z0-9-]{0,39}):(.*)$/s.exec(text) ?? []
  return remote === undefined ? { remote: null, path: text } : { remote, path: path! }
}

/** From the phone's home on, where it is not absolute. */
const toWire = (path: string) => (/^[/~]/.test(path) ? path : path === '' ? '~' : `~/${path}`)

function statOf(path: string) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat) return stat
  throw new ClientError(`${path}: no such file`)
}

function isFolder(path: string): boolean {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isDirectory && path.endsWith('/')) throw new ClientError(`${path}: no such directory`)
  return isDirectory
}
