import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The two answers to one approval request: as nonces, or as the command lines of a notification's buttons. */
export interface AnswerPair {
  approve: string
  deny: string
}

interface ButtonParts {
  /** a folder in the service's home, which sandboxes hide; it is created if missing, and old files in it are removed */
  folder: string
  /** absolute path of curl */
  curl: string
  /** the service's address, once it listens: http://127.0.0.1:PORT */
  url(): string
}

export interface Buttons {
  /** Returns the command lines for one approval request; null if their files cannot be written. */
  actions(id: string, nonces: AnswerPair): AnswerPair | null
  /** Removes the buttons of all approval requests except these. */
  keep(ids: string[]): void
}

/** Returns whether an action can contain a path without quotes. */
export const isPlainPath = (path: string): boolean => /^\/[\w./-]+$/.test(path)

/**
 * Creates the actions of buttons. A shell runs a button's action, and every process of the same user can read its arguments. Therefore the
 * arguments only name a private file (0600) for curl, which contains the nonce that authorizes the answer. The file is deleted when its
 * approval request is decided.
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
        return null // the disk is full: a person can still answer elsewhere
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
