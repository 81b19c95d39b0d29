import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createRequire } from 'node:module'
import t from 'tap'
import type TypeScript from 'typescript'
import { allowedIn, forbidden, importsOf, layers, sourceFiles, withoutPlace } from '../scripts/docs/layers.ts'
import { timers } from './support/timers.ts'

/** By `require`: to import it Node reads all of its nine megabytes once more, for the names of its exports. */
const ts = createRequire(import.meta.url)('typescript') as typeof TypeScript

/** Rooms that decide and touch nothing: no clock, disk, network, environment. */
const pureRooms = ['src/server/dialects', 'src/server/policy']
const impure =
  /\bfrom 'node:(?!path\b)|\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.(env|platform|cwd|argv)|\bMath\.random\(|\bfetch\(/
const MAX_LINES = 250
/** A closure that returns an object of verbs, from its first line to its last. */
const MAX_CLOSURE_LINES = 60

const root = resolve(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..')
const files = sourceFiles().filter((file) => /\.tsx?$/.test(file))
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
const textOf = (file: string) => texts.get(file)!
const parse = (file: string, text: string) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
const parsed = new Map<string, TypeScript.SourceFile>()
function treeOf(file: string): TypeScript.SourceFile {
  const tree = parsed.get(file) ?? parse(file, textOf(file))
  parsed.set(file, tree)
  return tree
}
/** Only what holds such a text is worth parsing. */
const filesWith = (text: RegExp) => files.filter((file) => text.test(textOf(file)))
const isFile = (file: string) => texts.has(file)
const targetsOf = (file: string) => importsOf(file, textOf(file))

/** What our user set, what may join it, and what npm, git and the build make. */
const topLevel = [
  ...'package.json tsconfig.json src test scripts termux openapi.yaml README.md LICENSE CHANGELOG.md .ci .github'.split(
    ' ',
  ),
  ...'package-lock.json .git .gitignore .tap node_modules dist'.split(' '),
]

t.test('the top level is what our user set', async (t) => {
  const others = readdirSync(root).filter((name) => !topLevel.includes(name) && !name.endsWith('.tgz'))
  t.same(others, [])
})

t.test('everything has a place in the layers', async (t) => {
  t.same(withoutPlace(sourceFiles()), [])
  t.same(withoutPlace(['src/server/new/x.ts', 'src/x.ts']).length, 2, 'what has none would be found')
})

t.test('imports follow the arrows, and go through doors', async (t) => {
  const broken = sourceFiles().flatMap((file) => importsOf(file).map((target) => forbidden(file, target, isFile)))
  t.same(broken.filter(Boolean), [])
  for (const [what, file, target] of [
    ['upwards', 'src/shared/schema/x.ts', 'src/server/exec/index.ts'],
    ['sideways', 'src/server/pool/x.ts', 'src/server/spawn/index.ts'],
    ['from a file at the root of a folder', 'src/server/tools.ts', 'src/server/serve.ts'],
    ['out of src', 'src/server/spawn/x.ts', 'scripts/build/build.mjs'],
    ['past the door', 'src/server/exec/x.ts', 'src/server/pool/pool.ts'],
    ['past the door of a layer', 'src/main.ts', 'src/cli/commands/index.ts'],
    ['inside a module', 'src/server/policy/shell/x.ts', 'src/server/policy/guards/risk.ts'],
  ] as const) {
    t.ok(forbidden(file, target, isFile), `an import ${what} would be found`)
  }
})

t.test('no arrow leads back', async (t) => {
  for (const [folder, lines] of Object.entries(layers)) {
    for (const [name, others] of allowedIn(lines)) t.notOk(others.has(name), `${folder}/${name}`)
  }
})

/** Names that more than one file of src has, doors and configurations aside. */
function namesTwice(paths: readonly string[]): string[] {
  const names = paths.map((path) => basename(path)).filter((name) => name !== 'index.ts')
  return names.filter((name, at) => names.indexOf(name) !== at)
}

t.test('a search for a file name finds one file', async (t) => {
  t.same(namesTwice(sourceFiles()), [])
  t.same(namesTwice(['src/a/x.ts', 'src/b/x.ts', 'src/b/index.ts', 'src/a/index.ts']), ['x.ts'], 'two would be found')
})

/** The files of one circle of imports each, types included: files that reach each other. */
function circles(edges: Map<string, string[]>): string[][] {
  const reachable = (from: string, seen = new Set<string>()): Set<string> => {
    for (const target of edges.get(from) ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      reachable(target, seen)
    }
    return seen
  }
  const reach = new Map([...edges.keys()].map((file) => [file, reachable(file)]))
  const found = new Map<string, string[]>()
  for (const [file, targets] of reach) {
    const circle = [...targets].filter((target) => reach.get(target)?.has(file)).sort()
    if (circle.length > 0) found.set(circle.join(), circle)
  }
  return [...found.values()]
}

t.test('no import circle, of types either', async (t) => {
  const found = circles(new Map(files.map((file) => [file, targetsOf(file)])))
  t.same(found, [])
  const [a, b, c] = ['a', 'b', 'c']
  const edges = new Map([
    [a, [b]],
    [b, [c]],
    [c, [b]],
  ] as [string, string[]][])
  t.same(circles(edges), [[b, c]], 'a circle would be found')
})

/** What each file exports, and the others never name. */
function lonelyExports(texts: Map<string, string>): string[] {
  const users = new Map<string, number>()
  for (const text of texts.values()) {
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g))) users.set(word, (users.get(word) ?? 0) + 1)
  }
  const exported = /^export (?:abstract |async )?(?:const|function\*?|class|interface|type) (\w+)/gm
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(exported)].flatMap(([, name]) => (users.get(name!) === 1 ? `${file}: ${name}` : [])),
  )
}

t.test('every export has a user', async (t) => {
  const all = new Map<string, string>()
  for (const top of ['src', 'test', 'scripts']) {
    for (const file of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
      if (/(?<!\.d|config)\.(?:tsx?|mjs)$/.test(file) && !/(^|\/)(node_modules|\.compiled)\//.test(file)) {
        all.set(`${top}/${file}`, readFileSync(join(root, top, file), 'utf8'))
      }
    }
  }
  t.same(lonelyExports(all), [])
  const lonely = new Map([
    ['a.ts', 'export const one = 1\nexport const two = 2'],
    ['b.ts', 'one'],
  ])
  t.same(lonelyExports(lonely), ['a.ts: two'], 'one would be found')
})

t.test('every door says what its room is for', async (t) => {
  for (const door of files.filter((file) => basename(file) === 'index.ts')) {
    const room = basename(dirname(door))
    t.match(textOf(door), new RegExp(`^/\\*\\*\\s+(\\* )?${room}: `), `${door} opens with its comment`)
  }
})

t.test('files are short', async (t) => {
  const lines = files.map((file) => [file, textOf(file).split('\n').length - 1] as const)
  t.same(
    lines.filter(([, count]) => count > MAX_LINES),
    [],
    `at most ${MAX_LINES} lines`,
  )
})

/** What a guard says of a command's own name; the allowlist compares the path that was written with the owner's entries. */
const looksAtName = /\bcommand\.name\b|\bprogram\??\.names\b|\{[^}\n]*\bname\b[^}\n]*\}[^\n]*: SimpleCommand/

t.test('guards judge effects: they never look at the name of a command', async (t) => {
  const guards = files.filter((file) => file.startsWith('src/server/policy/guards/'))
  t.same(
    guards.filter((file) => looksAtName.test(textOf(file))),
    [],
  )
  t.match('if (command.name === x)', looksAtName, 'a guard that does would be found')
})

t.test('one reader of options', async (t) => {
  const splits = /startsWith\('--'\)/
  const readers = files.filter((file) => file.startsWith('src/server/policy/') && splits.test(textOf(file)))
  t.same(readers, ['src/server/policy/programs/read-call.ts'])
})

/** The texts, patterns and names of properties in a file in which `name` stands as a word of its own. */
function naming(name: string, tree: TypeScript.SourceFile): string[] {
  const word = new RegExp(`(?<![\\w.~/-])${name}!?(?![\\w.+\\\\-])`)
  const found: string[] = []
  const visit = (node: TypeScript.Node): void => {
    const isKey = ts.isIdentifier(node) && ts.isPropertyAssignment(node.parent) && node.parent.name === node
    const isTemplate = ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)
    const isText = ts.isStringLiteralLike(node) || isTemplate || ts.isRegularExpressionLiteral(node) || isKey
    const text = isText ? node.getText() : ''
    // a sentence for people, not a table
    const isProse = !text.includes('\n') && /[.:…]\s|…['"]$|\.['"]$/.test(text)
    if (!isProse && word.test(text)) found.push(text)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

/** Where the word is a verb, or an option, of another program: npm rm, npm --git. */
const otherMeanings: Readonly<Record<string, readonly string[]>> = {
  git: ['packages'],
  rm: ['builders', 'containers', 'git', 'packages'],
}

t.test('one file knows a program: git, rm, find', async (t) => {
  for (const [name, home] of Object.entries({ git: 'git', rm: 'files', find: 'find' })) {
    const others = otherMeanings[name] ?? []
    const known = filesWith(new RegExp(`\\b${name}\\b`))
      .filter((file) => file.startsWith('src/server/policy/'))
      .filter((file) => naming(name, treeOf(file)).length > 0)
      .filter((file) => !others.some((other) => file === `src/server/policy/programs/${other}.ts` && other !== home))
    t.same(known, [`src/server/policy/programs/${home}.ts`], name)
  }
  t.same(naming('rm', parse('x.ts', "const x = { 'rm! unlink': /^(?:rm|mv)$/, y: 'Use rm. Or not.' }")).length, 2)
  t.same(
    naming('rm', parse('x.ts', 'const x = [{ names: `\n rm! unlink\n` }, { alters: `add\n${y}\n rm` }]')).length,
    2,
  )
})

t.test('rooms that decide touch nothing', async (t) => {
  const pure = files.filter((file) => pureRooms.some((room) => file.startsWith(`${room}/`)))
  t.same(
    pure.filter((file) => impure.test(textOf(file))),
    [],
    'no clock, disk, network, environment',
  )
})

/** How many timers a text sets: by the global functions, by Node's promises of them, or a socket's. */
const countTimers = (text: string): number =>
  text.match(/\bset(?:Timeout|Interval)\(|\bsetTimeout as \w+ \} from 'node:timers/g)?.length ?? 0

t.test('every timer goes by a clock that tests can move, or is listed with the reason why not', async (t) => {
  const found = files.map((file) => [file, countTimers(textOf(file))] as const).filter(([, count]) => count > 0)
  const listed = Object.entries(timers).map(([file, [count]]) => [file, count])
  t.same(Object.fromEntries(found), Object.fromEntries(listed))
  const some = "import { setTimeout as sleep } from 'node:timers/promises'\nsetInterval(x, 1)\nsocket.setTimeout(2)"
  t.equal(countTimers(some), 3, 'new ones would be found')
})

/** `createX (lines)` of each closure in a file that is too long. */
function longClosures(file: string, tree: TypeScript.SourceFile): string[] {
  const found: string[] = []
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  const visit = (node: TypeScript.Node): void => {
    const isFunction = ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)
    const name = isFunction && node.name ? node.name.getText() : ''
    const lines = lineAt(node.end) - lineAt(node.getStart()) + 1
    if (/^create[A-Z]/.test(name) && lines > MAX_CLOSURE_LINES) found.push(`${file}: ${name} (${lines})`)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

t.test('closures are short', async (t) => {
  t.same(
    filesWith(/\bcreate[A-Z]/).flatMap((file) => longClosures(file, treeOf(file))),
    [],
  )
  const long = `export function createLong() {${'\n'.repeat(60)}}`
  t.same(longClosures('x.ts', parse('x.ts', long)), ['x.ts: createLong (61)'], 'a long one would be found')
})

/** Where a type is forced: `as never`, `as any`, `as unknown as`. */
function forcedTypes(file: string, tree: TypeScript.SourceFile): string[] {
  const found: string[] = []
  const visit = (node: TypeScript.Node): void => {
    if (ts.isAsExpression(node)) {
      const isTwice = ts.isAsExpression(node.expression) && node.expression.type.kind === ts.SyntaxKind.UnknownKeyword
      const isAnything = [ts.SyntaxKind.NeverKeyword, ts.SyntaxKind.AnyKeyword].includes(node.type.kind)
      if (isTwice || isAnything) found.push(`${file}: ${node.getText()}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}

t.test('no type is forced', async (t) => {
  t.same(
    filesWith(/\bas\s+(?:never|any|unknown)\b/).flatMap((file) => forcedTypes(file, treeOf(file))),
    [],
  )
  const forced = parse('x.ts', 'f(a as never, b as unknown as C, d as unknown, e as E)')
  t.same(forcedTypes('x.ts', forced).length, 2, 'two would be found')
})

t.test('one style for numbers and for functions', async (t) => {
  const uncapital = /^(?:export )?const [a-z]\w* = [-(]*\d.*$/m
  const blockArrow = /^(?:(?:export )?const \w+ = (?:async )?(?:<.*>)?\(.*|\).*) => \{$/m
  t.same(
    files.filter((file) => uncapital.test(textOf(file))),
    [],
    'numbers stand in capitals',
  )
  t.same(
    files.filter((file) => blockArrow.test(textOf(file))),
    [],
    'a function with a body is declared as one',
  )
  t.match('export const restMs = 2 * 1000', uncapital, 'one that is not would be found')
  t.match('const x = (a) => {', blockArrow, 'one that is not would be found')
  t.match('const x = (\n  a,\n): string => {', blockArrow, 'over several lines, too')
})
