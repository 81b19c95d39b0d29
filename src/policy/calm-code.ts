/** Whether inline code can be seen to touch no files but harmless ones. Careful: what is not recognised is not calm. */

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

/** `isFine` says whether a path that stands in the code may be used. */
export function calmCode(language: string, text: string, isFine: (path: string) => boolean): boolean {
  if (language === 'awk') return awkIsCalm(text, isFine)
  if (language === 'sql') return !sqlFiles.test(text)
  if (language === 'sed') return sedFiles(text).every(isFine)
  const pattern = fileWords[language]
  if (!pattern || pattern.test(withoutImports(language, text))) return literalFilesFine(language, text, isFine)
  return true
}

const plainModules =
  /^(?:json|sys|re|math|datetime|time|platform|random|string|collections|itertools|functools|textwrap|statistics|decimal|uuid|hashlib|base64|html|csv|operator|struct|calendar|fractions|secrets|typing|numbers|enum|dataclasses|pprint|urllib\.parse|xml\.etree\.ElementTree|importlib\.metadata|ssl|zlib|locale|unicodedata|numpy|pandas|torch|requests|yaml|flask|django|rich)$/

// an import of a harmless module is calm, of any other it is not
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

// `open('a.json')` with a plain name is known; the moment anything else reaches for files it is not
function literalFilesFine(language: string, text: string, isFine: (path: string) => boolean): boolean {
  const opener = openers[language]
  if (!opener) return false
  const paths = [...text.matchAll(opener)].map((match) => match[2]!)
  if (!paths.every((path) => /^(?:node:)?(?:fs|path|util|crypto|url|assert|zlib)$/.test(path) || isFine(path))) {
    return false
  }
  const rest = withoutImports(language, text.replace(opener, 'known('))
  return paths.length > 0 && !fileWords[language]!.test(rest.replace(/\b(?:fs|path)\b(?=\.known\(|\s*=)/g, ''))
}

const sqlFiles =
  /^\s*\.(?:read|output|once|import|open|backup|restore|save|log|excel|cd|shell|system|dump\s|load|clone|archive|ar)|readfile|writefile|attach|load_extension|\bcopy\b|\\/im

// strings that look like files have to be fine, and nothing may be read or written by a computed name
function awkIsCalm(text: string, isFine: (path: string) => boolean): boolean {
  const bare = text.replace(/(^|[(,~!{;&|\n])(\s*)\/(?:[^/\\\n]|\\.)+\//g, '$1$2')
  const blank = bare.replace(/"(?:[^"\\]|\\.)*"/g, '""')
  if (text.length > MAX_AWK) return false
  if (/\b(?:getline|system|ARGV|ENVIRON|FILENAME\s*=)\b/.test(blank) || awkRedirect.test(blank)) return false
  return stringsIn(bare).every((part) => isPlain(part) || isFine(part))
}

// longer programs are not searched: the pattern's time grows with the square of their length
const MAX_AWK = 8_192
const awkRedirect = /\bprintf?\b[^;{}\n]*>>?\s*(?!""|>|\s)/

const stringsIn = (text: string) => [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1]!)
const isPlain = (text: string) => !/^(?:\/|~|\.\.)|\/\.\.(?:\/|$)/.test(text)

// r FILE, R FILE, w FILE, W FILE, s///w FILE
function sedFiles(text: string): string[] {
  const found = [...text.matchAll(/(?:^|[;{}\n]|\d|\$|\/I?)\s*[rRwW]\s*([^\s;}]\S*)/g)].map((match) => match[1]!)
  const substituted = [...text.matchAll(/s([^\w\s])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpiIm\d]*w\s*(\S+)/g)].map(
    (match) => match[2]!,
  )
  return [...found.filter((path) => /[/.~]/.test(path)), ...substituted]
}
