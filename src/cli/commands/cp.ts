import { createReadStream, lstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, posix, resolve } from 'node:path'
import { PhoneError } from '../../sdk/client-node.ts'
import { archives } from './tar-archives.ts'
import { OUTPUT_CLOSED } from '../print/index.ts'
import { isStream, toStdout, withStored } from './cp-streams.ts'
import { OutputError } from './own-streams.ts'
import { createProgress } from './cp-progress.ts'
import { pathWord, shellWord, UsageError } from '../../shared/schema/index.ts'
import { connect, toClientError } from './connect-service.ts'
import { kindOf, missingParent, runOn } from './remote-kind.ts'
import { type LocatePhone, parseRemotePath, type RemotePath, toWire } from './remote-path.ts'
import { type Reporter, reportWaits } from './report-waits.ts'

/** The exit code if the copy skipped an entry, could not compare a file, or could not write to stdout. */
const INCOMPLETE = 1
/** The client stops reconnecting after this long without progress. */
const PATIENCE_MS = 300_000

/**
 * `shellphone cp [-r] FROM … TO`: copies files, and with `-r` directories. Either TO or every FROM is NAME:path, FLEET/PHONE:path, or :path.
 * `-` is stdin or stdout. Resumes after dropped connections. Resolves with the exit code: 1 if an entry was skipped or could not be compared. Rejects with ClientError.
 */
export async function cp(
  placeOf: LocatePhone,
  operands: string[],
  options: ReadonlyMap<string, string>,
): Promise<number> {
  const paths = operands.map(parseRemotePath)
  const to = paths.pop()!
  const [from] = paths as [RemotePath]
  if (paths.some(({ remote }) => remote !== from.remote) || (from.remote === null) === (to.remote === null)) {
    throw new UsageError(
      `cp: expected exactly one of FROM and TO on a phone, got ${operands.join(' ')}; write NAME:path, FLEET/PHONE:path, or :path`,
    )
  }
  if (paths.length > 1 && paths.some(isStream)) {
    throw new UsageError('cp: -: expected stdin as the only FROM, got several; a file with this name is ./-')
  }
  // before anything is copied
  if (from.remote === null && !isStream(from)) for (const { path } of paths) statOf(path)
  const client = connect(await placeOf(from.remote ?? to.remote!), { reconnectMs: PATIENCE_MS })
  const { files } = client.phone
  const progress = createProgress(process.stderr, options.has('quiet'))
  const isWhole = options.has('recursive')
  const used = new Set<string>()
  const reporter: Reporter = {
    print: (line) => progress.print(line),
    paths: () => used,
    bytes: () => progress.bytes(),
    waits: (isWaiting) => progress.waits(isWaiting),
    interrupted(isWaiting) {
      progress.end(false)
      const stopped = from.remote === null ? 'the same command resumes the copy of a file' : 'no partial file is left'
      const outcome = isWaiting ? 'the request for approval is withdrawn' : stopped
      console.error(`shellphone: interrupted; ${outcome}`)
    },
  }
  const notes = new Set<string>()
  try {
    await reportWaits(client, reporter, copyAll)
  } catch (error) {
    if (error instanceof OutputError) return error.isClosed ? OUTPUT_CLOSED : INCOMPLETE
    throw toClientError(error, client)
  } finally {
    progress.end(false)
    client.end()
  }
  for (const note of notes) console.error(`shellphone: ${note}`)
  return notes.size === 0 ? 0 : INCOMPLETE

  /** A path for requests, which `used` keeps. */
  function remotePath(path: string): string {
    const sent = toWire(path)
    used.add(sent)
    return sent
  }

  async function copyAll(): Promise<void> {
    if (paths.length > 1) await refuseUnlessDirectory(to)
    if (isStream(from)) {
      await withStored({ name: 'stdin', stream: process.stdin }, uploadStdin)
      return progress.end(true)
    }
    for (const { path } of paths) {
      const copied = from.remote === null ? upload(path, to.path, isWhole) : download(path, to.path, isWhole)
      for (const note of await copied) notes.add(note)
      progress.end(true)
    }
  }

  async function refuseUnlessDirectory({ remote, path }: RemotePath): Promise<void> {
    const isDirectory =
      remote === null ? isFolder(path) : (await kindOf(client.phone, remotePath(path))) === 'directory'
    if (isDirectory) return
    const where = remote === null ? 'this machine' : 'the phone'
    throw new UsageError(`cp: ${path}: expected a directory on ${where}, because there are several files to copy`)
  }

  async function uploadStdin(stored: string): Promise<void> {
    if (to.path.endsWith('/') || (await kindOf(client.phone, remotePath(to.path))) === 'directory') {
      throw new UsageError(`cp: ${to.path}: expected the name of a file for stdin, got a directory`)
    }
    await upload(stored, to.path, false)
  }

  async function upload(path: string, destination: string, isRecursive: boolean): Promise<string[]> {
    const facts = statOf(path)
    const isDirectory = facts.isDirectory()
    if (isDirectory && !isRecursive) throw needsRecursive(path)
    const inside = destination.endsWith('/') || (await kindOf(client.phone, remotePath(destination))) === 'directory'
    const target = remotePath(inside ? join(destination, basename(resolve(path))) : destination)
    try {
      if (isDirectory) return await files.uploadFolder(path, target, archives, progress)
      // a file of /proc has data, but no size
      if (facts.size > 0) await files.upload(path, target, progress)
      else {
        const stored = { name: basename(path), stream: createReadStream(path), mode: facts.mode }
        await withStored(stored, (copy) => files.upload(copy, target, progress))
      }
      return []
    } catch (error) {
      if (error instanceof PhoneError && error.type === 'not_found' && error.field === 'path')
        throw missingParent('cp', to.remote!, target)
      throw error
    }
  }

  async function download(path: string, destination: string, isRecursive: boolean): Promise<string[]> {
    const kind = await kindOf(client.phone, remotePath(path))
    if (kind === null) throw missingOn(from.remote!, path)
    if (isStream(to)) {
      if (kind === 'directory') throw needsTar(from.remote!, path)
      await toStdout(files, remotePath(path))
      return []
    }
    if (kind === 'directory' && !isRecursive) throw needsRecursive(path)
    const isInside =
      destination.endsWith('/') || lstatSync(destination, { throwIfNoEntry: false }) !== undefined
        ? isFolder(destination)
        : false
    const target = isInside ? join(destination, nameOf(path)) : destination
    if (!isFolder(dirname(target))) throw new UsageError(`cp: ${dirname(target)}: no such directory on this machine`)
    return kind === 'directory'
      ? files.downloadFolder(toWire(path), target, archives, progress)
      : files.download(toWire(path), target, progress)
  }
}

const needsRecursive = (path: string) => new UsageError(`cp: ${path} is a directory; copy it with shellphone cp -r`)

const needsTar = (remote: string, path: string) =>
  new UsageError(
    `cp: ${path} is a directory; write it to stdout with ${runOn(remote)} ${shellWord(`tar c ${pathWord(path)}`)}`,
  )

/** The local name of a copy. A path without a name of its own (`~`, `..`) becomes `home`. */
function nameOf(path: string): string {
  if (basename(path) === '.') return '.' // copies the contents of the directory
  const name = basename(posix.normalize(path))
  return ['', '.', '..', '~'].includes(name) ? 'home' : name
}

/** Whether a path looks like a pattern that no shell has replaced by names. */
const isPattern = (path: string) => /[*?[]/.test(path)

/** The error for a source that does not exist on a phone, where nothing expands patterns. */
function missingOn(remote: string, path: string): UsageError {
  const why = isPattern(path) ? ', and cp expands no patterns there' : ''
  return new UsageError(`cp: ${path}: no such file on the phone${why}; list its files with ${runOn(remote)} ls`)
}

/** Throws UsageError if the path is neither a file nor a directory. */
function statOf(path: string): Stats {
  const facts = factsOf(path)
  if (facts.isFile() || facts.isDirectory()) return facts
  const kind = facts.isFIFO() ? 'a pipe' : facts.isSocket() ? 'a socket' : 'a device'
  throw new UsageError(
    `cp: ${path}: expected a file or a directory, got ${kind}; to copy what it delivers, run shellphone cp - TO <${shellWord(path)}`,
  )
}

/** Throws UsageError if the path does not exist. */
function factsOf(path: string): Stats {
  try {
    return statSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw new UsageError(`cp: ${message}`)
    const why = isPattern(path) ? ', and the shell found none that matches' : ''
    const from = isAbsolute(path) ? '' : `, which starts at ${process.cwd()}`
    throw new UsageError(`cp: ${path}: no such file on this machine${why}; nothing was copied, check the path${from}`)
  }
}

function isFolder(path: string): boolean {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  if (!isDirectory && path.endsWith('/')) throw new UsageError(`cp: ${path}: no such directory`)
  return isDirectory
}
