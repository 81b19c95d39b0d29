import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/**
 * The id of the idempotency keys in a home, from a file beside them. A wiped home has another id. A copy or a restored backup has another id too,
 * because the file contains its own inode number. If the file cannot be written, the id is valid only for this start of the service.
 */
export function homeId(directory: string): string {
  const folder = join(directory, 'history')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return known(join(folder, 'home-id')) ?? make(join(folder, 'home-id'))
  } catch {
    return newId()
  }
}

const newId = () => randomBytes(16).toString('hex')

function known(file: string): string | null {
  try {
    const [id = '', inode] = readFileSync(file, 'utf8').trim().split(' ')
    return /^[0-9a-f]{32}$/.test(id) && inode === String(statSync(file).ino) ? id : null
  } catch {
    return null // the file does not exist yet
  }
}

function make(file: string): string {
  const id = newId()
  const temporary = `${file}.new`
  rmSync(temporary, { force: true })
  const descriptor = openSync(temporary, 'wx', 0o600)
  try {
    writeFileSync(descriptor, `${id} ${fstatSync(descriptor).ino}\n`, { flush: true })
  } finally {
    closeSync(descriptor)
  }
  renameSync(temporary, file)
  return id
}
