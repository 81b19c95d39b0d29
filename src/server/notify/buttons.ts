import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The two answers to one approval request: as nonces, or as the command lines of a notification's buttons. */
export interface AnswerPair {
  approve: string
  deny: string
}

interface ButtonParts {
  /** in the service's home, which sandboxes hide; created if missing, and emptied of old files */
  folder: string
  /** absolute path of curl */
  curl: string
  /** the service's address, once it listens: http://127.0.0.1:PORT */
  url(): string
}

export interface Buttons {
  /** The command lines for one approval request; null: their files cannot be written. */
  actions(id: string, nonces: AnswerPair): AnswerPair | null
  /** Removes the buttons of all other approval requests. */
  keep(ids: string[]): void
}

/** Whether an action can contain the path without quotes. */
export const isPlainPath = (path: string): boolean => /^\/[\w./-]+$/.test(path)

/**
 * A shell runs a button's action, and every process of the same user can read its arguments. So the arguments only name a file for curl
 * (0600), which holds the nonce that answers. The file is deleted when its approval request is decided.
 */
export function createButtons({ folder, curl, url }: ButtonParts): Buttons {
  rmSync(folder, { recursive: true, force: true })
  const written = new Set<string>()
  const fileOf = (id: string, answer: keyof AnswerPair) => join(folder, `${id}.${answer}`)

  function write(file: string, nonce: string): string {
    const lines = [`url = "${url()}/approvals/press/${nonce}"`, 'request = POST', 'max-time = 5', 'fail', 'silent']
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    return `${curl} -q -K ${file}` // -q: ignore ~/.curlrc
  }

  return {
    actions(id, { approve, deny }) {
      written.add(id)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        return { approve: write(fileOf(id, 'approve'), approve), deny: write(fileOf(id, 'deny'), deny) }
      } catch {
        return null // a full disk: the request is answered elsewhere
      }
    },
    keep(ids) {
      for (const id of [...written].filter((one) => !ids.includes(one))) {
        for (const answer of ['approve', 'deny'] as const) rmSync(fileOf(id, answer), { force: true })
        written.delete(id)
      }
    },
  }
}
