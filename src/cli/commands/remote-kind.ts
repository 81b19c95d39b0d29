import { posix } from 'node:path'
import { type NodePhone, PhoneError } from '../../sdk/client-node.ts'
import { pathWord, shellWord, UsageError } from '../../shared/schema/index.ts'

/** The timeout of one path lookup. A person may take two minutes to approve it. */
const LOOKUP_TIMEOUT_MS = 150_000

/** The kind of a remote path; null: it does not exist. */
export async function kindOf(phone: NodePhone, path: string): Promise<'file' | 'directory' | null> {
  try {
    const headers = { range: 'bytes=0-0' }
    const asked = { query: { path, limit: 1 }, headers, signal: AbortSignal.timeout(LOOKUP_TIMEOUT_MS) }
    const answer = await phone.request('/files', asked)
    await answer.arrayBuffer() // frees the connection
    return answer.headers.get('content-type')?.startsWith('application/json') ? 'directory' : 'file'
  } catch (error) {
    const type = error instanceof PhoneError ? error.type : null
    if (type === 'out_of_range') return 'file' // an empty file
    if (type === 'not_found') return null
    throw error
  }
}

/** The error for a target in a directory that does not exist on a phone. */
export function missingParent(subcommand: string, remote: string, target: string): UsageError {
  const directory = posix.dirname(target)
  const create = `${runOn(remote)} ${shellWord(`mkdir -p ${pathWord(directory)}`)}`
  return new UsageError(`${subcommand}: ${directory}: no such directory on the phone; create it with ${create}`)
}

export const runOn = (remote: string) => `shellphone run${remote === '' ? '' : ` --on ${remote}`}`
