import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bounds } from './launcher-numbers.ts'
import { shellWord } from '../../shared/schema/index.ts'

/** How a shell's state is captured when it exits. */
interface StateTrap {
  /** at the start of the file that the shell inherits, so that the program writes into no other file */
  nonce: string
  /** goes before the script, on its first line, so that line numbers stay the same */
  prologue: string
}

/**
 * Sets an EXIT trap that runs a copy of the launcher in `folder`, because sandboxed commands can execute nothing in a hidden folder, where the
 * launcher itself may be. The trap prints nothing, even if the script traps DEBUG or ERR, and none of its commands fails, because ERR and
 * `set -e` would see that. Only mksh needs the status again: after a signal, it exits with the status of the EXIT trap.
 */
export function createStateTrap(launcher: string, folder: string): StateTrap {
  const nonce = randomBytes(12).toString('hex')
  const program = shellWord(copyIn(folder, launcher))
  const save = `${program} --session ${bounds.stateFd} ${nonce} "$$" || :`
  const call = `{ set -- "$?"; ${save}; [ -z "\${KSH_VERSION-}" ] || { trap - ERR; (exit "$1"); }; } >/dev/null 2>&1`
  return { nonce, prologue: `trap ${shellWord(call)} EXIT; ` }
}

/** Copies the launcher again if something has removed the copy or written into it. */
function copyIn(folder: string, launcher: string): string {
  const copy = join(folder, 'session-state')
  const [from, to] = [statSync(launcher), statSync(copy, { throwIfNoEntry: false })]
  if (to?.size === from.size && to.mtimeMs >= from.mtimeMs) return copy
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const part = `${copy}.part`
  copyFileSync(launcher, part)
  renameSync(part, copy)
  return copy
}
