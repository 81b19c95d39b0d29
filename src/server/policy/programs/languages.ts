/** Analyses code in other languages: whether it starts programs, which files it uses, and what it deletes. */
import { changes, type Effect, unknownFiles, when } from './effect.ts'
import { plainPath as path } from './paths.ts'

const starters: Record<string, RegExp> = {
  python:
    /\b(?:subprocess|pty|ctypes|importlib|runpy|builtins|marshal|pickle|system|popen|posix_spawn|fork)\b|__import__|__dict__|__builtins__|\b(?:exec[lv]|spawn)\w*\s*\(|(?<![.\w])(?:exec|eval|compile|getattr|globals|locals|vars)\s*\(|\\x[0-9a-f]{2}/i,
  javascript:
    /child_process|\b(?:eval|Function|vm|Worker|binding|dlopen|constructor|globalThis)\b|\b(?:global|this)\s*\[|\\x[0-9a-f]{2}|\\u|import\s*\(|require\s*(?:[^\s(]|\(\s*(?!(['"])[^'"]+\1\s*\)))/,
  perl: /\b(?:system|exec|qx|open|fork|eval|pack|unpack|chr|do|require|syscall)\b|`|\bs(\W).*\1.*\1[a-z]*e|\\x/,
  ruby: /\b(?:system|exec|spawn|popen\w*|eval|fork|send|instance_eval|unpack\w*|pack|chr|open|Kernel|IO|PTY|Open3|load|require)\b|`|%x/,
  php: /\b(?:system|exec|shell_exec|passthru|popen|proc_open|pcntl\w*|eval|assert|base64_decode|chr|pack|create_function|include|require)\b|`|\$\w+\s*\(/,
  lua: /\b(?:os|io|load\w*|dofile|require|package|debug|char)\b/,
  editor:
    /[!]|:\s*(?:!|r\s*!|w\s*!|terminal|python|lua|perl|ruby|source)|\bsystem|shell|shell-command|call-process|start-process|\beval\b|\bexecute\b|\brun\b|python/,
  escape: /[!|`]|\bsystem\b|%pipe/,
  sql: /^\s*(?:system|\\!)\s|^\s*\.(?:sh\w*|sys\w*|read|import|load|output|once|excel|open)|\|\s*\w|load_extension|\bedit\s*\(|readfile|writefile|\\!|\bCOPY\b.*\bPROGRAM\b/im,
  sed: /(?:^|[;{}\n]|\d|\$|\/[IM]*)\s*e(?:\s|$)|s(.)(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiIm\d]*e/m,
}

/** Returns whether code may start programs or generate more code, so that the parser cannot determine what runs. */
export function startsPrograms(language: string, text: string): boolean {
  if (language === 'awk') return awkStarts(text)
  return starters[language]?.test(text) ?? true
}

// empties every string literal
const blanked = (text: string) => text.replace(/"(?:[^"\\]|\\.)*"/g, '""')

function awkStarts(text: string): boolean {
  const bare = blanked(text).replace(/(^|[(,~!{;&|\n]|\bin|&&)(\s*)\/(?:[^/\\\n]|\\.)+\//g, '$1$2""')
  return /(?<![A-Za-z_])(?:system|getline)\b|@load|@include|@\w+\s*\(/.test(bare) || /(?:^|[^|])\|(?!\|)/.test(bare)
}

const fileWords: Record<string, RegExp> = {
  python:
    /\b(?:open|os|Path|pathlib|shutil|glob|io|input|fileinput|exec|eval|compile|globals|locals|vars|builtins|sqlite3|mmap|tempfile|zipfile|tarfile|argv|environ|socket|urlopen|requests|walk|listdir|scandir|import_module|linecache|pickle|marshal|imp|code|pty|subprocess|codecs|modules)\b|__/,
  javascript:
    /\b(?:fs|process\.(?:argv|env|binding|chdir|mainModule)|readFile\w*|writeFile\w*|import|eval|Function|child_process|Deno|Bun|globalThis|module|constructor|path|require)\b/,
  perl: /\b(?:open\w*|unlink|opendir|glob|rename|link|symlink|mkdir|rmdir|chdir|stat|sysopen|require|do|use\s+lib|eval|exec|system|File|IO|ENV|ARGV)\b|<[\w$*~/.]+>|`/,
  ruby: /\b(?:File|IO|Dir|open|Pathname|FileUtils|require_relative|load|ENV|ARGV|eval|exec|system|Kernel|read\w*|write)\b|`|%x/,
  php: /\b(?:f?open|file\w*|readfile|unlink|opendir|scandir|glob|rename|copy|mkdir|include\w*|require\w*|getenv|eval|exec|system|Dir\w*|SplFile\w*|\$_\w+)\b|`/,
  lua: /\b(?:io|os|dofile|loadfile|require|package|debug|load)\b/,
}

/** Returns the files that code uses; null: unknown. Errs on the safe side: anything that it does not recognise is unknown. */
function filesOf(language: string, text: string): string[] | null {
  if (language === 'awk') return awkFiles(text)
  if (language === 'sql') return sqlFiles.test(text) ? null : []
  if (language === 'sed') return sedFiles(text)
  const pattern = fileWords[language]
  return pattern && !pattern.test(withoutImports(language, text)) ? [] : literalFiles(language, text)
}

const plainModules =
  /^(?:json|sys|re|math|datetime|time|platform|random|string|collections|itertools|functools|textwrap|statistics|decimal|uuid|hashlib|base64|html|csv|operator|struct|calendar|fractions|secrets|typing|numbers|enum|dataclasses|pprint|urllib\.parse|xml\.etree\.ElementTree|importlib\.metadata|ssl|zlib|locale|unicodedata|numpy|pandas|torch|requests|yaml|flask|django|rich)$/

// replaces the import of any module that is not known to be harmless with a word that counts as file access
function withoutImports(language: string, text: string): string {
  if (language !== 'python') return text
  return text.replace(
    /\b(?:from\s+([\w.]+)\s+)?import\s+([\w.,\s]+?)(?=[;\n]|$)/g,
    (whole, from: string | undefined, names: string) => {
      const modules = from ? [from] : names.split(',').map((name) => name.trim().replace(/\s+as\s+\w+$/, ''))
      return modules.every((name) => plainModules.test(name)) ? '' : `${whole} os`
    },
  )
}

const openers: Record<string, RegExp> = {
  python: /\bopen\(\s*(['"])([^'"\\]+)\1/g,
  javascript: /\b(?:readFileSync|require)\(\s*(['"])([^'"\\]+)\1/g,
}

// `open('a.json')` with a plain name is known; any other file access makes the result unknown
function literalFiles(language: string, text: string): string[] | null {
  const opener = openers[language]
  if (!opener) return null
  const paths = [...text.matchAll(opener)].map((match) => match[2]!)
  const rest = withoutImports(language, text.replace(opener, 'known('))
  if (paths.length === 0 || fileWords[language]!.test(rest.replace(/\b(?:fs|path)\b(?=\.known\(|\s*=)/g, ''))) {
    return null
  }
  return paths.filter((name) => !/^(?:node:)?(?:fs|path|util|crypto|url|assert|zlib)$/.test(name))
}

const sqlFiles =
  /^\s*\.(?:read|output|once|import|open|backup|restore|save|log|excel|cd|shell|system|dump\s|load|clone|archive|ar)|readfile|writefile|attach|vacuum\s+into|^\s*source\s|^\s*\\i|load_extension|\bcopy\b|\\/im

// collects strings that look like paths; null if a computed name is read or written
function awkFiles(text: string): string[] | null {
  const bare = text.replace(/(^|[(,~!{;&|\n])(\s*)\/(?:[^/\\\n]|\\.)+\//g, '$1$2')
  const blank = blanked(bare)
  if (text.length > MAX_AWK) return null
  if (/(?<![A-Za-z_])(?:getline|system|ARGV|ENVIRON|FILENAME\s*=)\b/.test(blank) || awkRedirect.test(blank)) return null
  return stringsIn(bare).filter((part) => !isPlain(part))
}

// longer programs are not searched, because the pattern takes quadratic time
const MAX_AWK = 8_192
const awkRedirect = /\bprintf?\b[^;{}\n]*>>?\s*(?!""|>|\s)/

const stringsIn = (text: string) => [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!)
const isPlain = (text: string) => !/^(?:\/|~|\.\.)|\/\.\.(?:\/|$)/.test(text)

// r FILE, R FILE, w FILE, W FILE, s///w FILE
function sedFiles(text: string): string[] {
  const found = [...text.matchAll(/(?:^|[;{}\n]|\d|\$|\/I?)\s*[rRwW]\s*([^\s;}]\S*)/g)].map((match) => match[1]!)
  const substituted = text.matchAll(/s([^\w\s])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiIm\d]*w\s*(\S+)/g)
  return [...found.filter((path) => /[/.~]/.test(path)), ...[...substituted].map((match) => match[2]!)]
}

const destroys =
  /rmtree|rm_rf|rm_r\b|rmSync|rmdirSync|\brm\s*\(|rimraf|removeTree|remove_tree|remove_dir_all|removeSync|Deno\.remove|delete-(?:directory|file)|deleteRecursively|FileUtils|File::Path|\bunlink|\brmdir\b|\brename\b|\bmove\b/
const strings = /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|q[qx]?[({]([^)}]*)[)}]/g
const MAX_STRINGS = 64

const stringsOf = (text: string): string[] =>
  [...text.matchAll(strings)]
    .slice(0, MAX_STRINGS)
    .flatMap(([, ...parts]) => parts.filter((part) => part !== undefined))

/** Returns the strings in code that may be commands; empty if the code cannot start programs. */
export function scriptsIn(text: string): string[] {
  const found = /system|exec|popen|spawn|subprocess|sh\b|qx|`|run|!|\|/i.test(text) ? stringsOf(text) : []
  return found.length === 0 ? [] : [...found.filter((part) => part.includes(' ')), found.join(' ')]
}

/** Returns the effects of code. `text` null: unknown code. */
export function effectsOfCode(language: string, text: string | null): Effect[] {
  const data = /^(?:awk|sed|sql)$/.test(language)
  if (text === null) return [{ does: 'runs', what: 'source', data }, unknownFiles]
  const files = filesOf(language, text)
  const writes = /open|write|'w|"w/i.test(text) ? stringsOf(text) : []
  return [
    { does: 'runs', what: 'source', data, hidden: startsPrograms(language, text) },
    ...when(files === null, unknownFiles),
    ...(files ?? []).map((file): Effect => ({ does: 'reads', path: path(file) })),
    ...when(/\bfork\b/.test(text) && /\b(?:while|loop|for)\b/.test(text), { does: 'forks' }),
    ...writes.map((file): Effect => ({ does: 'writes', path: path(file), code: true })),
    ...destroyed(text),
    ...when(writesByCode(language, text), changes),
  ]
}

function destroyed(text: string): Effect[] {
  if (!destroys.test(text)) return []
  const home = /homedir|expanduser|environ|ENV\b|process\.env|Path\.home|Dir\.home/.test(text)
  const paths = [...stringsOf(text).filter((file) => file !== ''), ...(home ? ['~'] : [])]
  return paths.map((file) => ({ does: 'deletes', path: path(file), recursive: true, how: 'code' }))
}

function writesByCode(language: string, text: string): boolean {
  if (language === 'sed') return /(?:^|[;{}\s\d/$])[wW]\s*\S/.test(text)
  return language === 'awk' && (text.length > MAX_AWK || /\bprintf?\b[^;{}\n]*>/.test(blanked(text)))
}
