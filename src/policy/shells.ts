/** Shells as commands: `sh -c CODE`, `sh FILE`, `sh` that reads its input, `. FILE`. */
import type { Word } from './script.ts'

const shells = /^(?:r?bash|d?ash|[lmo]?ksh\d*|ksh93|zsh|sh|yash|hush|posh|lash|mksh-static|bash-static|su-sh)$/

export interface ShellCode {
  code: Word | null
  positional: readonly Word[]
  readsInput: boolean
  /** the script file that it runs */
  file: string | null
  /** what it runs cannot be told from its words */
  unknown: boolean
}

/** Whether a program's name is that of a shell that reads sh. */
export function isShell(name: string): boolean {
  return shells.test(name)
}

/** What a shell will run; null for any other program. */
export function shellCode(name: string, words: readonly Word[]): ShellCode | null {
  if (!isShell(name)) return null
  let wantsCode = false
  let fromInput = false
  let at = 1
  for (; at < words.length; at += 1) {
    const text = words[at]!.literal
    if (text === null) break
    if (text === '--') {
      at += 1
      break
    }
    if (!/^[-+]./.test(text)) break
    if (text.startsWith('--')) {
      if (/^--(?:rcfile|init-file)$/.test(text)) at += 1
      continue
    }
    if (text.startsWith('-') && text.includes('c')) wantsCode = true
    if (text.startsWith('-') && text.includes('s')) fromInput = true
    if (/[oO]$/.test(text)) at += 1
  }
  const operand = words[at]
  if (operand?.splits) {
    return {
      code: operand.fields && wantsCode ? operand : null,
      positional: [],
      readsInput: false,
      file: null,
      unknown: true,
    }
  }
  if (wantsCode) {
    return {
      code: operand ?? null,
      positional: words.slice(at + 2),
      readsInput: false,
      file: null,
      unknown: operand === undefined,
    }
  }
  const file =
    operand !== undefined &&
    operand.literal !== '-' &&
    operand.literal !== '/dev/stdin' &&
    operand.literal !== '/proc/self/fd/0'
  const informs = words.slice(1, at).some((word) => /^--(?:version|help)$/.test(word.literal ?? ''))
  return {
    code: null,
    positional: [],
    readsInput: !informs && (fromInput || !file),
    file: file && !fromInput ? operand.literal : null,
    unknown: operand?.literal === null && operand.fields === null,
  }
}
