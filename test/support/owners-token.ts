import { hash } from 'node:crypto'
import type { OwnersToken } from '../../src/server/access/index.ts'

/** The owner's token, in memory only. */
export function ownersToken(text: string): OwnersToken {
  const owner = {
    sha256: hash('sha256', text),
    replace: (sha256: string) => void (owner.sha256 = sha256),
    forgetText: () => false,
  }
  return owner
}
