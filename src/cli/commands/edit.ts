import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type NodePhone, PhoneError } from '../../sdk/client-node.ts'
import { MAX_CONTENT_BYTES, shortHash, UsageError, visible } from '../../shared/schema/index.ts'
import { type Client, ClientError, connect, toClientError } from './connect-service.ts'
import { codeOfSignal } from './exit-code.ts'
import { type LocatePhone, parseRemotePath, toWire } from './remote-path.ts'
import { kindOf, missingParent } from './remote-kind.ts'
import { type Reporter, reportWaits } from './report-waits.ts'

const EDITOR_FAILED = 1
/** The exit code of a shell that does not find a program. */
const NOT_FOUND = 127
/** The terminal sends these to the editor too, which decides what they mean. */
const keys = ['SIGINT', 'SIGQUIT'] as const

/**
 * `shellphone edit NAME:PATH`: opens a file of a phone, or a new one, in an editor on this machine. Writes it back only if the file on the
 * phone has not changed in the meantime; otherwise keeps the edited copy. Resolves with the exit code: 1 if the editor failed. Rejects with
 * ClientError.
 */
export async function edit(placeOf: LocatePhone, operand: string): Promise<number> {
  const { remote, path } = parseRemotePath(operand)
  if (remote === null || path === '' || path.endsWith('/')) {
    throw new UsageError(`edit: expected a file as NAME:PATH, FLEET/PHONE:PATH or :PATH, got ${visible(operand)}`)
  }
  const client = connect(await placeOf(remote))
  const folder = mkdtempSync(join(tmpdir(), 'shellphone-edit-'))
  const copy = join(folder, basename(path))
  try {
    await client.request('GET', '/health') // fails at once if the service is away; a download would wait for it
    return await editCopy(client, { remote, path: toWire(path) }, copy)
  } catch (error) {
    throw toClientError(error, client)
  } finally {
    client.end()
    if (!existsSync(copy)) rmSync(folder, { recursive: true, force: true })
  }
}

/** A file on a phone: the name of the phone, as on the command line, and the path for requests. */
interface Target {
  remote: string
  path: string
}

/** Removes the copy, unless it contains a change that was not written. */
async function editCopy(client: Client, { remote, path }: Target, copy: string): Promise<number> {
  const { files } = client.phone
  const printStored = () => console.error(`shellphone: nothing was written, and your version is in ${copy}`)
  const reporter = (interrupted: () => void): Reporter => ({
    print: (line) => console.error(`shellphone: ${line}`),
    paths: () => [path, dirname(path)],
    interrupted,
  })
  const read = async () => {
    const content = await contentOf(files, path)
    const hasParent = content !== null || (await kindOf(client.phone, dirname(path))) !== null
    if (!hasParent) throw missingParent('edit', remote, path)
    return content
  }
  const before = await reportWaits(
    client,
    reporter(() => {
      rmSync(dirname(copy), { recursive: true })
      console.error('shellphone: interrupted; nothing was changed')
    }),
    read,
  )
  writeFileSync(copy, before ?? '', { mode: 0o600 })
  const failure = await openEditor(copy)
  const after = readFileSync(copy)
  if (after.equals(before ?? Buffer.alloc(0))) {
    rmSync(copy)
    console.error(`shellphone: ${failure ?? 'nothing was changed'}`)
    return failure === null ? 0 : EDITOR_FAILED
  }
  if (failure !== null) {
    console.error(`shellphone: ${failure}; nothing was written, and your version is in ${copy}`)
    return EDITOR_FAILED
  }
  try {
    const ifHash = before === null ? 'none' : hashOf(before)
    await reportWaits(client, reporter(printStored), () => files.replace(path, after, ifHash))
  } catch (error) {
    printStored()
    if (!(error instanceof PhoneError && error.type === 'precondition_failed')) throw error
    throw new ClientError(
      `${visible(path)} has changed on the phone in the meantime; edit it again, and compare it with your version`,
    )
  }
  rmSync(copy)
  return 0
}

/** The content of a file; null: it does not exist. Rejects with UsageError if it is a directory, or too large to be written back. */
async function contentOf(files: NodePhone['files'], path: string): Promise<Buffer | null> {
  const pieces: Uint8Array[] = []
  try {
    for await (const { bytes, total } of files.get(path)) {
      if (total > MAX_CONTENT_BYTES) {
        throw new UsageError(
          `edit: ${visible(path)}: expected at most ${MAX_CONTENT_BYTES} bytes, got ${total}; copy it with shellphone cp`,
        )
      }
      pieces.push(bytes)
    }
  } catch (error) {
    const type = error instanceof PhoneError ? error.type : null
    if (type === 'not_found') return null
    if (type === 'validation_error' && (error as PhoneError).status === null) {
      throw new UsageError(`edit: ${visible(path)} is a directory; copy it with shellphone cp -r`)
    }
    throw error
  }
  return Buffer.concat(pieces)
}

/** The hash that guards a change of a file. */
const hashOf = (content: Buffer): string => shortHash(createHash('sha256').update(content).digest('hex'))

/** Runs the editor until it exits. Resolves with null, or with why it failed. */
function openEditor(copy: string): Promise<string | null> {
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi'
  for (const key of keys) process.on(key, leaveToEditor)
  const child = spawn('sh', ['-c', `${editor} "$@"`, editor, copy], { stdio: 'inherit' })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const key of keys) process.off(key, leaveToEditor)
      const status = signal === null ? code! : codeOfSignal(signal)
      if (status === NOT_FOUND) resolve(`cannot start the editor ${editor}; set VISUAL or EDITOR`)
      else resolve(status === 0 ? null : `the editor ${editor} failed with exit code ${status}`)
    })
  })
}

function leaveToEditor(): void {}
