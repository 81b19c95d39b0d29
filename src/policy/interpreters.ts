/** Programs that read code in a language: how to find code that stands in their arguments, and whether they read it from their input. */
import type { Word } from './script.ts'

export interface Interpreter {
  match: RegExp
  language: string
  /** a short option cluster that ends in this letter, or has the code right behind it */
  letters?: string
  long?: readonly string[]
  /** letters of other options that take a value */
  values?: string
  /** the first operand is the code, unless one of these options gave it: awk, sed, jq */
  operand?: boolean
  /** so many operands stand before the code: a database */
  skip?: number
  files?: string
}

export const interpreters: readonly Interpreter[] = [
  { match: /^python[\d.]*$|^pypy\d?$/, language: 'python', letters: 'c', values: 'WXm' },
  {
    match: /^(?:node|nodejs|bun|deno|qjs|tsx|ts-node)$/,
    language: 'javascript',
    letters: 'ep',
    long: ['--eval', '--print', '-pe', 'eval'],
    values: 'rC',
  },
  { match: /^perl[\d.]*$/, language: 'perl', letters: 'eE', values: 'I' },
  { match: /^j?ruby[\d.]*$/, language: 'ruby', letters: 'e', values: 'rIC' },
  { match: /^php[\d.]*$/, language: 'php', letters: 'rBRE', values: 'dcz' },
  { match: /^(?:lua[\d.]*|luajit)$/, language: 'lua', letters: 'e', values: 'l' },
  {
    match:
      /^(?:tclsh|wish|guile|sbcl|clisp|R|Rscript|julia|octave|elixir|erl|ghc|scala|groovy|jshell|swipl|gnuplot|osascript|pwsh|powershell|fish|nu|xonsh|csh|tcsh|elvish)$/,
    language: 'other',
    letters: 'ecgC',
    long: ['--eval', '-eval', '-command', '-Command', '--execute'],
  },
  {
    match: /^(?:vi|vim|nvim|ex|emacs|gdb|lldb|ed|red)$/,
    language: 'editor',
    letters: 'cS',
    long: ['--eval', '-ex', '--batch', '--cmd', '-s'],
  },
  {
    match: /^[gmno]?awk$/,
    language: 'awk',
    operand: true,
    values: 'FvfEeW',
    files: 'fE',
    letters: '',
    long: ['--source'],
  },
  { match: /^g?sed$/, language: 'sed', operand: true, values: 'efl', files: 'f', letters: 'e', long: ['--expression'] },
  { match: /^sqlite3$/, language: 'sql', operand: true, skip: 1, long: ['-cmd', '-init'] },
  { match: /^(?:mysql|psql)$/, language: 'sql', letters: 'ce', long: ['-cmd', '--command', '--execute'] },
]

export interface FoundCode {
  language: string
  words: readonly Word[]
  /** it has no code and no file of its own: it reads its input */
  readsInput: boolean
}

/** The code that a command carries in its arguments; null for a program that is no interpreter. */
export function findCode(name: string, args: readonly Word[]): FoundCode | null {
  const row = interpreters.find((interpreter) => interpreter.match.test(name))
  if (!row) return null
  const code: Word[] = []
  let file = false
  let skip = row.skip ?? 0
  let at = 0
  for (; at < args.length; at += 1) {
    const text = args[at]!.literal
    if (text === null) {
      if (row.operand && code.length === 0 && !file) code.push(args[at]!)
      file = true
      continue
    }
    if (text === '-' || text === '/dev/stdin') continue
    if (!/^[-+]./.test(text)) {
      if (row.long?.includes(text)) code.push(...args.slice(at + 1, at + 2))
      else if (skip > 0) skip -= 1
      else if (row.operand && code.length === 0 && !file) code.push(args[at]!)
      if (!row.skip) file = true
      if (!row.operand && row.language !== 'editor' && row.language !== 'sql') break
      continue
    }
    const option = readOption(row, text)
    if (option.file) file = true
    if (option.code === null) at += option.takesNext ? 1 : 0
    else if (option.code === '') code.push(...args.slice(++at, at + 1))
    else code.push({ ...args[at]!, literal: option.code, fields: [[option.code]] })
  }
  return { language: row.language, words: code, readsInput: code.length === 0 && !file }
}

function readOption(row: Interpreter, text: string): { code: string | null; takesNext: boolean; file: boolean } {
  const long = row.long?.find((name) => text === name || text.startsWith(`${name}=`))
  if (long) return { code: text.slice(long.length + 1), takesNext: false, file: false }
  if (text.startsWith('--')) return { code: null, takesNext: false, file: false }
  for (let index = 1; index < text.length; index += 1) {
    const letter = text[index]!
    const glued = text.slice(index + 1)
    if (row.letters?.includes(letter)) return { code: glued, takesNext: false, file: false }
    if (row.values?.includes(letter)) {
      return { code: null, takesNext: glued === '', file: letter === 'm' || (row.files?.includes(letter) ?? false) }
    }
  }
  return { code: null, takesNext: false, file: text === '-V' || text === '-v' || text === '-h' }
}

const starters: Record<string, RegExp> = {
  python:
    /\b(?:subprocess|pty|ctypes|importlib|runpy|builtins|marshal|pickle|system|popen|posix_spawn|fork)\b|__import__|__dict__|__builtins__|\b(?:exec[lv]|spawn)\w*\s*\(|(?<![.\w])(?:exec|eval|compile|getattr|globals|locals|vars)\s*\(|\\x[0-9a-f]{2}/i,
  javascript:
    /child_process|\b(?:eval|Function|vm|Worker|binding|dlopen|constructor|globalThis)\b|\b(?:global|this)\s*\[|\\x[0-9a-f]{2}|\\u|import\s*\(|require\s*(?:[^\s(]|\(\s*(?!(['"])[^'"]+\1\s*\)))/,
  perl: /\b(?:system|exec|qx|open|fork|eval|pack|unpack|chr|do|require|syscall)\b|`|\bs(\W).*\1.*\1[a-z]*e|\\x/,
  ruby: /\b(?:system|exec|spawn|popen\w*|eval|fork|send|instance_eval|unpack\w*|pack|chr|open|Kernel|IO|PTY|Open3|load|require)\b|`|%x/,
  php: /\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl\w*|eval|assert|base64_decode|chr|pack|create_function|include|require)\b|`|\$\w+\s*\(/,
  lua: /\b(?:os|io|load\w*|dofile|require|package|debug|char)\b/,
  sql: /^\s*\.(?:shell|system|read|import|load|output|once|excel|open)|\|\s*\w|load_extension|readfile|writefile|\\!|\bCOPY\b.*\bPROGRAM\b/im,
  sed: /(?:^|[;{}\n]|\d|\$|\/[IM]*)\s*e(?:\s|$)|s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiIm\d]*e/m,
}

/** Whether code may start programs or build more code: then what runs cannot be known. */
export function startsPrograms(language: string, text: string): boolean {
  if (language === 'awk') return awkStarts(text)
  if (language === 'editor') {
    return /[!]|:\s*(?:!|r\s*!|w\s*!|terminal|python|lua|perl|ruby|source)|\bsystem|shell|shell-command|call-process|start-process|\beval\b|\bexecute\b|\brun\b|python/.test(
      text,
    )
  }
  const starter = starters[language]
  return starter === undefined || starter.test(text)
}

function awkStarts(text: string): boolean {
  const strings = text.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  const bare = strings.replace(/(^|[(,~!{;&|\n]|\bin|&&)(\s*)\/(?:[^/\\\n]|\\.)+\//g, '$1$2""')
  return /\bsystem\b|@load|@include|\bgetline\b|@\w+\s*\(/.test(bare) || /(?:^|[^|])\|(?!\|)/.test(bare)
}
