import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What answers one question: unguessable words, or the command lines of a notification's buttons. */
export interface Pair {
  approve: string
  deny: string
}

interface ButtonParts {
  /** in the home, which sandboxes hide; made, and emptied of what was left there */
  folder: string
  /** absolute path of curl */
  curl: string
  /** where the service listens, once it does: http://127.0.0.1:PORT */
  url(): string
}

export interface Buttons {
  /** The command lines for one question; null: the disk refused. */
  actions(id: string, nonces: Pair): Pair | null
  /** Takes away the buttons of all other questions. */
  keep(ids: string[]): void
}

/** Stands in an action as it is, without quotes. */
export const isPlainPath = (path: string): boolean => /^\/[\w./-]+$/.test(path)

/**
 * A button's action is run by a shell, and every process of the same user can read its arguments: they name a file for curl (0600), and
 * the word that answers stands in there alone. The file goes when its question is decided.
 */
export function createButtons({ folder, curl, url }: ButtonParts): Buttons {
  rmSync(folder, { recursive: true, force: true })
  const written = new Set<string>()
  const fileOf = (id: string, answer: keyof Pair) => join(folder, `${id}.${answer}`)

  function write(file: string, nonce: string): string {
    const lines = [`url = "${url()}/approvals/press/${nonce}"`, 'request = POST', 'max-time = 5', 'fail', 'silent']
    writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
    return `${curl} -q -K ${file}` // -q: no ~/.curlrc has its say
  }

  return {
    actions(id, { approve, deny }) {
      written.add(id)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        return { approve: write(fileOf(id, 'approve'), approve), deny: write(fileOf(id, 'deny'), deny) }
      } catch {
        return null // a full disk: it is answered elsewhere
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
